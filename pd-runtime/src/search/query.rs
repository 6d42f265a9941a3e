//! The parsed request: terms of the index, each with its weight.

use super::{
    english, fuzzy,
    index::WordIndex,
    stem, thesaurus,
    tokenize::{self, WordKind},
    visible_stats::VisibleStats,
    vocabulary::TermId,
};
use crate::{registry::found_by::REQUEST_BYTES_MAX, text::truncate::first_bytes};

/// The limit on the number of different words.
const WORDS_MAX: usize = 128;

/// The limit on the number of unknown words for which guesses are made, because each guess scans a
/// part of the vocabulary.
const GUESSES_MAX: usize = 16;

/// The weight of the exact form of a word, in addition to its root.
const SAME_FORM: f32 = 0.5;

/// The weight of a synonym.
const SYNONYM: f32 = 0.3;

/// The weight of a synonym of a word that does not occur.
const SYNONYM_OF_UNKNOWN: f32 = 0.7;

/// The weight of a word that tools use for a phrase of the request.
const PHRASE: f32 = 0.5;

/// The weight of two neighboring words written as one.
const JOINED: f32 = 0.3;

/// The weight of a whole identifier, in addition to its parts.
const WHOLE: f32 = 0.5;

/// The weight of a single letter of a script without spaces, in addition to pairs.
const LETTER: f32 = 0.3;

/// The terms of a request, without duplicates, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct SearchQuery {
    pub(super) roots: Vec<QueryTerm>,
    /// The terms of exact words. Separate from `roots`, because a word that is its root's only form
    /// shares its term.
    pub(super) words: Vec<QueryTerm>,
    /// The total weight of words that do not occur.
    pub(super) unmet: f32,
}

/// A term of a request, and where it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueryTerm {
    pub(super) id: TermId,
    pub(super) weight: f32,
    /// The index of the word that it stands for.
    pub(super) word: usize,
    pub(super) kind: MatchKind,
}

/// The relation of a term to the word of the request that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum MatchKind {
    /// The word itself, or another form of it.
    Word,
    /// A synonym of a word, or a word for a phrase.
    Synonym,
    /// The word and the next one, written as one.
    Joined,
    /// A guess for a word that does not occur: a part of it, a similar word, or a typing error.
    Guess,
}

impl MatchKind {
    /// Returns the kind's name for authors.
    #[cfg(feature = "cli")]
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Synonym => "synonym",
            Self::Joined => "joined",
            Self::Guess => "guess",
        }
    }
}

impl SearchQuery {
    pub(super) fn new(text: &str, index: &WordIndex, view: &VisibleStats) -> Self {
        let words = read(text);
        let mut query = Self::default();
        let mut guesses = 0..GUESSES_MAX;
        for (place, word) in words.iter().enumerate() {
            let term = |weight, kind| {
                move |id| QueryTerm {
                    id,
                    weight,
                    word: place,
                    kind,
                }
            };
            // An exact form counts in addition to its root, so that `commits` prefers `commits` to
            // `commit`.
            let same = index
                .words
                .get(&word.text)
                .map(term(word.weight * SAME_FORM, MatchKind::Word));
            add_terms(&mut query.words, same);
            // A root that only hidden tools have counts as unknown, as if those tools did not
            // exist.
            let root = index
                .roots
                .get(&word.root)
                .filter(|root| view.sees_any(index.postings.get(*root)));
            add_terms(
                &mut query.roots,
                root.map(term(word.weight, MatchKind::Word)),
            );
            // An unknown word weighs as much as if it occurred with its exact form. It lowers the
            // part of the request that any document can answer.
            if root.is_none() && word.kind == WordKind::Plain {
                query.unmet += word.weight * (1.0 + SAME_FORM);
                if guesses.next().is_some() {
                    query.guess(place, word, index, view);
                }
            }
            let next = words.get(place + 1).map_or("", |next| next.text.as_str());
            let weight = if root.is_some() {
                SYNONYM
            } else {
                SYNONYM_OF_UNKNOWN
            };
            let synonyms = thesaurus::synonyms(&word.root)
                .iter()
                .filter_map(|root| index.roots.get(root));
            add_terms(
                &mut query.roots,
                synonyms.map(term(word.weight * weight, MatchKind::Synonym)),
            );
            // A phrase weighs the same in any words: `who` and `right now` consist of words that
            // say little by themselves.
            let phrases = thesaurus::phrases(&word.text, next);
            add_terms(
                &mut query.roots,
                phrases
                    .filter_map(|root| index.roots.get(root))
                    .map(term(PHRASE, MatchKind::Synonym)),
            );
        }
        let joined = joined(&words).filter_map(|(word, root)| {
            Some(QueryTerm {
                id: index.roots.get(&root)?,
                weight: JOINED,
                word,
                kind: MatchKind::Joined,
            })
        });
        add_terms(&mut query.roots, joined);
        query
    }

    fn guess(&mut self, place: usize, word: &QueryWord, index: &WordIndex, view: &VisibleStats) {
        let guesses = fuzzy::guess(&word.text, &word.root, index, view);
        let term = |(id, likeness)| QueryTerm {
            id,
            weight: word.weight * likeness,
            word: place,
            kind: MatchKind::Guess,
        };
        add_terms(&mut self.roots, guesses.roots.into_iter().map(term));
        add_terms(&mut self.words, guesses.words.into_iter().map(term));
    }
}

/// Adds terms. If a term is already present, the larger weight counts.
fn add_terms(query_terms: &mut Vec<QueryTerm>, terms: impl IntoIterator<Item = QueryTerm>) {
    for term in terms {
        match query_terms.iter_mut().find(|known| known.id == term.id) {
            Some(known) if known.weight < term.weight => *known = term,
            Some(_) => {}
            None => query_terms.push(term),
        }
    }
}

/// A word of a request.
#[derive(Debug)]
pub(super) struct QueryWord {
    pub(super) text: String,
    pub(super) root: String,
    pub(super) kind: WordKind,
    pub(super) weight: f32,
}

/// Splits the request into different words, up to the limits.
pub(super) fn read(text: &str) -> Vec<QueryWord> {
    // A linear search for duplicates is bounded by `WORDS_MAX`.
    let mut found: Vec<QueryWord> = Vec::new();
    tokenize::each(beginning(text), &mut |word, kind| {
        if found.len() < WORDS_MAX && !found.iter().any(|known| known.text == word) {
            let mut root = String::new();
            stem::write_root(word, &mut root);
            let weight = english::weight(word) * of_kind(kind);
            found.push(QueryWord {
                text: word.to_owned(),
                root,
                kind,
                weight,
            });
        }
    });
    found
}

/// Returns the plain words of a text in order, up to the limit.
pub(super) fn plain_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    tokenize::each(text, &mut |word, kind| {
        if kind == WordKind::Plain && found.len() < WORDS_MAX {
            found.push(word.to_owned());
        }
    });
    found
}

/// Returns the part of a request that is read. The rest costs no time.
pub(super) fn beginning(text: &str) -> &str {
    first_bytes(text, REQUEST_BYTES_MAX)
}

fn of_kind(kind: WordKind) -> f32 {
    match kind {
        WordKind::Plain => 1.0,
        WordKind::Whole => WHOLE,
        WordKind::Letter => LETTER,
    }
}

/// Returns the roots of neighboring words written as one, each with the index of its first word:
/// `key vault` may mean `keyvault`.
fn joined(words: &[QueryWord]) -> impl Iterator<Item = (usize, String)> {
    let plain: Vec<_> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.kind == WordKind::Plain)
        .collect();
    let pairs: Vec<_> = plain
        .windows(2)
        .filter_map(|pair| match pair {
            [(place, one), (_, next)] => {
                Some((*place, [one.text.as_str(), next.text.as_str()].concat()))
            }
            _ => None,
        })
        .collect();
    pairs.into_iter().map(|(place, pair)| {
        let mut root = String::new();
        stem::write_root(&pair, &mut root);
        (place, root)
    })
}
