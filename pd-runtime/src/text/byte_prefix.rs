//! The beginning of a text, bounded in bytes.

/// Returns the longest beginning of a text that has at most `max` bytes.
pub(crate) fn byte_prefix(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    // A character has at most four bytes, so this takes at most four steps.
    (0..=max)
        .rev()
        .find_map(|end| text.get(..end))
        .unwrap_or_default()
}

/// Cuts a text to at most `max` bytes.
#[cfg(feature = "code")]
pub(crate) fn truncate(text: &mut String, max: usize) {
    text.truncate(byte_prefix(text, max).len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_stay_whole() {
        for (max, expected) in [
            (0, ""),
            (1, "a"),
            (2, "a"),
            (3, "aé"),
            (4, "aéb"),
            (9, "aéb"),
        ] {
            assert_eq!(byte_prefix("aéb", max), expected);
        }
    }
}
