//! Suggestions for unknown words: the nearest known word.

/// Returns the nearest of `known`, if the distance is small enough.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|candidate| (distance(word, candidate), candidate));
    // A candidate that shares no letter with the word is at least as far away as it is long.
    let near = scored.filter(|(distance, candidate)| *distance <= close(word) && *distance < candidate.chars().count());
    near.min().map(|(_, candidate)| candidate)
}

/// Returns the maximum number of edits for a word. The limit is lower than the word's length, so
/// part of the word must match.
fn close(word: &str) -> usize {
    match word.chars().count() {
        0..2 => 0,
        2..4 => 1,
        length => (length / 3).max(2),
    }
}

/// Returns "; did you mean `x`?", or an empty string.
pub(crate) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
}

/// Returns the number of edits between two words (Levenshtein distance).
pub(crate) fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (deleted, wanted) in from.chars().enumerate() {
        // One row of the matrix is enough: `diagonal` and `left` hold the two cells that the loop
        // overwrites.
        let mut diagonal = deleted;
        let mut left = deleted + 1;
        for (cell, have) in row.iter_mut().skip(1).zip(&to) {
            left = (diagonal + usize::from(wanted != *have)).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, left);
        }
        if let Some(first) = row.first_mut() {
            *first = deleted + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        for (from, to, edits) in [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("log", "log", 0)]
        {
            assert_eq!(distance(from, to), edits, "{from} to {to}");
        }
    }

    #[test]
    fn suggests_only_what_is_near() {
        assert_eq!(nearest("sumary", ["summary", "name"]), Some("summary"));
        assert_eq!(nearest("colour", ["summary", "name"]), None);
        assert_eq!(nearest("a", ["b", "ab"]), None, "nothing of it would be left");
        assert_eq!(nearest("ab", ["b"]), None, "and nothing of this");
    }
}
