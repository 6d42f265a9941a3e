//! Guesses for a word that does not occur: a compound of two words, another form, or a typo.

use super::{index::Index, stem, visible_stats::View, vocabulary::Term};

/// The maximum number of terms that one word may mean.
const MEANT_MAX: usize = 3;

/// The minimum length of a word to guess at, in letters. A shorter word resembles too many others.
const GUESSED_MIN: usize = 4;

/// The weight of each part of a compound.
const PART: f32 = 0.6;

/// The weight of a word with the same beginning, multiplied by the common share of letters.
const SAME_BEGINNING: f32 = 0.35;

/// The minimum common share of letters, relative to the longer word.
const ALIKE_MIN: f32 = 0.6;

/// The weight of a word with one typo.
const SLIP: f32 = 0.4;

/// The terms that a word may mean, with weights.
#[derive(Debug, Default)]
pub(super) struct Meant {
    pub(super) roots: Vec<(Term, f32)>,
    pub(super) words: Vec<(Term, f32)>,
}

/// Returns the terms that a word may mean, among those in visible documents.
pub(super) fn guess(word: &str, root: &str, index: &Index, view: &View) -> Meant {
    let mut guesses = Meant::default();
    // The kinds of guesses are tried from the safest to the riskiest, and the first kind with a
    // result wins.
    if root.chars().count() < GUESSED_MIN {
        return guesses;
    }
    guesses.roots = parts(word, index, view);
    if guesses.roots.is_empty() {
        guesses.roots = same_beginning(root, index, view);
    }
    if guesses.roots.is_empty() {
        guesses.words = slips(word, index, view);
    }
    for terms in [&mut guesses.roots, &mut guesses.words] {
        terms.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        terms.truncate(MEANT_MAX);
    }
    guesses
}

/// Splits `resourcegroup` if `resource` and `group` are known.
fn parts(word: &str, index: &Index, view: &View) -> Vec<(Term, f32)> {
    // Both parts have at least three letters, or every word would split into fragments.
    let cuts = word.char_indices().skip(3).map(|(at, _)| word.split_at(at));
    let parts = cuts.filter(|(_, end)| end.chars().nth(2).is_some());
    let known = |part: &str| visible(index.roots.get(&root_of(part)), index, view);
    let split = parts.filter_map(|(start, end)| Some([known(start)?, known(end)?])).next();
    split.into_iter().flatten().map(|term| (term, PART)).collect()
}

fn root_of(word: &str) -> String {
    let mut root = String::new();
    stem::write(word, &mut root);
    root
}

fn visible(term: Option<Term>, index: &Index, view: &View) -> Option<Term> {
    term.filter(|term| view.sees_any(index.postings.get(*term)))
}

/// Finds `reposi…` for `repo`.
fn same_beginning(root: &str, index: &Index, view: &View) -> Vec<(Term, f32)> {
    let length = root.chars().count();
    let beginning: String = root.chars().take(GUESSED_MIN).collect();
    let like = |known: &str| {
        let same = known.chars().zip(root.chars()).take_while(|(one, other)| one == other).count();
        same as f32 / length.max(known.chars().count()) as f32
    };
    let known = index.roots.beginning(&beginning).map(|(known, term)| (term, like(known)));
    let alike = known.filter(|(term, like)| *like >= ALIKE_MIN && visible(Some(*term), index, view).is_some());
    alike.map(|(term, like)| (term, like * SAME_BEGINNING)).collect()
}

/// Finds `dashboard` for `dashbaord`. The first letter is assumed to be right, because typos rarely
/// affect it.
fn slips(word: &str, index: &Index, view: &View) -> Vec<(Term, f32)> {
    if word.chars().count() <= GUESSED_MIN {
        return Vec::new();
    }
    let first: String = word.chars().take(1).collect();
    let known = index.words.beginning(&first).filter(|(known, _)| is_slip(word, known));
    known.filter(|(_, term)| visible(Some(*term), index, view).is_some()).map(|(_, term)| (term, SLIP)).collect()
}

/// Returns whether the words differ by one inserted, removed or replaced letter, or by two swapped
/// neighbors.
fn is_slip(one: &str, other: &str) -> bool {
    // One edit changes the length by one letter, which is at most four bytes in UTF-8.
    if one.len().abs_diff(other.len()) > 4 {
        return false;
    }
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().skip(same).collect(), other.chars().skip(same).collect());
    let same = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    match (one.split_at(one.len() - same).0, other.split_at(other.len() - same).0) {
        ([a, b], [c, d]) => a == d && b == c,
        (one, other) => one.len() <= 1 && other.len() <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_one_letter_or_two_swapped() {
        for (word, slip) in [("dashboard", "dashbaord"), ("commit", "comit"), ("issue", "isssue")] {
            assert!(is_slip(word, slip), "{slip}");
        }
        for (word, other) in [("commit", "comment"), ("list", "fits"), ("delete", "deplete_")] {
            assert!(!is_slip(word, other), "{other}");
        }
    }
}
