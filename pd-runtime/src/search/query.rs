//! The parsed request: terms of the index, each with its weight.

use super::{
    english, fuzzy,
    index::WordIndex,
    stem,
    tokenize::{self, WordKind},
    visible_stats::VisibleStats,
    vocabulary::TermId,
};
use crate::text::byte_prefix::byte_prefix;

/// The limit on the part of a request that is read, in bytes. The rest costs no time.
const READ_MAX: usize = 4_096;

/// The limit on the number of different words.
const WORDS_MAX: usize = 128;

/// The limit on the number of unknown words for which guesses are made, because each guess scans a
/// part of the vocabulary.
const GUESSES_MAX: usize = 16;

/// The weight of the exact form of a word, in addition to its root.
const SAME_FORM: f32 = 0.5;

/// The weight of a synonym of a verb.
const SYNONYM: f32 = 0.3;

/// The weight of two neighboring words written as one.
const JOINED: f32 = 0.3;

/// The weight of a whole identifier, in addition to its parts.
const WHOLE: f32 = 0.5;

/// The weight of a single letter of a script without spaces, in addition to pairs.
const LETTER: f32 = 0.3;

/// The terms of a request, without duplicates, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct SearchQuery {
    pub(super) roots: Vec<(TermId, f32)>,
    /// The terms of exact words. Separate from `roots`, because a word that is its root's only form
    /// shares its term.
    pub(super) words: Vec<(TermId, f32)>,
    /// The total weight of words that do not occur.
    pub(super) unmet: f32,
}

impl SearchQuery {
    pub(super) fn new(text: &str, index: &WordIndex, view: &VisibleStats) -> Self {
        let words = read(text);
        let mut query = Self::default();
        let mut guesses = 0..GUESSES_MAX;
        for word in &words {
            add_terms(&mut query.words, index.words.get(&word.text), word.weight * SAME_FORM);
            let root = index.roots.get(&word.root).filter(|root| view.sees_any(index.postings.get(*root)));
            add_terms(&mut query.roots, root, word.weight);
            // An unknown word weighs as much as if it occurred with its exact form. It lowers the
            // part of the request that any document can answer.
            if root.is_none() && word.kind == WordKind::Plain {
                query.unmet += word.weight * (1.0 + SAME_FORM);
                if guesses.next().is_some() {
                    query.guess(word, index, view);
                }
            }
            let synonyms = english::synonyms(&word.root).filter_map(|root| index.roots.get(root));
            add_terms(&mut query.roots, synonyms, word.weight * SYNONYM);
        }
        add_terms(&mut query.roots, joined(&words).filter_map(|root| index.roots.get(&root)), JOINED);
        query
    }

    fn guess(&mut self, word: &QueryWord, index: &WordIndex, view: &VisibleStats) {
        let guesses = fuzzy::guess(&word.text, &word.root, index, view);
        for (term, likeness) in guesses.roots {
            add_terms(&mut self.roots, [term], word.weight * likeness);
        }
        for (term, likeness) in guesses.words {
            add_terms(&mut self.words, [term], word.weight * likeness);
        }
    }
}

/// Adds terms. If a term is already present, the larger weight counts.
fn add_terms(query_terms: &mut Vec<(TermId, f32)>, terms: impl IntoIterator<Item = TermId>, weight: f32) {
    for term in terms {
        match query_terms.iter_mut().find(|(known, _)| *known == term) {
            Some((_, known)) => *known = known.max(weight),
            None => query_terms.push((term, weight)),
        }
    }
}

/// A word of a request.
#[derive(Debug)]
struct QueryWord {
    text: String,
    root: String,
    kind: WordKind,
    weight: f32,
}

/// Splits the request into different words, up to the limits.
fn read(text: &str) -> Vec<QueryWord> {
    let mut found: Vec<QueryWord> = Vec::new();
    tokenize::each(beginning(text), &mut |word, kind| {
        if found.len() < WORDS_MAX && !found.iter().any(|known| known.text == word) {
            let mut root = String::new();
            stem::write_root(word, &mut root);
            let weight = english::weight(word) * of_kind(kind);
            found.push(QueryWord { text: word.to_owned(), root, kind, weight });
        }
    });
    found
}

/// Returns the part of a request that is read.
pub(super) fn beginning(text: &str) -> &str {
    byte_prefix(text, READ_MAX)
}

fn of_kind(kind: WordKind) -> f32 {
    match kind {
        WordKind::Plain => 1.0,
        WordKind::Whole => WHOLE,
        WordKind::Letter => LETTER,
    }
}

/// Returns the roots of neighboring words written as one: `key vault` may mean `keyvault`.
fn joined(words: &[QueryWord]) -> impl Iterator<Item = String> {
    let plain: Vec<_> =
        words.iter().filter(|word| word.kind == WordKind::Plain).map(|word| word.text.as_str()).collect();
    let pairs: Vec<String> = plain.windows(2).map(<[&str]>::concat).collect();
    pairs.into_iter().map(|pair| {
        let mut root = String::new();
        stem::write_root(&pair, &mut root);
        root
    })
}
