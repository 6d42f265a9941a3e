//! What a request asks for: the index's terms, each with how much it counts.

use super::{
    english, fuzzy,
    index::Index,
    stem,
    tokenize::{self, Kind},
    visible_stats::View,
    vocabulary::Term,
};

/// How much of a request is read, in bytes; what follows costs nothing.
const READ_MAX: usize = 4_096;

/// How many different words are asked for.
const WORDS_MAX: usize = 128;

/// How many words that do not occur are guessed at.
const GUESSES_MAX: usize = 16;

/// How much the very form of a word counts beside its root.
const SAME_FORM: f32 = 0.5;

/// How much another verb for the same counts.
const AKIN: f32 = 0.3;

/// How much two neighbours written as one count.
const JOINED: f32 = 0.3;

/// How much an identifier in one counts beside its parts.
const WHOLE: f32 = 0.5;

/// How much one letter counts beside pairs of them.
const LETTER: f32 = 0.3;

/// The terms of a request, each once, in the order they were met.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) roots: Vec<(Term, f32)>,
    /// Apart from roots, for a word that is its root's only form shares its term.
    pub(super) words: Vec<(Term, f32)>,
    /// What counts for words that do not occur.
    pub(super) unmet: f32,
}

impl Query {
    pub(super) fn new(text: &str, index: &Index, view: &View) -> Self {
        let words = read(text);
        let mut query = Self::default();
        let mut guesses = 0..GUESSES_MAX;
        for word in &words {
            ask(&mut query.words, index.words.get(&word.text), word.weight * SAME_FORM);
            let root = index.roots.get(&word.root).filter(|root| view.sees_any(index.postings.of(*root)));
            ask(&mut query.roots, root, word.weight);
            if root.is_none() && word.kind == Kind::Plain {
                query.unmet += word.weight * (1.0 + SAME_FORM);
                if guesses.next().is_some() {
                    query.guess(word, index, view);
                }
            }
            let akin = english::akin(&word.root).filter_map(|root| index.roots.get(root));
            ask(&mut query.roots, akin, word.weight * AKIN);
        }
        ask(&mut query.roots, joined(&words).filter_map(|root| index.roots.get(&root)), JOINED);
        query
    }

    fn guess(&mut self, word: &Word, index: &Index, view: &View) {
        let meant = fuzzy::meant(&word.text, &word.root, index, view);
        for (term, likeness) in meant.roots {
            ask(&mut self.roots, [term], word.weight * likeness);
        }
        for (term, likeness) in meant.words {
            ask(&mut self.words, [term], word.weight * likeness);
        }
    }
}

/// Asks for terms; one asked for twice counts as the better of both.
fn ask(asked: &mut Vec<(Term, f32)>, terms: impl IntoIterator<Item = Term>, weight: f32) {
    for term in terms {
        match asked.iter_mut().find(|(known, _)| *known == term) {
            Some((_, known)) => *known = known.max(weight),
            None => asked.push((term, weight)),
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

/// The different words of a request, as far as it is read.
fn read(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    tokenize::each(beginning(text), &mut |word, kind| {
        if found.len() < WORDS_MAX && !found.iter().any(|known| known.text == word) {
            let mut root = String::new();
            stem::write(word, &mut root);
            let weight = english::weight(word) * of_kind(kind);
            found.push(Word { text: word.to_owned(), root, kind, weight });
        }
    });
    found
}

/// As much of a request as is read.
pub(super) fn beginning(text: &str) -> &str {
    let end = (0..=READ_MAX.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.split_at(end.unwrap_or(0)).0
}

fn of_kind(kind: Kind) -> f32 {
    match kind {
        Kind::Plain => 1.0,
        Kind::Whole => WHOLE,
        Kind::Letter => LETTER,
    }
}

/// The roots of neighbours written as one: who asks for `key vault` may mean `keyvault`.
fn joined(words: &[Word]) -> impl Iterator<Item = String> {
    let plain: Vec<_> = words.iter().filter(|word| word.kind == Kind::Plain).map(|word| word.text.as_str()).collect();
    let pairs: Vec<String> = plain.windows(2).map(<[&str]>::concat).collect();
    pairs.into_iter().map(|pair| {
        let mut root = String::new();
        stem::write(&pair, &mut root);
        root
    })
}
