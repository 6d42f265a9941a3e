//! Guesses for words that do not occur in the index: compounds, other word forms, and typing
//! errors.

use super::{index::WordIndex, stem, visible_stats::VisibleStats, vocabulary::TermId};
use crate::text::truncate::first_chars;

/// The limit on the number of guesses for one word.
const GUESSES_MAX: usize = 3;

/// The minimum length for a guess, in letters. Shorter words match too many others.
const GUESSED_MIN: usize = 4;

/// The weight of each part of a compound.
const PART: f32 = 0.6;

/// The weight of a word with the same beginning, multiplied by the matching part.
const SAME_BEGINNING: f32 = 0.35;

/// The minimum part of the longer word that must match.
const ALIKE_MIN: f32 = 0.6;

/// The weight of a word that differs by one typing error.
const TYPO: f32 = 0.4;

/// The terms that a word may mean, with their weights.
#[derive(Debug, Default)]
pub(super) struct FuzzyTerms {
    pub(super) roots: Vec<(TermId, f32)>,
    pub(super) words: Vec<(TermId, f32)>,
}

/// Guesses the meaning of a word from the terms that the view sees. A guess from a hidden tool
/// would reveal it.
pub(super) fn guess(word: &str, root: &str, index: &WordIndex, view: &VisibleStats) -> FuzzyTerms {
    let mut guesses = FuzzyTerms::default();
    if root.chars().count() < GUESSED_MIN {
        return guesses;
    }
    // From the most to the least reliable guess. Later kinds are tried only if earlier ones find
    // nothing.
    guesses.roots = parts(word, index, view);
    if guesses.roots.is_empty() {
        guesses.roots = same_beginning(root, index, view);
    }
    if guesses.roots.is_empty() {
        guesses.words = typos(word, index, view);
    }
    for terms in [&mut guesses.roots, &mut guesses.words] {
        terms.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        terms.truncate(GUESSES_MAX);
    }
    guesses
}

/// Splits a compound: `resourcegroup` if `resource` and `group` are known.
fn parts(word: &str, index: &WordIndex, view: &VisibleStats) -> Vec<(TermId, f32)> {
    // Both parts have at least three letters, because shorter ones occur in many words by accident.
    let cuts = word.char_indices().skip(3).map(|(at, _)| word.split_at(at));
    let parts = cuts.filter(|(_, end)| end.chars().nth(2).is_some());
    let known = |part: &str| visible(index.roots.get(&root_of(part)), index, view);
    let found = parts
        .filter_map(|(start, end)| Some([known(start)?, known(end)?]))
        .next();
    found
        .into_iter()
        .flatten()
        .map(|term| (term, PART))
        .collect()
}

fn root_of(word: &str) -> String {
    let mut root = String::new();
    stem::write_root(word, &mut root);
    root
}

fn visible(term: Option<TermId>, index: &WordIndex, view: &VisibleStats) -> Option<TermId> {
    term.filter(|term| view.sees_any(index.postings.get(*term)))
}

/// Finds words with the same beginning: `repo` if `reposi…` is known.
fn same_beginning(root: &str, index: &WordIndex, view: &VisibleStats) -> Vec<(TermId, f32)> {
    let length = root.chars().count();
    let beginning: String = first_chars(root, GUESSED_MIN).to_owned();
    let like = |known: &str| {
        let same = known
            .chars()
            .zip(root.chars())
            .take_while(|(one, other)| one == other)
            .count();
        same as f32 / length.max(known.chars().count()) as f32
    };
    let known = index
        .roots
        .beginning(&beginning)
        .map(|(known, term)| (term, like(known)));
    let alike = known
        .filter(|(term, like)| *like >= ALIKE_MIN && visible(Some(*term), index, view).is_some());
    alike
        .map(|(term, like)| (term, like * SAME_BEGINNING))
        .collect()
}

/// Finds words that differ by one typing error: `dashbaord` if `dashboard` is known. The first
/// letter is rarely wrong, so only words with the same one are compared.
fn typos(word: &str, index: &WordIndex, view: &VisibleStats) -> Vec<(TermId, f32)> {
    if word.chars().count() <= GUESSED_MIN {
        return Vec::new();
    }
    let first: String = first_chars(word, 1).to_owned();
    let known = index
        .words
        .beginning(&first)
        .filter(|(known, _)| is_typo(word, known));
    known
        .filter(|(_, term)| visible(Some(*term), index, view).is_some())
        .map(|(_, term)| (term, TYPO))
        .collect()
}

/// Returns whether two words differ by one inserted, removed or replaced letter, or by two swapped
/// neighbors.
fn is_typo(one: &str, other: &str) -> bool {
    // One letter has at most 4 bytes in UTF-8, so this rejects most words without counting letters.
    if one.len().abs_diff(other.len()) > 4 {
        return false;
    }
    let same = one
        .chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other)
        .count();
    // Without the common start and end, only the differing letters remain.
    let (one, other): (Vec<char>, Vec<char>) = (
        one.chars().skip(same).collect(),
        other.chars().skip(same).collect(),
    );
    let same = one
        .iter()
        .rev()
        .zip(other.iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    match (
        one.split_at(one.len() - same).0,
        other.split_at(other.len() - same).0,
    ) {
        ([a, b], [c, d]) => a == d && b == c,
        (one, other) => one.len() <= 1 && other.len() <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_one_letter_or_two_swapped() {
        for (word, slip) in [
            ("dashboard", "dashbaord"),
            ("commit", "comit"),
            ("issue", "isssue"),
        ] {
            assert!(is_typo(word, slip), "{slip}");
        }
        for (word, other) in [
            ("commit", "comment"),
            ("list", "fits"),
            ("delete", "deplete_"),
        ] {
            assert!(!is_typo(word, other), "{other}");
        }
    }
}
