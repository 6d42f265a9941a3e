//! Text from strangers, made fit to print. Tool names, descriptions, results and files may contain
//! characters that a terminal obeys or that reorder what a reader sees. The command line and its
//! log print such text through this module only.
//!
//! [`is_obeyed`] is the one table of these characters. Which characters have no visible form, and
//! so can hide words from a reader, is another question.

use std::{
    borrow::Cow,
    fmt::{self, Write},
};

/// Whether a terminal may act on the character, or a reader sees other text than is there: control
/// characters (C0, DEL, C1), bidirectional controls, and the separators that end a line or a
/// paragraph.
pub(crate) const fn is_obeyed(letter: char) -> bool {
    letter.is_ascii_control()
        || matches!(letter, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}')
        || turns_direction(letter)
}

/// Whether the character changes the direction of the text behind it: the bidirectional marks,
/// embeddings, overrides and isolates (Unicode UAX #9).
pub(crate) const fn turns_direction(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text on one line: every character of the table is escaped, as in `\n` and `\u{1b}`.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// A text of several lines: newlines and tabs stay, and every other character of the table is
/// escaped. `\r\n` becomes `\n`.
#[cfg(feature = "cli")]
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        return Cow::Owned(lines(&text.replace("\r\n", "\n")).into_owned());
    }
    escaped(text, |letter| matches!(letter, '\n' | '\t'))
}

/// A JSON text with the same value, in which the characters that serializers leave as they are
/// stand as `\u009b`. Outside of strings JSON has none of them but white space.
#[cfg(feature = "cli")]
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    let is_layout = |letter| matches!(letter, '\n' | '\t' | '\r');
    replaced(text, is_layout, |letter, out| write!(out, "\\u{:04x}", u32::from(letter)))
}

/// A text as [`json`] has it if it is JSON, and as [`lines`] has it otherwise.
#[cfg(feature = "cli")]
pub(crate) fn json_or_lines(text: &str) -> Cow<'_, str> {
    let is_json = text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if is_json { json(text) } else { lines(text) }
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    replaced(text, stays, |letter, out| write!(out, "{}", letter.escape_default()))
}

/// The text with each character of the table replaced, unless it stays.
fn replaced(
    text: &str,
    stays: impl Fn(char) -> bool,
    replace: impl Fn(char, &mut String) -> fmt::Result,
) -> Cow<'_, str> {
    let is_replaced = |letter: char| is_obeyed(letter) && !stays(letter);
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_replaced(letter) {
            // A `String` takes everything.
            let _ = replace(letter, &mut out);
        } else {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Every character of the table, one by one.
    fn table() -> impl Iterator<Item = char> {
        (0..=0x2fff).filter_map(char::from_u32).filter(|letter| is_obeyed(*letter))
    }

    #[test]
    fn the_table_has_controls_directions_and_separators() {
        assert_eq!(table().count(), 32 + 1 + 32 + 3 + 5 + 4 + 2);
        for plain in ['a', 'é', '漢', '🦀', ' ', '\u{a0}', '\u{ad}', '\u{200d}', '\u{fe0f}', '\u{2010}'] {
            assert!(!is_obeyed(plain), "{plain:?}");
        }
    }

    #[test]
    fn one_line_stays_one_line() {
        for letter in table() {
            let text = format!("a{letter}b");
            let line = one_line(&text);
            assert!(!line.contains(is_obeyed) && line.contains('\\'), "{line:?}");
        }
        assert_eq!(
            one_line("\u{1b}]52;c;aGk=\u{7}\r\n\u{202e}x\u{9b}"),
            "\\u{1b}]52;c;aGk=\\u{7}\\r\\n\\u{202e}x\\u{9b}"
        );
        assert!(matches!(one_line("plain – text 🦀"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_keep_newlines_and_tabs_alone() {
        assert_eq!(lines("a\n\tb\r\nc\rd\u{2028}e\u{85}"), "a\n\tb\nc\\rd\\u{2028}e\\u{85}");
    }

    #[test]
    fn json_keeps_its_value() {
        for letter in table() {
            let value = json!({ format!("key{letter}"): [format!("a{letter}b"), "\\u001b"] });
            let text = serde_json::to_string_pretty(&value).unwrap_or_default();
            let shown = json(&text);
            assert!(!shown.contains(|letter| is_obeyed(letter) && letter != '\n'), "{shown:?}");
            assert_eq!(serde_json::from_str::<Value>(&shown).ok(), Some(value));
        }
    }

    #[test]
    fn a_text_that_is_json_stays_json() {
        assert_eq!(json_or_lines("{\"a\":\"\u{9b}\"}"), "{\"a\":\"\\u009b\"}");
        assert_eq!(json_or_lines("{a\u{9b}}"), "{a\\u{9b}}");
    }
}
