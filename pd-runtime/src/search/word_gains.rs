//! What one word of a request is worth in each document: by itself, or by its best synonym.

use super::query::MatchKind;

/// The weight of a word of the request: its own, or that of its best synonym.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordValue {
    own: f32,
    synonym: f32,
}

impl WordValue {
    pub(super) fn add(&mut self, kind: MatchKind, value: f32) {
        if kind == MatchKind::Synonym {
            self.synonym = self.synonym.max(value);
        } else {
            // The root, the form and guesses.
            self.own += value;
        }
    }

    pub(super) fn value(self) -> f32 {
        self.own.max(self.synonym)
    }
}

/// What one word of the request is worth in one document.
#[derive(Debug, Clone, Copy, Default)]
struct WordGain {
    gain: WordValue,
    weight: WordValue,
    /// The number of the best synonym among the terms of the word. There is a value for each document
    /// of the registry, so its size counts.
    synonym: u32,
    /// Whether the author has said that the word means this tool.
    is_meant: bool,
}

/// What one word of the request is worth, by document.
#[derive(Debug)]
pub(super) struct WordGains {
    by_document: Vec<WordGain>,
    /// The documents with a gain.
    places: Vec<usize>,
    /// The most that one of the words so far is worth, by document. Words that are meant do not count.
    largest: Vec<f32>,
}

impl WordGains {
    pub(super) fn new(count: usize) -> Self {
        Self {
            by_document: vec![WordGain::default(); count],
            places: Vec::new(),
            largest: vec![0.0; count],
        }
    }

    pub(super) fn add(
        &mut self,
        place: usize,
        kind: MatchKind,
        number: u32,
        gain: f32,
        weight: f32,
        is_meant: bool,
    ) {
        let Some(known) = self.by_document.get_mut(place) else {
            return;
        };
        if known.weight.value() == 0.0 {
            self.places.push(place);
        }
        if kind == MatchKind::Synonym && known.gain.synonym < gain {
            known.synonym = number;
        }
        known.is_meant |= is_meant;
        known.gain.add(kind, gain);
        known.weight.add(kind, weight);
    }

    /// Returns whether the gain of a term is part of what the word is worth.
    pub(super) fn counts(&self, place: usize, kind: MatchKind, number: u32) -> bool {
        self.by_document.get(place).is_some_and(|known| {
            if known.gain.own >= known.gain.synonym {
                kind != MatchKind::Synonym
            } else {
                kind == MatchKind::Synonym && number == known.synonym
            }
        })
    }

    /// Calls `take` with each document's place, gain and weight, and clears them for the next word.
    pub(super) fn drain(&mut self, mut take: impl FnMut(usize, f32, f32)) {
        for place in self.places.drain(..) {
            let known = self.by_document.get_mut(place);
            if let Some((known, largest)) = known.zip(self.largest.get_mut(place)) {
                let gain = known.gain.value();
                if !known.is_meant {
                    *largest = largest.max(gain);
                }
                take(place, gain, known.weight.value());
                *known = WordGain::default();
            }
        }
    }

    /// Returns the most that one of the words is worth, by document. Words that are meant do not count.
    pub(super) fn into_largest(self) -> Vec<f32> {
        self.largest
    }
}
