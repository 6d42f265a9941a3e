//! How a change is put: texts and values, before and after.

use serde_json::Value;

/// The longest part of a text that is quoted, in characters.
const QUOTED: usize = 72;

/// `"…before" → "…after"`, from the word where they part.
pub(super) fn texts(old: &str, new: &str) -> String {
    let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>();
    let start = old.get(..same).and_then(|same| same.rfind(char::is_whitespace)).map_or(0, |space| space + 1);
    // A short beginning helps more than it costs.
    let start = if start < QUOTED / 3 { 0 } else { start };
    format!("{} → {}", quoted(old, start), quoted(new, start))
}

/// The text in quotes from byte `start`, in one line, cut.
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

/// A value as JSON, cut.
pub(super) fn value(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(QUOTED) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// What was said before and what is said now; `None` where neither says anything.
pub(super) fn turned(old: Option<String>, new: Option<String>) -> Option<String> {
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
        assert_eq!(texts("List tags", "List branches"), "\"List tags\" → \"List branches\"");
        let long = "It begins like this and goes on for some time before";
        assert_eq!(texts(&format!("{long} it ends."), &format!("{long} it äends.")), "\"…ends.\" → \"…äends.\"");
        assert_eq!(texts("ä", "ö"), "\"ä\" → \"ö\"");
        assert_eq!(texts("", "new"), "\"\" → \"new\"");
    }

    #[test]
    fn what_is_long_is_cut() {
        assert_eq!(text(&"x".repeat(90)).chars().count(), QUOTED + 3);
        assert_eq!(value(&"x".repeat(90).into()).chars().count(), QUOTED + 1);
    }
}
