//! Words in backticks, for errors.

/// Returns the words in backticks, with commas between them.
pub(super) fn in_ticks<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
