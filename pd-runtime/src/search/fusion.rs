//! One score of two: what words say and what they mean.

use super::{rank::Scores, visible_stats::View};

/// How much words count in any case.
const WORDS: f32 = 0.2;

/// How much more they count the more of a request is answered by the one document that answers most of it. Where few of its
/// words occur, what happens to match is chance, and meaning is the better guide.
const WORDS_ANSWERED: f32 = 0.35;

/// A meaning further away, as a cosine, is no hit unless a word is.
pub(super) const NEAR: f32 = 0.1;

/// Scores from 0 to 1 by document: each kind is measured from the worst to the best of what the view sees.
pub(super) fn fused(words: &Scores, meanings: &[f32], view: &View) -> Vec<f32> {
    let seen = || (0..).zip(words.of.iter().zip(meanings)).filter(|(place, _)| view.sees(*place)).map(|(_, both)| both);
    let by_word = Span::of(seen().map(|(word, _)| *word));
    let by_meaning = Span::of(seen().map(|(_, meaning)| *meaning));
    let answered = (0..words.of.len()).map(|place| words.answered(place)).fold(0.0, f32::max);
    let trust = WORDS + WORDS_ANSWERED * answered;
    let fuse = |(place, (word, meaning)): (u32, (&f32, &f32))| {
        if !view.sees(place) || (*word == 0.0 && *meaning < NEAR) {
            return 0.0;
        }
        trust * by_word.part(*word) + (1.0 - trust) * by_meaning.part(*meaning)
    };
    (0..).zip(words.of.iter().zip(meanings)).map(fuse).collect()
}

#[derive(Debug, Clone, Copy)]
struct Span {
    least: f32,
    most: f32,
}

impl Span {
    fn of(values: impl Iterator<Item = f32>) -> Self {
        let none = Self { least: f32::MAX, most: f32::MIN };
        values.fold(none, |span, value| Self { least: span.least.min(value), most: span.most.max(value) })
    }

    /// Where a value lies, from 0 to 1.
    fn part(self, value: f32) -> f32 {
        match self.most - self.least {
            width if width > 0.0 => (value - self.least) / width,
            // All are equal, or there is one: nothing speaks against it.
            _ if value > 0.0 => 1.0,
            _ => 0.0,
        }
    }
}
