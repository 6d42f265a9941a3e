//! The ranking of documents: BM25F over the fields that a caller sees.

use super::{
    best_hits::best,
    document::{DocumentField, FIELDS},
    index::WordIndex,
    query::{MatchKind, QueryTerm, SearchQuery},
    visible_stats::VisibleStats,
    vocabulary::{Posting, TermId},
    word_gains::{WordGains, WordValue},
};

use std::collections::HashMap;

/// BM25's `k1`: how soon further occurrences of a word stop to add to the score.
const SATURATION: f32 = 1.4;

/// BM25's `b`: how much the length of a field reduces the score. Descriptions vary most, and long
/// ones have many words in passing.
const LENGTHS: [f32; FIELDS] = [0.6, 0.6, 0.6, 0.75, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6];

/// The power of a word's rarity. Requests in everyday language have rare words by accident, which
/// would outweigh several words that are common among tools.
const RARITY: f32 = 0.85;

/// The part of a score that is proportional to how much of the request a document answers.
const COVERAGE: f32 = 0.2;

/// The part of a score that one word of everyday language may make up at no cost. Such a word and its
/// synonyms occur in many documents in passing. They do not in an alias, in an example or in guidance,
/// which say when a tool is meant.
const ONE_WORD: f32 = 0.5;

/// The share of the excess by which the score is reduced.
const ONE_WORD_COST: f32 = 0.3;

/// The most telling words of a request in which one word can outweigh the others.
const SHORT: usize = 5;

/// The bonus for a document whose name the request mentions in full.
const NAMED: f32 = 0.4;

/// The number of best documents whose names are checked.
const CONTENDERS: usize = 64;

/// The weight of a word in each [`DocumentField`](super::document::DocumentField), in their order.
const WEIGHTS: [f32; FIELDS] = [
    1.8,  // Name
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

/// Returns whether a document has a word where its author says when the tool is meant.
fn is_meant(postings: &[Posting]) -> bool {
    const MEANT: [u8; 2] = [DocumentField::Alias as u8, DocumentField::Usage as u8];
    postings
        .iter()
        .any(|posting| MEANT.contains(&posting.field))
}

/// An observer of the ranking, which learns what each score consists of. A search uses `()`, which
/// costs nothing.
pub(super) trait ScoreTrace {
    /// Whether it listens. Otherwise the parts of scores are not even computed.
    const LISTENS: bool = true;

    /// Receives what a term adds to the score of the document with these postings.
    fn add(&mut self, _term: &QueryTerm, _postings: &[Posting], _gain: f32) {}

    /// Receives the factor by which a document's score changes because of how much of the request
    /// it answers, and of whether the tool does what the request wants to be done.
    fn cover(&mut self, _place: usize, _factor: f32) {}

    /// Receives the factor by which a document's score changes because the request mentions its
    /// name.
    fn name(&mut self, _place: usize, _factor: f32) {}
}

impl ScoreTrace for () {
    const LISTENS: bool = false;
}

/// The scores of all documents for one request.
#[derive(Debug, Default)]
pub(super) struct DocumentScores {
    /// The score by document; 0 if the document has no word of the request.
    pub(super) by_document: Vec<f32>,
    /// The factor by document for what the tool does, compared with what the request wants.
    effect_factors: Vec<f32>,
    /// The answered part of the request by document, as a sum of word weights. Each word counts
    /// once, however many synonyms it has.
    answered: Vec<f32>,
    /// The total weight of the words that occur, each multiplied by its rarity.
    requested: f32,
    /// The same for words that do not occur.
    unmet: f32,
    /// The rarity of a word that does not occur.
    rarest: f32,
    /// The contenders whose names, of two words or more, the request mentions in full.
    named: Vec<usize>,
    /// Those of them whose name is the whole request.
    called: Vec<usize>,
}

impl DocumentScores {
    /// Returns whether the request mentions the full name of this document and of no other.
    pub(super) fn names_only(&self, place: usize) -> bool {
        self.named == [place]
    }

    /// Returns whether the request is the name of this document and of no other.
    pub(super) fn calls_only(&self, place: usize) -> bool {
        self.called == [place]
    }

    /// Returns the part of the request that a document answers, from 0 to 1.
    pub(super) fn answered(&self, place: usize) -> f32 {
        let answered = self.answered.get(place).copied().unwrap_or_default();
        answered / self.all_requested()
    }

    /// Returns the factor for what a tool does, compared with what the request wants.
    pub(super) fn effect_factor(&self, place: usize) -> f32 {
        self.effect_factors.get(place).copied().unwrap_or(1.0)
    }

    /// Returns the mean score of a document for each unit of the request's weight: how closely it
    /// matches. It is about 1 if each word is in its name or summary.
    pub(super) fn closeness(&self, place: usize) -> f32 {
        let score = self.by_document.get(place).copied().unwrap_or_default();
        score / self.all_requested()
    }

    /// Returns how much the request says, in words that no document has.
    pub(super) fn specificity(&self) -> f32 {
        self.all_requested() / self.rarest.max(f32::MIN_POSITIVE)
    }

    /// Adds what a word of this weight is worth in a document.
    fn add(&mut self, place: usize, gain: f32, weight: f32) {
        let score = self.by_document.get_mut(place);
        if let Some((score, answered)) = score.zip(self.answered.get_mut(place)) {
            *score += gain;
            *answered += weight;
        }
    }

    fn all_requested(&self) -> f32 {
        (self.requested + self.unmet).max(f32::MIN_POSITIVE)
    }
}

impl WordIndex {
    /// Scores every document that `view` sees.
    pub(super) fn scores(&self, query: &SearchQuery, view: &VisibleStats) -> DocumentScores {
        self.traced_scores(query, view, &mut ())
    }

    /// Scores every document that `view` sees, and reports each part of the scores.
    pub(super) fn traced_scores(
        &self,
        query: &SearchQuery,
        view: &VisibleStats,
        trace: &mut impl ScoreTrace,
    ) -> DocumentScores {
        let zeros = vec![0.0; self.lengths.len()];
        let mut scores = DocumentScores {
            by_document: zeros.clone(),
            effect_factors: self
                .effects
                .iter()
                .map(|effect| effect.factor(query.effect))
                .collect(),
            answered: zeros,
            requested: 0.0,
            // A word without occurrences counts as the rarest one, since it would be most specific.
            unmet: query.unmet * view.rarest().powf(RARITY),
            rarest: view.rarest().powf(RARITY),
            named: Vec::new(),
            called: Vec::new(),
        };
        let (coverage, largest) = self.add_words(query, view, &mut scores, trace);
        // score *= (1 − COVERAGE + COVERAGE · (matched part of all terms))
        //        · (1 − ONE_WORD_COST · (part of one word − ONE_WORD)).
        // Words that no document has are left out, because they would lower all scores alike.
        // The other words of a longer request decide. A model tells which word is meant, and needs the
        // scores as they are.
        let cost = if query.has_meaning || query.telling > SHORT {
            0.0
        } else {
            ONE_WORD_COST
        };
        let documents = scores.by_document.iter_mut().zip(&scores.effect_factors);
        for (place, ((score, effect), coverage)) in documents.zip(coverage).enumerate() {
            let one_word = largest.get(place).copied().unwrap_or_default() / *score;
            // Without a score, the quotient is NaN, which `max` ignores.
            let excess = (one_word - ONE_WORD).max(0.0);
            let factor = (1.0 - COVERAGE + COVERAGE * coverage) * (1.0 - cost * excess) * effect;
            *score *= factor;
            trace.cover(place, factor);
        }
        self.boost_named(query, view, &mut scores, trace);
        scores
    }

    /// Adds what each word of the request is worth to the scores. Returns the matched part of all terms
    /// by document, and the most that one word with synonyms is worth there, which is empty without such
    /// a word. A word counts by its own form or by its best synonym: a document with many synonyms of one
    /// word answers no more of the request.
    fn add_words(
        &self,
        query: &SearchQuery,
        view: &VisibleStats,
        scores: &mut DocumentScores,
        trace: &mut impl ScoreTrace,
    ) -> (Vec<f32>, Vec<f32>) {
        let mut coverage = vec![0.0; self.lengths.len()];
        let mut all = 0.0;
        let mut terms: Vec<&QueryTerm> = query.words.iter().chain(&query.roots).collect();
        terms.sort_by_key(|term| term.word);
        // Made for the first word that needs it: it has the size of the registry.
        let mut gains: Option<WordGains> = None;
        for terms in terms.chunk_by(|one, next| one.word == next.word) {
            let mut requested = WordValue::default();
            // Most words have no synonyms, and need no comparison by document. Synonyms that only hidden
            // tools have do not count, as if those tools did not exist.
            let is_plain = terms
                .iter()
                .all(|term| term.kind != MatchKind::Synonym || self.value(term, view) == 0.0);
            if !is_plain && gains.is_none() {
                gains = Some(WordGains::new(self.lengths.len()));
            }
            let mut gains = gains.as_mut().filter(|_| !is_plain);
            for (number, term) in (0..).zip(terms) {
                let value = self.value(term, view);
                all += value;
                requested.add(term.kind, value);
                self.each_gain(term.id, value, view, |place, gain, postings| {
                    match &mut gains {
                        Some(gains) => {
                            gains.add(place, term.kind, number, gain, value, is_meant(postings));
                        }
                        None => {
                            scores.add(place, gain, value);
                            trace.add(term, postings, gain);
                        }
                    }
                    if let Some(coverage) = coverage.get_mut(place) {
                        *coverage += value;
                    }
                });
            }
            scores.requested += requested.value();
            if let Some(gains) = gains {
                self.trace_word(terms, gains, view, trace);
                gains.drain(|place, gain, weight| scores.add(place, gain, weight));
            }
        }
        let all = all.max(f32::MIN_POSITIVE);
        coverage.iter_mut().for_each(|part| *part /= all);
        let largest = gains.map_or_else(Vec::new, WordGains::into_largest);
        (coverage, largest)
    }

    /// Reports the gains that count for a word.
    fn trace_word<T: ScoreTrace>(
        &self,
        terms: &[&QueryTerm],
        gains: &WordGains,
        view: &VisibleStats,
        trace: &mut T,
    ) {
        if !T::LISTENS {
            return;
        }
        for (number, term) in (0..).zip(terms) {
            let value = self.value(term, view);
            self.each_gain(term.id, value, view, |place, gain, postings| {
                if gains.counts(place, term.kind, number) {
                    trace.add(term, postings, gain);
                }
            });
        }
    }

    /// Returns the weight of a term in the view: 0 if it does not occur.
    fn value(&self, term: &QueryTerm, view: &VisibleStats) -> f32 {
        let rarity = view.rarity(&self.postings, term.id);
        rarity.map_or(0.0, |rarity| term.weight * rarity.powf(RARITY))
    }

    /// Calls `take` with the place of each visible document with a term, what a term of this value is
    /// worth there, and its postings.
    fn each_gain(
        &self,
        term: TermId,
        value: f32,
        view: &VisibleStats,
        mut take: impl FnMut(usize, f32, &[Posting]),
    ) {
        for postings in self
            .postings
            .get(term)
            .chunk_by(|one, next| one.place == next.place)
        {
            let Some(place) = postings
                .first()
                .map(|posting| posting.place)
                .filter(|place| view.sees(*place))
            else {
                continue;
            };
            // BM25F: sum the weighted frequencies over the fields first, then saturate once. A word
            // in several fields thus counts less than two different words.
            let saturated = match postings {
                // Most words are in one field of a document. count / length, saturated, is then one
                // division instead of two. Divisions took a quarter of the time of this function.
                [posting] => {
                    let (count, length) = self.weighted_count(posting, view);
                    count / (SATURATION * length + count)
                }
                several => {
                    let frequency: f32 = several
                        .iter()
                        .map(|posting| self.frequency(posting, view))
                        .sum();
                    frequency / (SATURATION + frequency)
                }
            };
            take(
                place as usize,
                value * (SATURATION + 1.0) * saturated,
                postings,
            );
        }
    }

    /// Returns the weighted and length-normalized frequency of a word in a field.
    pub(super) fn frequency(&self, posting: &Posting, view: &VisibleStats) -> f32 {
        let (count, length) = self.weighted_count(posting, view);
        count / length
    }

    /// Returns the weighted number of occurrences of a word in a field, and the length of the field
    /// that it is divided by: 1 for a field of mean length.
    fn weighted_count(&self, posting: &Posting, view: &VisibleStats) -> (f32, f32) {
        let field = usize::from(posting.field);
        let words = self
            .lengths
            .get(posting.place as usize)
            .and_then(|lengths| lengths.get(field));
        let relative = words
            .zip(view.per_word.get(field))
            .map_or(1.0, |(words, per_word)| f32::from(*words) * per_word);
        let weight = WEIGHTS.get(field).copied().unwrap_or_default();
        let length = LENGTHS.get(field).copied().unwrap_or_default();
        (
            weight * f32::from(posting.count),
            1.0 - length + length * relative,
        )
    }

    fn boost_named(
        &self,
        query: &SearchQuery,
        view: &VisibleStats,
        scores: &mut DocumentScores,
        trace: &mut impl ScoreTrace,
    ) {
        let words = query.roots.iter();
        let words = words.filter(|term| term.kind == MatchKind::Word).count();
        // Names of contenders share words, and a caller who does not see all tools has their
        // rarities counted.
        let mut rarities = HashMap::new();
        for (place, _) in best(&scores.by_document, CONTENDERS) {
            let Some(name) = self.names.get(place) else {
                continue;
            };
            let mentioned = self.mentioned(name, query, view, &mut rarities);
            // Not exactly 1, because sums of floats are rounded. A name of one word is not
            // evidence: the word may be meant as a common one.
            if mentioned > 0.99 && name.len() > 1 {
                scores.named.push(place);
                if words == name.len() && query.unmet == 0.0 {
                    scores.called.push(place);
                }
            }
            if let Some(score) = scores.by_document.get_mut(place) {
                let factor = 1.0 + NAMED * mentioned;
                *score *= factor;
                trace.name(place, factor);
            }
        }
    }

    /// Returns the mentioned part of a name, from 0 to 1, with words weighted by rarity.
    fn mentioned(
        &self,
        name: &[TermId],
        query: &SearchQuery,
        view: &VisibleStats,
        rarities: &mut HashMap<TermId, f32>,
    ) -> f32 {
        let mut mentioned = 0.0;
        let mut all = 0.0;
        for term in name {
            let rarity = *rarities
                .entry(*term)
                .or_insert_with(|| view.rarity(&self.postings, *term).unwrap_or_default());
            let requested = query.roots.iter().find(|requested| requested.id == *term);
            all += rarity;
            mentioned += rarity * requested.map_or(0.0, |requested| requested.weight.min(1.0));
        }
        if all > 0.0 { mentioned / all } else { 0.0 }
    }
}
