//! The combination of two scores: words and meanings.

use super::{rank::Scores, visible_stats::View};

/// The minimum weight of words.
const WORDS: f32 = 0.2;

/// The additional weight of words, multiplied by the share of the request that the best document
/// answers. If few words of the request occur, their matches are chance, and the meaning is the
/// better guide.
const WORDS_ANSWERED: f32 = 0.35;

/// The minimum cosine similarity. A document below it is a hit only if it contains a word of the
/// request.
pub(super) const NEAR: f32 = 0.1;

/// Returns a score from 0 to 1 for each document. Each kind of score is scaled from the worst to
/// the best visible document.
pub(super) fn fuse(words: &Scores, meanings: &[f32], view: &View) -> Vec<f32> {
    // Only visible documents define the ranges. Otherwise, a hidden tool would shift the scores of
    // visible ones.
    let visible =
        || (0..).zip(words.totals.iter().zip(meanings)).filter(|(place, _)| view.sees(*place)).map(|(_, both)| both);
    let by_word = Span::from_values(visible().map(|(word, _)| *word));
    let by_meaning = Span::from_values(visible().map(|(_, meaning)| *meaning));
    let answered = (0..words.totals.len()).map(|place| words.answered(place)).fold(0.0, f32::max);
    let trust = WORDS + WORDS_ANSWERED * answered;
    let combine = |(place, (word, meaning)): (u32, (&f32, &f32))| {
        if !view.sees(place) || (*word == 0.0 && *meaning < NEAR) {
            return 0.0;
        }
        trust * by_word.part(*word) + (1.0 - trust) * by_meaning.part(*meaning)
    };
    (0..).zip(words.totals.iter().zip(meanings)).map(combine).collect()
}

#[derive(Debug, Clone, Copy)]
struct Span {
    least: f32,
    most: f32,
}

impl Span {
    fn from_values(values: impl Iterator<Item = f32>) -> Self {
        let none = Self { least: f32::MAX, most: f32::MIN };
        values.fold(none, |span, value| Self { least: span.least.min(value), most: span.most.max(value) })
    }

    /// Returns the position of a value in the range, from 0 to 1.
    fn part(self, value: f32) -> f32 {
        match self.most - self.least {
            width if width > 0.0 => (value - self.least) / width,
            // All values are equal, or there is only one, so the range contains no evidence against
            // it.
            _ if value > 0.0 => 1.0,
            _ => 0.0,
        }
    }
}
