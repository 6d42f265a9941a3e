//! What the author probably meant: the known word nearest to an unknown one.

/// The nearest of `known`, if it is near enough to be what was meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|candidate| (distance(word, candidate), candidate));
    let near = scored.filter(|(distance, candidate)| *distance <= close(word) && *distance < candidate.chars().count());
    near.min().map(|(_, candidate)| candidate)
}

/// How many slips a word may hold and still be recognised: fewer than it has letters.
fn close(word: &str) -> usize {
    match word.chars().count() {
        0..2 => 0,
        2..4 => 1,
        length => (length / 3).max(2),
    }
}

/// "; did you mean `x`?", or nothing.
pub(crate) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
}

/// Edits between two words (Levenshtein).
pub(crate) fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (deleted, wanted) in from.chars().enumerate() {
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
