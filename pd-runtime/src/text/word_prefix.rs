//! The beginning of a text, cut between words.

/// Returns the longest beginning of `text` with at most `max` characters, cut at a word if
/// possible.
pub(crate) fn cut_at_word(text: &str, max: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(max) else {
        return text;
    };
    let fits = text.get(..end).unwrap_or_default();
    if text
        .get(end..)
        .is_some_and(|rest| rest.starts_with(char::is_whitespace))
    {
        return fits.trim_end();
    }
    match fits.rfind(char::is_whitespace) {
        Some(space) if space > 0 => fits
            .get(..space)
            .unwrap_or(fits)
            .trim_end_matches([',', ';', ':', ' ', '-', '(']),
        _ => fits,
    }
}
