//! Suggestions for misspelled names. Edits and shared words select one name in const functions, and
//! similarity ranks many names at run time.
//!
//! One rule decides whether a name is near, here and in pd-macros' `nearest.rs`. Edits are counted
//! as `strsim::osa_distance` counts them: a letter that is inserted, deleted or replaced is one
//! edit, and so is a swap of two neighbors. A name is near if its edits are at most
//! `edits_allowed` for the length of the misspelled word, and fewer than the name has letters.

#![allow(
    clippy::indexing_slicing,
    reason = "the loops' conditions are the bounds; `get` and iterators are not const"
)]

mod words;

use words::WordOverlap;

/// The longest word that is compared, in bytes. Tool names have at most 64, and a comparison costs
/// the product of both lengths.
const WORD_MAX: usize = 64;

/// Returns the name in `known` with the fewest edits from `word`, and the first one of equals.
/// Returns `None` if every name needs too many edits to be what was meant.
pub const fn nearest<'a>(word: &str, mut known: &[&'a str]) -> Option<&'a str> {
    let mut search = NearestSearch::new(word);
    while let [one, rest @ ..] = known {
        search = search.consider(one);
        known = rest;
    }
    search.best
}

/// Returns the tool that was probably meant: the nearest name, or the shortest name that contains
/// all words of `word`.
pub const fn nearest_tool<'a>(word: &str, tools: &[&'a str]) -> Option<&'a str> {
    let near = nearest(word, tools);
    if near.is_some() || word.len() > WORD_MAX {
        return near;
    }
    let mut shortest: Option<&'a str> = None;
    let mut rest = tools;
    while let [one, after @ ..] = rest {
        let is_shorter = match shortest {
            Some(other) => one.len() < other.len(),
            None => true,
        };
        if is_shorter && WordOverlap::new(word, one).is_whole {
            shortest = Some(one);
        }
        rest = after;
    }
    shortest
}

/// The search of [`nearest`], one candidate at a time.
#[derive(Debug)]
pub struct NearestSearch<'word, 'a> {
    word: &'word str,
    /// The next match must have fewer edits than this.
    fewer_than: usize,
    /// The nearest name so far.
    pub best: Option<&'a str>,
}

impl<'word, 'a> NearestSearch<'word, 'a> {
    pub const fn new(word: &'word str) -> Self {
        Self {
            word,
            fewer_than: edits_allowed(word.len()) + 1,
            best: None,
        }
    }

    /// Compares the next candidate. A candidate that would be replaced letter by letter is never a
    /// match.
    pub const fn consider(self, one: &'a str) -> Self {
        // Fewer edits than `one` has letters, so that at least one letter of it is unchanged.
        let fewer_than = if one.len() < self.fewer_than {
            one.len()
        } else {
            self.fewer_than
        };
        let Some(within) = fewer_than.checked_sub(1) else {
            return self;
        };
        match edits(self.word.as_bytes(), one.as_bytes(), within) {
            Some(edits) => Self {
                fewer_than: edits,
                best: Some(one),
                ..self
            },
            None => self,
        }
    }
}

/// Returns the number of edits up to which a word of this length is still recognizable. It is less
/// than the length.
const fn edits_allowed(length: usize) -> usize {
    match length {
        0..2 => 0,
        2..4 => 1,
        4..9 => 2,
        9..12 => 3,
        _ => 4,
    }
}

/// Returns the number of edits between two words, or `None` if it exceeds `within`. strsim counts
/// the same in characters, but its functions are not const. This function counts bytes.
const fn edits(from: &[u8], to: &[u8], within: usize) -> Option<usize> {
    // A common prefix costs no edits, and dropping it saves steps of const evaluation.
    let (from, to) = without_common_beginning(from, to);
    // The distance is at least the difference of the lengths.
    if from.len() > WORD_MAX || to.len() > WORD_MAX || from.len().abs_diff(to.len()) > within {
        return None;
    }
    // Three rows of the distance matrix are enough: a swap looks back by two.
    let mut before = first_row();
    let mut above = first_row();
    let mut deleted = 0;
    while deleted < from.len() {
        let row = next_row(from, to, deleted, &before, &above);
        // The smallest value of a row never decreases from row to row, so no later row can be
        // within the limit.
        if least(&row, to.len()) > within {
            return None;
        }
        (before, above) = (above, row);
        deleted += 1;
    }
    if above[to.len()] <= within {
        Some(above[to.len()])
    } else {
        None
    }
}

/// A row of the distance matrix: the distances of a beginning of one word to each beginning of the
/// other word.
type DistanceRow = [usize; WORD_MAX + 1];

/// Computes the row of the first `deleted + 1` letters from the two rows before.
const fn next_row(
    from: &[u8],
    to: &[u8],
    deleted: usize,
    before: &DistanceRow,
    above: &DistanceRow,
) -> DistanceRow {
    let mut row = [deleted + 1; WORD_MAX + 1];
    let mut at = 0;
    while at < to.len() {
        let replaced = if from[deleted] == to[at] {
            above[at]
        } else {
            above[at] + 1
        };
        let moved = if row[at] < above[at + 1] {
            row[at] + 1
        } else {
            above[at + 1] + 1
        };
        row[at + 1] = if replaced < moved { replaced } else { moved };
        if deleted > 0 && at > 0 && from[deleted] == to[at - 1] && from[deleted - 1] == to[at] {
            let swapped = before[at - 1] + 1;
            row[at + 1] = if swapped < row[at + 1] {
                swapped
            } else {
                row[at + 1]
            };
        }
        at += 1;
    }
    row
}

const fn least(row: &DistanceRow, last: usize) -> usize {
    let mut least = row[0];
    let mut at = 0;
    while at < last {
        at += 1;
        least = if row[at] < least { row[at] } else { least };
    }
    least
}

const fn without_common_beginning<'a>(
    mut one: &'a [u8],
    mut other: &'a [u8],
) -> (&'a [u8], &'a [u8]) {
    while let ([first, rest @ ..], [same, others @ ..]) = (one, other)
        && *first == *same
    {
        (one, other) = (rest, others);
    }
    (one, other)
}

/// Returns the distances of the empty word to each prefix of the other word: 0, 1, 2, …
const fn first_row() -> DistanceRow {
    let mut row = [0; WORD_MAX + 1];
    let mut at = 0;
    while at < row.len() {
        row[at] = at;
        at += 1;
    }
    row
}

/// Returns the `count` candidates that are most similar to `name`. Candidates that differ by a few
/// slips come first, by the number of slips. The others follow by the letters in words that they
/// share with the name, and then by Jaro-Winkler similarity. Equal candidates keep their order. A
/// candidate that contains all words of the name ranks behind one slip and before two. A name that
/// is longer than any tool name is cut.
pub fn rank<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    rank_all(name, &candidates.collect::<Vec<_>>(), count)
}

/// Not generic, so that the sort is compiled once.
fn rank_all<'a>(name: &str, candidates: &[&'a str], count: usize) -> Vec<&'a str> {
    let name = name
        .char_indices()
        .nth(WORD_MAX)
        .map_or(name, |(end, _)| name.get(..end).unwrap_or(name));
    let score = |one: &&'a str| {
        let one = *one;
        let overlap = WordOverlap::new(name, one);
        // Twice the slips leaves room for 3: a candidate with all words ranks between one slip (2)
        // and two (4).
        let slips = slips(name, one).saturating_mul(2);
        let distance = if overlap.is_whole {
            slips.min(3)
        } else {
            slips
        };
        (
            distance,
            overlap.letters,
            strsim::jaro_winkler(name, one),
            one,
        )
    };
    let mut scored: Vec<_> = candidates.iter().map(score).collect();
    scored.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(b.2.total_cmp(&a.2)));
    scored
        .into_iter()
        .take(count)
        .map(|(.., one)| one)
        .collect()
}

/// Returns the number of edits to a near name. Too many edits are not slips and return
/// `usize::MAX`.
fn slips(name: &str, candidate: &str) -> usize {
    let edits = strsim::osa_distance(name, candidate);
    if edits <= edits_allowed(name.len()) && edits < candidate.len() {
        edits
    } else {
        usize::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        for (from, to, count) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
            ("lgo", "log", 1),
        ] {
            assert_eq!(
                edits(from.as_bytes(), to.as_bytes(), 9),
                Some(count),
                "{from} to {to}"
            );
            assert_eq!(
                edits(to.as_bytes(), from.as_bytes(), count),
                Some(count),
                "{to} to {from}"
            );
            if count > 0 {
                assert_eq!(
                    edits(from.as_bytes(), to.as_bytes(), count - 1),
                    None,
                    "{from} to {to}"
                );
            }
        }
    }

    #[test]
    fn counts_as_strsim_does() {
        let words: Vec<String> = (0..300_u32)
            .map(|seed| seed.wrapping_mul(2_654_435_761).to_string())
            .collect();
        for (one, other) in words
            .iter()
            .flat_map(|one| words.iter().map(move |other| (one, other)))
        {
            assert_eq!(
                edits(one.as_bytes(), other.as_bytes(), 64),
                Some(strsim::osa_distance(one, other))
            );
        }
    }

    #[test]
    fn ranks_slips_before_likeness() {
        assert_eq!(
            rank("lgo", ["before", "gone", "log"].into_iter(), 2),
            ["log", "gone"]
        );
        let tools = ["log", "status", "list_branches", "list_commits"];
        assert_eq!(
            rank("lst_commits", tools.into_iter(), 2),
            ["list_commits", "list_branches"]
        );
    }

    #[test]
    fn ranks_shared_words_before_likeness() {
        let tools = [
            "capsule",
            "caption",
            "cart_clear",
            "memory_capture",
            "memory_list",
        ];
        assert_eq!(rank("capture", tools.into_iter(), 1), ["memory_capture"]);
        assert!(
            rank("saveMemory", tools.into_iter(), 2)
                .iter()
                .all(|near| near.starts_with("memory_"))
        );
        assert_eq!(
            rank("capsul", tools.into_iter(), 1),
            ["capsule"],
            "slips come first"
        );
    }

    #[test]
    fn proposes_a_tool_that_has_all_words() {
        const NEAR: Option<&str> = nearest_tool(
            "capture",
            &["caption_all", "memory_capture_all", "memory_capture"],
        );
        assert_eq!(NEAR, Some("memory_capture"));
        assert_eq!(
            nearest_tool("stauts", &["stauts_all", "status"]),
            Some("status"),
            "slips come first"
        );
        assert_eq!(
            nearest_tool("get_notes", &["get_tags", "notes"]),
            None,
            "half of it is not what was meant"
        );
        assert_eq!(
            nearest_tool(&"capture_".repeat(9), &["memory_capture"]),
            None
        );
    }

    #[test]
    fn proposes_only_what_is_near() {
        const NEAR: Option<&str> = nearest("stauts", &["search", "status", "state"]);
        assert_eq!(NEAR, Some("status"));
        assert_eq!(
            nearest("stat", &["stats", "start"]),
            Some("stats"),
            "the first of equals"
        );
        assert_eq!(nearest("log", &["log_all", "show", "l"]), None);
        assert_eq!(
            nearest("lgo", &["show", "log"]),
            Some("log"),
            "a swap is one edit"
        );
        assert_eq!(nearest("log", &[]), None);
        assert_eq!(nearest("l", &[""]), None);
        assert_eq!(
            nearest("a", &["b", "ab"]),
            None,
            "nothing of it would be left"
        );
        assert_eq!(nearest("ab", &["b"]), None, "and nothing of this");
        let long = "a".repeat(200);
        assert_eq!(nearest(&long, &["a"]), None);
    }
}
