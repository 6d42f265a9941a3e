//! Combines the scores by words and by meaning into one score.

use super::{rank::DocumentScores, visible_stats::VisibleStats};

/// The minimum weight of words.
const WORDS: f32 = 0.2;

/// The additional weight of words, multiplied by the part of the request that the best document
/// answers. If few words of a request occur anywhere, matches are accidental, and the meaning is
/// more reliable.
const WORDS_ANSWERED: f32 = 0.35;

/// The minimum cosine for a hit without a matching word.
pub(super) const NEAR: f32 = 0.1;

/// Combines the scores to values from 0 to 1 by document. Each kind of score is scaled to its range
/// over the documents that the view sees.
pub(super) fn fuse_scores(words: &DocumentScores, meanings: &[f32], view: &VisibleStats) -> Vec<f32> {
    let seen = || {
        (0..).zip(words.by_document.iter().zip(meanings)).filter(|(place, _)| view.sees(*place)).map(|(_, both)| both)
    };
    let by_word = ScoreRange::from_values(seen().map(|(word, _)| *word));
    let by_meaning = ScoreRange::from_values(seen().map(|(_, meaning)| *meaning));
    let answered = (0..words.by_document.len()).map(|place| words.answered(place)).fold(0.0, f32::max);
    let trust = WORDS + WORDS_ANSWERED * answered;
    // score = trust · words + (1 − trust) · meaning, where trust is between 0.2 and 0.55.
    let fuse = |(place, (word, meaning)): (u32, (&f32, &f32))| {
        if !view.sees(place) || (*word == 0.0 && *meaning < NEAR) {
            return 0.0;
        }
        trust * by_word.part(*word) + (1.0 - trust) * by_meaning.part(*meaning)
    };
    (0..).zip(words.by_document.iter().zip(meanings)).map(fuse).collect()
}

#[derive(Debug, Clone, Copy)]
struct ScoreRange {
    least: f32,
    most: f32,
}

impl ScoreRange {
    fn from_values(values: impl Iterator<Item = f32>) -> Self {
        let none = Self { least: f32::MAX, most: f32::MIN };
        values.fold(none, |span, value| Self { least: span.least.min(value), most: span.most.max(value) })
    }

    /// Returns the position of a value in the range, from 0 to 1.
    fn part(self, value: f32) -> f32 {
        match self.most - self.least {
            width if width > 0.0 => (value - self.least) / width,
            // All values are equal, or there is only one. A positive score then counts in full.
            _ if value > 0.0 => 1.0,
            _ => 0.0,
        }
    }
}
