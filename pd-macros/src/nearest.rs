//! Suggestions for unknown words: the nearest known word.
//!
//! The rule is the one in pd-schema's `suggest.rs`, so that the compiler and a server suggest
//! the same. A test of the sources compares the limits of both files.

/// Returns the known word with the fewest edits from `word`, and the first one of equals. Returns
/// `None` if every known word needs too many edits to be what was meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate));
    // A candidate that shares no letter with the word is at least as far away as it is long.
    let near = scored.filter(|(edits, candidate)| {
        *edits <= edits_allowed(word.len()) && *edits < candidate.len()
    });
    near.min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
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

/// Returns "; did you mean `x`?", or an empty string.
pub(crate) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known)
        .map(|meant| format!("; did you mean `{meant}`?"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_what_is_near() {
        assert_eq!(nearest("sumary", ["summary", "name"]), Some("summary"));
        assert_eq!(nearest("colour", ["summary", "name"]), None);
        assert_eq!(
            nearest("lgo", ["show", "log"]),
            Some("log"),
            "a swap is one edit"
        );
        assert_eq!(
            nearest("stat", ["stats", "start"]),
            Some("stats"),
            "the first of equals"
        );
        assert_eq!(
            nearest("a", ["b", "ab"]),
            None,
            "nothing of it would be left"
        );
        assert_eq!(nearest("ab", ["b"]), None, "and nothing of this");
    }
}
