//! The part of an index that a caller sees. All counts and averages cover only this part, so that
//! hidden tools have no influence on scores.

use super::{
    document::FIELDS,
    vocabulary::{Posting, PostingLists, TermId},
};

/// The documents that exist for a caller, with their statistics. Create one for each visible set
/// and keep it.
#[derive(Debug)]
pub(crate) struct VisibleStats {
    /// `None` if all documents are visible.
    seen: Option<Box<[bool]>>,
    pub(super) count: usize,
    /// The reciprocal of the mean number of words by field. A search multiplies by it for each
    /// occurrence of a word.
    pub(super) per_word: [f32; FIELDS],
}

impl VisibleStats {
    pub(super) fn of_all(lengths: &[[u16; FIELDS]]) -> Self {
        Self {
            seen: None,
            count: lengths.len(),
            per_word: reciprocal_means(lengths.iter()),
        }
    }

    pub(super) fn new(lengths: &[[u16; FIELDS]], sees: impl FnMut(usize) -> bool) -> Self {
        let seen: Box<[bool]> = (0..lengths.len()).map(sees).collect();
        let visible = || {
            lengths
                .iter()
                .zip(&seen)
                .filter(|(_, seen)| **seen)
                .map(|(lengths, _)| lengths)
        };
        let count = visible().count();
        if count == lengths.len() {
            return Self::of_all(lengths);
        }
        Self {
            count,
            per_word: reciprocal_means(visible()),
            seen: Some(seen),
        }
    }

    pub(super) fn sees(&self, place: u32) -> bool {
        self.seen
            .as_ref()
            .is_none_or(|seen| seen.get(place as usize) == Some(&true))
    }

    /// Returns whether any of the postings is in a visible document.
    pub(super) fn sees_any(&self, postings: &[Posting]) -> bool {
        postings.iter().any(|posting| self.sees(posting.place))
    }

    /// Returns the rarity of a word that does not occur.
    pub(super) fn rarest(&self) -> f32 {
        rarity(self.count, 0)
    }

    /// Returns the rarity of a word, or `None` if it does not occur in the view.
    pub(super) fn rarity(&self, postings: &PostingLists, term: TermId) -> Option<f32> {
        let holding = match &self.seen {
            None => postings.documents(term),
            Some(_) => {
                // Postings are sorted by document, so each chunk is one document with one posting
                // per field.
                let documents = postings.get(term);
                let documents = documents.chunk_by(|one, next| one.place == next.place);
                documents
                    .filter(|one| one.first().is_some_and(|posting| self.sees(posting.place)))
                    .count()
            }
        };
        (holding > 0).then(|| rarity(self.count, holding))
    }
}

/// Computes BM25's inverse document frequency, ln(1 + (N − n + 0.5) / (n + 0.5)).
pub(super) fn rarity(all: usize, holding: usize) -> f32 {
    let all = all as f32;
    let holding = holding as f32;
    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
}

fn reciprocal_means<'a>(lengths: impl Iterator<Item = &'a [u16; FIELDS]>) -> [f32; FIELDS] {
    let mut sums = [0_u32; FIELDS];
    let mut count = 0;
    for document in lengths {
        count += 1;
        for (sum, length) in sums.iter_mut().zip(document) {
            *sum += u32::from(*length);
        }
    }
    // A field without words has no postings, so its value is never used. 1 avoids a division by
    // zero.
    sums.map(|sum| {
        if sum == 0 {
            1.0
        } else {
            count as f32 / sum as f32
        }
    })
}
