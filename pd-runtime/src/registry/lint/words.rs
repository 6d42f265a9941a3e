//! Texts as words, to be compared whatever their case and marks are.

/// The words in lower case, without punctuation; `_` and `-` part words too.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}
