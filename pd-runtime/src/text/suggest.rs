//! Guessing which name was meant: by edits and shared words, `const`, to propose one; by likeness to rank many.

#![allow(clippy::indexing_slicing, reason = "the loops' conditions are the bounds; `get` and iterators are not const")]

mod words;

use words::Overlap;

/// The longest word compared, in bytes: names have at most 64, and comparing costs the product of lengths.
const WORD_MAX: usize = 64;

/// The one of `known` with the fewest edits from `word` (the first of equals), if they are so few that it may be what was
/// meant.
pub(crate) const fn nearest<'a>(word: &str, mut known: &[&'a str]) -> Option<&'a str> {
    let mut search = Search::new(word);
    while let [one, rest @ ..] = known {
        search = search.past(one);
        known = rest;
    }
    search.best
}

/// The tool that was probably meant: the nearest name, or else the shortest one that has all words of `word`.
pub(crate) const fn nearest_tool<'a>(word: &str, tools: &[&'a str]) -> Option<&'a str> {
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
        if is_shorter && Overlap::new(word, one).is_whole {
            shortest = Some(one);
        }
        rest = after;
    }
    shortest
}

/// The same, one candidate after another.
pub(crate) struct Search<'word, 'a> {
    word: &'word str,
    /// A better one has fewer edits than these.
    fewer_than: usize,
    /// The nearest so far.
    pub(crate) best: Option<&'a str>,
}

impl<'word, 'a> Search<'word, 'a> {
    pub(crate) const fn new(word: &'word str) -> Self {
        Self { word, fewer_than: edits_allowed(word.len()) + 1, best: None }
    }

    /// Where every letter is replaced, nothing says that it was meant.
    pub(crate) const fn past(self, one: &'a str) -> Self {
        let fewer_than = if one.len() < self.fewer_than { one.len() } else { self.fewer_than };
        let Some(within) = fewer_than.checked_sub(1) else { return self };
        match edits(self.word.as_bytes(), one.as_bytes(), within) {
            Some(edits) => Self { fewer_than: edits, best: Some(one), ..self },
            None => self,
        }
    }
}

/// How many slips a word of this length may hold and still be recognised: fewer than it has letters.
const fn edits_allowed(length: usize) -> usize {
    match length {
        0..2 => 0,
        2..4 => 1,
        4..9 => 2,
        9..12 => 3,
        _ => 4,
    }
}

/// Edits between two words (Levenshtein, of bytes), if there are at most `within`.
const fn edits(from: &[u8], to: &[u8], within: usize) -> Option<usize> {
    let (from, to) = without_common_beginning(from, to);
    if from.len() > WORD_MAX || to.len() > WORD_MAX || from.len().abs_diff(to.len()) > within {
        return None;
    }
    let mut row = first_row();
    let mut deleted = 0;
    while deleted < from.len() {
        let (mut diagonal, mut least) = (row[0], deleted + 1);
        row[0] = deleted + 1;
        let mut at = 0;
        while at < to.len() {
            let replaced = if from[deleted] == to[at] { diagonal } else { diagonal + 1 };
            diagonal = row[at + 1];
            let moved = if row[at] < diagonal { row[at] + 1 } else { diagonal + 1 };
            row[at + 1] = if replaced < moved { replaced } else { moved };
            least = if row[at + 1] < least { row[at + 1] } else { least };
            at += 1;
        }
        if least > within {
            return None;
        }
        deleted += 1;
    }
    if row[to.len()] <= within { Some(row[to.len()]) } else { None }
}

const fn without_common_beginning<'a>(mut one: &'a [u8], mut other: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    while let ([first, rest @ ..], [same, others @ ..]) = (one, other)
        && *first == *same
    {
        (one, other) = (rest, others);
    }
    (one, other)
}

/// What is inserted to make each beginning of the other word out of nothing: 0, 1, 2, …
const fn first_row() -> [usize; WORD_MAX + 1] {
    let mut row = [0; WORD_MAX + 1];
    let mut at = 0;
    while at < row.len() {
        row[at] = at;
        at += 1;
    }
    row
}

/// The `count` candidates most like `name`: first those that slips made of it, by their edits, then the rest by the words
/// that they share with it and by likeness; equals keep their order. One that has all words of the name comes behind one
/// slip and before two. A longer name than one can be is cut.
pub(crate) fn ranked<'a>(name: &str, candidates: impl Iterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let name = name.char_indices().nth(WORD_MAX).map_or(name, |(end, _)| name.get(..end).unwrap_or(name));
    let score = |one| {
        let overlap = Overlap::new(name, one);
        let slips = slips(name, one).saturating_mul(2);
        let distance = if overlap.is_whole { slips.min(3) } else { slips };
        (distance, overlap.letters, strsim::jaro_winkler(name, one), one)
    };
    let mut scored: Vec<_> = candidates.map(score).collect();
    scored.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(b.2.total_cmp(&a.2)));
    scored.into_iter().take(count).map(|(.., one)| one).collect()
}

/// Edits, of which two swapped letters are one; too many of them are no slip.
fn slips(name: &str, candidate: &str) -> usize {
    let edits = strsim::osa_distance(name, candidate);
    if edits <= edits_allowed(name.len()) { edits } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        for (from, to, count) in [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("lgo", "log", 2)]
        {
            assert_eq!(edits(from.as_bytes(), to.as_bytes(), 9), Some(count), "{from} to {to}");
            assert_eq!(edits(to.as_bytes(), from.as_bytes(), count), Some(count), "{to} to {from}");
            if count > 0 {
                assert_eq!(edits(from.as_bytes(), to.as_bytes(), count - 1), None, "{from} to {to}");
            }
        }
    }

    #[test]
    fn counts_as_strsim_does() {
        let words: Vec<String> = (0..300_u32).map(|seed| seed.wrapping_mul(2_654_435_761).to_string()).collect();
        for (one, other) in words.iter().zip(words.iter().skip(1)) {
            assert_eq!(edits(one.as_bytes(), other.as_bytes(), 64), Some(strsim::levenshtein(one, other)));
        }
    }

    #[test]
    fn ranks_slips_before_likeness() {
        assert_eq!(ranked("lgo", ["before", "gone", "log"].into_iter(), 2), ["log", "gone"]);
        let tools = ["log", "status", "list_branches", "list_commits"];
        assert_eq!(ranked("lst_commits", tools.into_iter(), 2), ["list_commits", "list_branches"]);
    }

    #[test]
    fn ranks_shared_words_before_likeness() {
        let tools = ["capsule", "caption", "cart_clear", "memory_capture", "memory_list"];
        assert_eq!(ranked("capture", tools.into_iter(), 1), ["memory_capture"]);
        assert!(ranked("saveMemory", tools.into_iter(), 2).iter().all(|near| near.starts_with("memory_")));
        assert_eq!(ranked("capsul", tools.into_iter(), 1), ["capsule"], "slips come first");
    }

    #[test]
    fn proposes_a_tool_that_has_all_words() {
        const NEAR: Option<&str> = nearest_tool("capture", &["caption_all", "memory_capture_all", "memory_capture"]);
        assert_eq!(NEAR, Some("memory_capture"));
        assert_eq!(nearest_tool("stauts", &["stauts_all", "status"]), Some("status"), "slips come first");
        assert_eq!(nearest_tool("get_notes", &["get_tags", "notes"]), None, "half of it is not what was meant");
        assert_eq!(nearest_tool(&"capture_".repeat(9), &["memory_capture"]), None);
    }

    #[test]
    fn proposes_only_what_is_near() {
        const NEAR: Option<&str> = nearest("stauts", &["search", "status", "state"]);
        assert_eq!(NEAR, Some("status"));
        assert_eq!(nearest("stat", &["stats", "start"]), Some("stats"), "the first of equals");
        assert_eq!(nearest("log", &["log_all", "show", "l"]), None);
        assert_eq!(nearest("log", &[]), None);
        assert_eq!(nearest("l", &[""]), None);
        assert_eq!(nearest("a", &["b", "ab"]), None, "nothing of it would be left");
        assert_eq!(nearest("ab", &["b"]), None, "and nothing of this");
        let long = "a".repeat(200);
        assert_eq!(nearest(&long, &["a"]), None);
    }
}
