//! The parsed request: terms of the index, each with its weight.

use super::{
    english, fuzzy,
    index::WordIndex,
    intent::ToolEffect,
    stem,
    thesaurus::{self, PhraseMatch},
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

/// The weight of a synonym of a word that does not occur, and of a word that tools use for a word of
/// everyday language. Tools have the latter in passing, if at all.
const SYNONYM_OF_UNKNOWN: f32 = 0.7;

/// The weight of the base form of an irregular word, instead of its root.
const BASE_FORM: f32 = 0.8;

/// The least weight of a word of everyday language. Some, such as `who`, say little by themselves.
const EVERYDAY_MIN: f32 = 0.3;

/// The number of telling words of a brief request.
const BRIEF_WORDS: f32 = 4.25;

/// The weight from which a word of a request is telling.
const TELLING_MIN: f32 = 0.5;

/// The weight of a word that tools use for a phrase of the request.
const PHRASE: f32 = 0.7;

/// The factor for the words of a phrase with another meaning: `get rid of` gets nothing.
const IN_PHRASE: f32 = 0.3;

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
    /// What the request wants to be done.
    pub(super) effect: ToolEffect,
    /// The number of telling words.
    pub(super) telling: usize,
    /// Whether a model scores the documents, too.
    pub(super) has_meaning: bool,
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
        let mut words = read(text);
        let plain = plain_words(beginning(text));
        let phrases = thesaurus::phrases(&plain);
        lower_in_phrases(&mut words, &plain, &phrases);
        let mut query = Self {
            effect: ToolEffect::of_request(&plain),
            telling: words.iter().filter(|word| word.is_telling()).count(),
            ..Self::default()
        };
        // A longer request has enough words of its own, and each word for another adds noise.
        let everyday = SYNONYM_OF_UNKNOWN * brevity(query.telling);
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
            query.add_everyday(word, everyday, index, term);
        }
        query.add_phrases(&words, &plain, &phrases, index);
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

    /// Adds the base form of an irregular word, and the words that tools use for a word of everyday
    /// language. `weight` is the weight of the latter.
    fn add_everyday<F: Fn(TermId) -> QueryTerm>(
        &mut self,
        word: &QueryWord,
        weight: f32,
        index: &WordIndex,
        term: impl Fn(f32, MatchKind) -> F,
    ) {
        let base = thesaurus::base_root(&word.text);
        let base_term = base.and_then(|base| index.roots.get(base));
        add_terms(
            &mut self.roots,
            base_term.map(term(word.weight * BASE_FORM, MatchKind::Synonym)),
        );
        let weight = weight * word.weight.max(EVERYDAY_MIN);
        let own = thesaurus::everyday(&word.root).iter();
        let words = own.chain(base.map_or(&[][..], thesaurus::everyday));
        add_terms(
            &mut self.roots,
            words
                .filter_map(|root| index.roots.get(root))
                .map(term(weight, MatchKind::Synonym)),
        );
    }

    /// Adds the words that tools use for the phrases of a request. `plain` has its plain words.
    fn add_phrases(
        &mut self,
        words: &[QueryWord],
        plain: &[String],
        phrases: &[PhraseMatch],
        index: &WordIndex,
    ) {
        for phrase in phrases {
            let start = phrase.words.first().and_then(|start| plain.get(*start));
            let word = words
                .iter()
                .position(|word| Some(&word.text) == start)
                .unwrap_or_default();
            // A phrase weighs the same in any words, because most of them say little by
            // themselves.
            let term = |id| QueryTerm {
                id,
                weight: PHRASE,
                word,
                kind: MatchKind::Synonym,
            };
            let meanings = phrase.meanings.iter();
            add_terms(
                &mut self.roots,
                meanings.filter_map(|root| index.roots.get(root)).map(term),
            );
        }
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

/// Lowers the weights of the words of phrases that mean something else.
fn lower_in_phrases(words: &mut [QueryWord], plain: &[String], phrases: &[PhraseMatch]) {
    let phrases = phrases.iter().filter(|phrase| !phrase.means_own_word);
    let covered: Vec<&String> = phrases
        .flat_map(|phrase| &phrase.words)
        .filter_map(|place| plain.get(*place))
        .collect();
    for word in words
        .iter_mut()
        .filter(|word| covered.contains(&&word.text))
    {
        word.weight *= IN_PHRASE;
    }
}

/// Returns how brief a request with so many telling words is: 1 up to a few, and less the more there
/// are.
fn brevity(telling: usize) -> f32 {
    (BRIEF_WORDS / telling.max(1) as f32).min(1.0)
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

impl QueryWord {
    fn is_telling(&self) -> bool {
        self.kind == WordKind::Plain && self.weight >= TELLING_MIN
    }
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
