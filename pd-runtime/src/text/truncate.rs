//! The beginning of a text, bounded in characters or bytes. No character is cut.

/// Returns the first `max` characters of a text.
pub fn first_chars(text: &str, max: usize) -> &str {
    text.char_indices()
        .nth(max)
        .and_then(|(end, _)| text.get(..end))
        .unwrap_or(text)
}

/// Returns a text of at most `max` characters, and `…` in the place of further ones.
pub fn with_ellipsis(text: &str, max: usize) -> String {
    let beginning = first_chars(text, max);
    let mark = if beginning.len() < text.len() {
        "…"
    } else {
        ""
    };
    format!("{beginning}{mark}")
}

/// Returns the longest beginning of `text` with at most `max` characters, cut at a word if
/// possible.
pub(crate) fn cut_at_word(text: &str, max: usize) -> &str {
    let fits = first_chars(text, max);
    match text.get(fits.len()..).and_then(|rest| rest.chars().next()) {
        None => return text,
        Some(next) if next.is_whitespace() => return fits.trim_end(),
        Some(_) => {}
    }
    match fits.rfind(char::is_whitespace) {
        Some(space) if space > 0 => fits
            .get(..space)
            .unwrap_or(fits)
            // Such marks lead to words that were cut.
            .trim_end_matches([',', ';', ':', ' ', '-', '(']),
        _ => fits,
    }
}

/// Returns the longest beginning of a text that has at most `max` bytes.
pub fn first_bytes(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    // A character has at most four bytes, so this takes at most four steps.
    (0..=max)
        .rev()
        .find_map(|end| text.get(..end))
        .unwrap_or_default()
}

/// Truncates a text to at most `max` bytes.
pub fn truncate_bytes(text: &mut String, max: usize) {
    text.truncate(first_bytes(text, max).len());
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
            assert_eq!(first_bytes("aéb", max), expected);
        }
        for (max, expected, marked) in [
            (0, "", "…"),
            (1, "a", "a…"),
            (2, "aé", "aé…"),
            (3, "aéb", "aéb"),
            (9, "aéb", "aéb"),
        ] {
            assert_eq!(first_chars("aéb", max), expected);
            assert_eq!(with_ellipsis("aéb", max), marked);
        }
    }
}
