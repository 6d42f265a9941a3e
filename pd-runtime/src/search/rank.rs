//! Ranking of documents with BM25F over the documents that a caller sees.

use super::{
    document::FIELDS,
    index::Index,
    query::Query,
    visible_stats::View,
    vocabulary::{Posting, Term},
};

/// BM25's `k1`: the higher, the more each further occurrence of a word counts.
const SATURATION: f32 = 1.4;

/// BM25's `b`: the influence of a field's length.
const LENGTH: f32 = 0.6;

/// The share of a score that depends on how much of the request a document answers.
const COVERAGE: f32 = 0.2;

/// The bonus for a document whose whole name is in the request.
const NAMED: f32 = 0.4;

/// The number of best documents whose names are compared with the request.
const CONTENDERS: usize = 64;

/// The weight of each [`Field`](super::document::Field), in their order.
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

/// The scores of all documents for a request.
#[derive(Debug)]
pub(super) struct Scores {
    /// The score of each document; 0 without a word of the request.
    pub(super) totals: Vec<f32>,
    /// The weight of the request that each document answers.
    covered: Vec<f32>,
    /// The total weight of the known words of the request, each multiplied by its rarity.
    known_weight: f32,
    /// The same for unknown words.
    unknown_weight: f32,
    /// The contenders whose whole names, of at least two words, are in the request.
    named: Vec<usize>,
}

impl Scores {
    /// Returns whether the request contains the whole name of this document, and of no other.
    pub(super) fn names_only(&self, place: usize) -> bool {
        self.named == [place]
    }

    /// Returns the share of the request that a document answers, from 0 to 1.
    pub(super) fn answered(&self, place: usize) -> f32 {
        let covered = self.covered.get(place).copied().unwrap_or_default();
        covered / (self.known_weight + self.unknown_weight).max(f32::MIN_POSITIVE)
    }
}

impl Index {
    /// Scores every document that `view` sees.
    pub(super) fn scores(&self, query: &Query, view: &View) -> Scores {
        let zeros = vec![0.0; self.lengths.len()];
        let mut scores = Scores {
            totals: zeros.clone(),
            covered: zeros,
            known_weight: 0.0,
            unknown_weight: query.unknown_weight * view.rarest(),
            named: Vec::new(),
        };
        for (term, weight) in query.words.iter().chain(&query.roots) {
            let postings = self.postings.get(*term);
            if let Some(rarity) = view.rarity(postings) {
                self.add(postings, weight * rarity, view, &mut scores);
            }
        }
        let (known_weight, covered) = (scores.known_weight, &scores.covered);
        for (score, covered) in scores.totals.iter_mut().zip(covered) {
            // Documents that answer more of the request rank above documents that repeat one rare
            // word.
            *score *= 1.0 - COVERAGE + COVERAGE * covered / known_weight.max(f32::MIN_POSITIVE);
        }
        self.boost_named(query, view, &mut scores);
        scores
    }

    fn add(&self, postings: &[Posting], value: f32, view: &View, scores: &mut Scores) {
        scores.known_weight += value;
        // Postings of one document are adjacent, one for each field. BM25F adds the fields before
        // saturation, so that a word in three fields does not count as three words.
        for postings in postings.chunk_by(|one, next| one.place == next.place) {
            let Some(place) = postings.first().map(|posting| posting.place).filter(|place| view.sees(*place)) else {
                continue;
            };
            let frequency: f32 = postings.iter().map(|posting| self.frequency(posting, view)).sum();
            let place = place as usize;
            if let Some((score, covered)) = scores.totals.get_mut(place).zip(scores.covered.get_mut(place)) {
                *score += value * frequency * (SATURATION + 1.0) / (SATURATION + frequency);
                *covered += value;
            }
        }
    }

    /// Returns the weighted frequency of a word in a field, normalized by the field's length
    /// (BM25F).
    fn frequency(&self, posting: &Posting, view: &View) -> f32 {
        let field = usize::from(posting.field);
        let length = self.lengths.get(posting.place as usize).and_then(|lengths| lengths.get(field));
        let relative = length.zip(view.means.get(field)).map_or(1.0, |(length, mean)| f32::from(*length) / mean);
        let weight = WEIGHTS.get(field).copied().unwrap_or_default();
        weight * f32::from(posting.count) / (1.0 - LENGTH + LENGTH * relative)
    }

    fn boost_named(&self, query: &Query, view: &View, scores: &mut Scores) {
        // A document whose name is in the request has a high score already, so only the best are
        // compared.
        for (place, _) in best(&scores.totals, CONTENDERS) {
            let Some(name) = self.names.get(place) else { continue };
            let coverage = self.name_coverage(name, query, view);
            // 0.99 instead of 1, because sums of floats are inexact. A name of one word is too
            // likely to occur by chance.
            if coverage > 0.99 && name.len() > 1 {
                scores.named.push(place);
            }
            if let Some(score) = scores.totals.get_mut(place) {
                *score *= 1.0 + NAMED * coverage;
            }
        }
    }

    /// Returns the share of a name that is in the request, from 0 to 1. Rare words count more.
    fn name_coverage(&self, name: &[Term], query: &Query, view: &View) -> f32 {
        let (mut covered, mut all) = (0.0, 0.0);
        for term in name {
            let rarity = view.rarity(self.postings.get(*term)).unwrap_or_default();
            let weight = query.roots.iter().find(|(root, _)| root == term);
            all += rarity;
            covered += rarity * weight.map_or(0.0, |(_, weight)| weight.min(1.0));
        }
        if all > 0.0 { covered / all } else { 0.0 }
    }
}

/// Returns the `count` best places with their scores, best first. Of equal scores, the lower place
/// is first. Documents with a score of 0 are not hits.
pub(super) fn best(scores: &[f32], count: usize) -> Vec<(usize, f32)> {
    let order = |one: &(usize, f32), other: &(usize, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
    let mut hits: Vec<_> = scores.iter().copied().enumerate().filter(|(_, score)| *score > 0.0).collect();
    // Sorting only the best `count` keeps a search over many tools linear.
    if count < hits.len() {
        hits.select_nth_unstable_by(count, order);
        hits.truncate(count);
    }
    hits.sort_unstable_by(order);
    hits
}
