//! Splits texts into words, to compare them regardless of case and punctuation.

/// Returns the words in lower case, without punctuation; `_` and `-` separate words, too.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
