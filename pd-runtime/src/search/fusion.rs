//! Combines the scores by words and by meaning into one score.

use super::{rank::DocumentScores, visible_stats::VisibleStats};

/// The minimum weight of words.
const WORDS: f32 = 0.2;

/// The additional weight of words, multiplied by the part of the request that the best document
/// answers. If few words of a request occur anywhere, matches are accidental, and the meaning is
/// more reliable.
const WORDS_ANSWERED: f32 = 0.35;

/// The part of the factor for what a tool does that applies to its meaning. A model distinguishes
/// reading from changing to some extent by itself.
const EFFECT: f32 = 0.5;

/// The minimum cosine for a hit without a matching word.
pub(super) const NEAR: f32 = 0.1;

/// The combination of two kinds of scores, each scaled to its range over the documents that the
/// view sees.
#[derive(Debug)]
pub(super) struct ScoreFusion {
    by_word: ScoreRange,
    by_meaning: ScoreRange,
    /// The weight of words, between 0.2 and 0.55. Meaning has the rest.
    trust: f32,
}

impl ScoreFusion {
    pub(super) fn new(words: &DocumentScores, meanings: &[f32], view: &VisibleStats) -> Self {
        // The ranges cover the visible documents only. Otherwise a hidden tool could shift the
        // scores of visible ones.
        let seen = || {
            let both = (0..).zip(words.by_document.iter().zip(meanings));
            both.filter(|(place, _)| view.sees(*place))
                .map(|(_, both)| both)
        };
        let answered = (0..words.by_document.len())
            .map(|place| words.answered(place))
            .fold(0.0, f32::max);
        Self {
            by_word: ScoreRange::from_values(seen().map(|(word, _)| *word)),
            by_meaning: ScoreRange::from_values(seen().map(|(_, meaning)| *meaning)),
            trust: WORDS + WORDS_ANSWERED * answered,
        }
    }

    /// Returns the parts of a visible document's score that words and meaning contribute. `effect` is
    /// the factor for what its tool does, which the score by words contains already.
    pub(super) fn parts(&self, word: f32, meaning: f32, effect: f32) -> (f32, f32) {
        // Every document has some similarity. Without this bound, all of them would be hits.
        if word == 0.0 && meaning < NEAR {
            return (0.0, 0.0);
        }
        (
            self.trust * self.by_word.part(word),
            (1.0 - self.trust) * self.by_meaning.part(meaning) * (1.0 - EFFECT + EFFECT * effect),
        )
    }
}

/// Combines the scores to values from 0 to 1 by document.
pub(super) fn fuse_scores(
    words: &DocumentScores,
    meanings: &[f32],
    view: &VisibleStats,
) -> Vec<f32> {
    let fusion = ScoreFusion::new(words, meanings, view);
    (0..)
        .zip(words.by_document.iter().zip(meanings))
        .enumerate()
        .map(|(number, (place, (word, meaning)))| {
            let (by_word, by_meaning) = if view.sees(place) {
                fusion.parts(*word, *meaning, words.effect_factor(number))
            } else {
                (0.0, 0.0)
            };
            by_word + by_meaning
        })
        .collect()
}

#[derive(Debug, Clone, Copy)]
struct ScoreRange {
    least: f32,
    most: f32,
}

impl ScoreRange {
    fn from_values(values: impl Iterator<Item = f32>) -> Self {
        let none = Self {
            least: f32::MAX,
            most: f32::MIN,
        };
        values.fold(none, |span, value| Self {
            least: span.least.min(value),
            most: span.most.max(value),
        })
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
