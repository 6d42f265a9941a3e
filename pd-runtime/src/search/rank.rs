//! Which documents fit a request best: BM25F over the fields of what a caller sees.

use super::{
    document::FIELDS,
    index::Index,
    query::Query,
    visible_stats::View,
    vocabulary::{Posting, Term},
};

/// How soon another occurrence of a word stops to count.
const SATURATION: f32 = 1.4;

/// How much a field's length counts against it.
const LENGTH: f32 = 0.6;

/// How much of a score depends on how much of the request a document answers.
const COVERAGE: f32 = 0.2;

/// How much more a document counts of whose name all was said.
const NAMED: f32 = 0.4;

/// For how many of the best the name is looked at.
const CONTENDERS: usize = 64;

/// How much a word counts in each [`Field`](super::document::Field), in their order.
const WEIGHTS: [f32; FIELDS] = [
    2.0,  // Name
    1.5,  // Title
    0.8,  // Summary
    1.0,  // Description
    1.5,  // Alias
    0.9,  // Argument
    0.45, // ArgumentText
    0.6,  // Value
    0.5,  // Usage
    0.5,  // Group
];

/// What a request finds, before the best are chosen.
#[derive(Debug)]
pub(super) struct Scores {
    /// By document; 0 for one that has no word of the request.
    pub(super) of: Vec<f32>,
    /// How much of the request each document answers, by document.
    covered: Vec<f32>,
    /// How much there was to answer by words that occur, as they are rare.
    asked: f32,
    /// The same by words that do not.
    unmet: f32,
    /// The contenders of whose name, of two words or more, all was said.
    named: Vec<usize>,
}

impl Scores {
    /// Whether the request says all of this document's name, and of no other's.
    pub(super) fn names_only(&self, place: usize) -> bool {
        self.named == [place]
    }

    /// How much of the request a document answers, from 0 to 1.
    pub(super) fn answered(&self, place: usize) -> f32 {
        let covered = self.covered.get(place).copied().unwrap_or_default();
        covered / (self.asked + self.unmet).max(f32::MIN_POSITIVE)
    }
}

impl Index {
    /// Scores every document that `view` sees.
    pub(super) fn scores(&self, query: &Query, view: &View) -> Scores {
        let zeros = vec![0.0; self.lengths.len()];
        let mut scores = Scores {
            of: zeros.clone(),
            covered: zeros,
            asked: 0.0,
            unmet: query.unmet * view.rarest(),
            named: Vec::new(),
        };
        for (term, weight) in query.words.iter().chain(&query.roots) {
            let postings = self.postings.of(*term);
            if let Some(rarity) = view.rarity(postings) {
                self.add(postings, weight * rarity, view, &mut scores);
            }
        }
        let (asked, covered) = (scores.asked, &scores.covered);
        for (score, covered) in scores.of.iter_mut().zip(covered) {
            *score *= 1.0 - COVERAGE + COVERAGE * covered / asked.max(f32::MIN_POSITIVE);
        }
        self.favour_named(query, view, &mut scores);
        scores
    }

    fn add(&self, postings: &[Posting], value: f32, view: &View, scores: &mut Scores) {
        scores.asked += value;
        for postings in postings.chunk_by(|one, next| one.place == next.place) {
            let Some(place) = postings.first().map(|posting| posting.place).filter(|place| view.sees(*place)) else {
                continue;
            };
            let often: f32 = postings.iter().map(|posting| self.often(posting, view)).sum();
            let place = place as usize;
            if let Some((score, covered)) = scores.of.get_mut(place).zip(scores.covered.get_mut(place)) {
                *score += value * often * (SATURATION + 1.0) / (SATURATION + often);
                *covered += value;
            }
        }
    }

    /// How often a word stands in a field, by what the field is worth and how long it is.
    fn often(&self, posting: &Posting, view: &View) -> f32 {
        let field = usize::from(posting.field);
        let length = self.lengths.get(posting.place as usize).and_then(|lengths| lengths.get(field));
        let relative = length.zip(view.means.get(field)).map_or(1.0, |(length, mean)| f32::from(*length) / mean);
        let weight = WEIGHTS.get(field).copied().unwrap_or_default();
        weight * f32::from(posting.count) / (1.0 - LENGTH + LENGTH * relative)
    }

    fn favour_named(&self, query: &Query, view: &View, scores: &mut Scores) {
        for (place, _) in best(&scores.of, CONTENDERS) {
            let Some(name) = self.names.get(place) else { continue };
            let said = self.said(name, query, view);
            if said > 0.99 && name.len() > 1 {
                scores.named.push(place);
            }
            if let Some(score) = scores.of.get_mut(place) {
                *score *= 1.0 + NAMED * said;
            }
        }
    }

    /// How much of a name a request says, from 0 to 1: words count as they are rare.
    fn said(&self, name: &[Term], query: &Query, view: &View) -> f32 {
        let (mut said, mut all) = (0.0, 0.0);
        for term in name {
            let rarity = view.rarity(self.postings.of(*term)).unwrap_or_default();
            let asked = query.roots.iter().find(|(asked, _)| asked == term);
            all += rarity;
            said += rarity * asked.map_or(0.0, |(_, weight)| weight.min(1.0));
        }
        if all > 0.0 { said / all } else { 0.0 }
    }
}

/// The `count` best with their places, best first; of equals the first. What scores nothing is no hit.
pub(super) fn best(scores: &[f32], count: usize) -> Vec<(usize, f32)> {
    let order = |one: &(usize, f32), other: &(usize, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
    let mut hits: Vec<_> = scores.iter().copied().enumerate().filter(|(_, score)| *score > 0.0).collect();
    if count < hits.len() {
        hits.select_nth_unstable_by(count, order);
        hits.truncate(count);
    }
    hits.sort_unstable_by(order);
    hits
}
