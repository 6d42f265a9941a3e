//! Renders changes of texts and values, before and after.

use serde_json::Value;

/// The maximum length of a quotation, in characters.
const QUOTED: usize = 72;

/// Renders `"…before" → "…after"`, from the word where the texts differ.
pub(super) fn texts(old: &str, new: &str) -> String {
    let same = old
        .chars()
        .zip(new.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum::<usize>();
    // From the start of the word, or a reader would see parts of words.
    let start = old
        .get(..same)
        .and_then(|same| same.rfind(char::is_whitespace))
        .map_or(0, |space| space + 1);
    // An equal beginning of less than a third of the quotation is kept: the context helps, and the
    // difference still fits.
    let start = if start < QUOTED / 3 { 0 } else { start };
    format!("{} → {}", quoted(old, start), quoted(new, start))
}

/// Quotes a text from byte `start`, in one line, cut to the maximum.
fn quoted(text: &str, start: usize) -> String {
    let line = text.get(start..).unwrap_or(text).replace('\n', " ");
    let before = if start > 0 { "…" } else { "" };
    match line.char_indices().nth(QUOTED) {
        None => format!("\"{before}{line}\""),
        Some((end, _)) => format!("\"{before}{}…\"", line.get(..end).unwrap_or_default()),
    }
}

pub(super) fn text(text: &str) -> String {
    quoted(text, 0)
}

/// Renders a value as JSON, cut to the maximum.
pub(super) fn value(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(QUOTED) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Renders a change from `old` to `new`. Returns `None` if both are missing.
pub(super) fn change(old: Option<String>, new: Option<String>) -> Option<String> {
    match (old, new) {
        (None, None) => None,
        (None, Some(new)) => Some(format!("now {new}")),
        (Some(old), None) => Some(format!("no longer {old}")),
        (Some(old), Some(new)) => Some(format!("{old} → {new}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_part_at_a_word() {
        assert_eq!(
            texts("List tags", "List branches"),
            "\"List tags\" → \"List branches\""
        );
        let long = "It begins like this and goes on for some time before";
        assert_eq!(
            texts(&format!("{long} it ends."), &format!("{long} it äends.")),
            "\"…ends.\" → \"…äends.\""
        );
        assert_eq!(texts("ä", "ö"), "\"ä\" → \"ö\"");
        assert_eq!(texts("", "new"), "\"\" → \"new\"");
    }

    #[test]
    fn what_is_long_is_cut() {
        assert_eq!(text(&"x".repeat(90)).chars().count(), QUOTED + 3);
        assert_eq!(value(&"x".repeat(90).into()).chars().count(), QUOTED + 1);
    }
}
