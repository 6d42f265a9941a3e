//! A parsed request: terms of the index with weights.

use super::{
    english, fuzzy,
    index::Index,
    stem,
    tokenize::{self, Kind},
    visible_stats::View,
    vocabulary::Term,
};

/// The maximum length of a request in bytes. The rest is ignored, so a long request costs no more.
const READ_MAX: usize = 4_096;

/// The maximum number of different words in a request.
const WORDS_MAX: usize = 128;

/// The maximum number of unknown words to guess at.
const GUESSES_MAX: usize = 16;

/// The weight of a word's exact form, relative to its root.
const SAME_FORM: f32 = 0.5;

/// The weight of a synonymous verb.
const SYNONYM: f32 = 0.3;

/// The weight of two adjacent words as one.
const JOINED: f32 = 0.3;

/// The weight of a whole identifier, relative to its parts.
const WHOLE: f32 = 0.5;

/// The weight of a single letter, relative to pairs of letters.
const LETTER: f32 = 0.3;

/// The terms of a request, each once, in order of occurrence.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) roots: Vec<(Term, f32)>,
    /// Separate from roots, because a word that is the only form of its root has the same term.
    pub(super) words: Vec<(Term, f32)>,
    /// The weight of words that do not occur.
    pub(super) unknown_weight: f32,
}

impl Query {
    pub(super) fn new(text: &str, index: &Index, view: &View) -> Self {
        let words = read(text);
        let mut query = Self::default();
        let mut guesses = 0..GUESSES_MAX;
        for word in &words {
            add_terms(&mut query.words, index.words.get(&word.text), word.weight * SAME_FORM);
            // A word that occurs only in hidden tools counts as unknown. Otherwise, its weight
            // would reveal that such a tool exists.
            let root = index.roots.get(&word.root).filter(|root| view.sees_any(index.postings.get(*root)));
            add_terms(&mut query.roots, root, word.weight);
            if root.is_none() && word.kind == Kind::Plain {
                // The same weight as that of a known word with its exact form, so that `answered`
                // compares equals.
                query.unknown_weight += word.weight * (1.0 + SAME_FORM);
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

    fn guess(&mut self, word: &Word, index: &Index, view: &View) {
        let guesses = fuzzy::guess(&word.text, &word.root, index, view);
        for (term, likeness) in guesses.roots {
            add_terms(&mut self.roots, [term], word.weight * likeness);
        }
        for (term, likeness) in guesses.words {
            add_terms(&mut self.words, [term], word.weight * likeness);
        }
    }
}

/// Adds terms with a weight. A term that is added twice keeps the higher weight.
fn add_terms(known_terms: &mut Vec<(Term, f32)>, terms: impl IntoIterator<Item = Term>, weight: f32) {
    for term in terms {
        match known_terms.iter_mut().find(|(known, _)| *known == term) {
            Some((_, known)) => *known = known.max(weight),
            None => known_terms.push((term, weight)),
        }
    }
}

/// A word of a request.
#[derive(Debug)]
struct Word {
    text: String,
    root: String,
    kind: Kind,
    weight: f32,
}

/// Returns the distinct words of a request, up to the limits.
fn read(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    tokenize::each(beginning(text), &mut |word, kind| {
        if words.len() < WORDS_MAX && !words.iter().any(|known| known.text == word) {
            let mut root = String::new();
            stem::write(word, &mut root);
            let weight = english::weight(word) * kind_weight(kind);
            words.push(Word { text: word.to_owned(), root, kind, weight });
        }
    });
    words
}

/// Returns the part of a request that is read.
pub(super) fn beginning(text: &str) -> &str {
    let end = (0..=READ_MAX.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.split_at(end.unwrap_or(0)).0
}

fn kind_weight(kind: Kind) -> f32 {
    match kind {
        Kind::Plain => 1.0,
        Kind::Whole => WHOLE,
        Kind::Letter => LETTER,
    }
}

/// Returns the roots of adjacent words joined, because a request for `key vault` may mean
/// `keyvault`.
fn joined(words: &[Word]) -> impl Iterator<Item = String> {
    let plain: Vec<_> = words.iter().filter(|word| word.kind == Kind::Plain).map(|word| word.text.as_str()).collect();
    let pairs: Vec<String> = plain.windows(2).map(<[&str]>::concat).collect();
    pairs.into_iter().map(|pair| {
        let mut root = String::new();
        stem::write(&pair, &mut root);
        root
    })
}
