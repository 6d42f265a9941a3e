//! Escapes for untrusted text. Tool names, descriptions, results and files may contain characters
//! that a terminal obeys or that reorder what a reader sees. The command line and its log print
//! such text only through this module.
//!
//! `is_obeyed` is the only table of these characters. `invisible` has the table of characters
//! without a visible form.

use super::invisible::{is_invisible, is_joiner, marked_hidden, turns_direction};
use std::{
    borrow::Cow,
    fmt::{self, Write},
};

/// Returns whether a terminal may act on the character, or whether it makes a reader see a
/// different text: control characters (C0, DEL, C1), bidirectional controls, and the separators
/// that end a line or a paragraph.
pub(crate) const fn is_obeyed(letter: char) -> bool {
    letter.is_ascii_control()
        || matches!(letter, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}')
        || turns_direction(letter)
}

/// Renders a text on one line. Every character of the table is escaped, as in `\n` and `\u{1b}`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Renders a text of several lines. Newlines and tabs stay, and every other character of the table
/// is escaped. `\r\n` becomes `\n`.
#[cfg(feature = "cli")]
pub fn lines(text: &str) -> Cow<'_, str> {
    // A lone `\r` moves the cursor to the start of the line, so it is escaped. As a part of a line
    // end it is harmless.
    if text.contains("\r\n") {
        return Cow::Owned(lines(&text.replace("\r\n", "\n")).into_owned());
    }
    escape(text, |letter| matches!(letter, '\n' | '\t'))
}

/// Does the same as [`lines`], and escapes hidden characters, too.
#[cfg(feature = "cli")]
pub(crate) fn visible_lines(text: &str) -> Cow<'_, str> {
    let shown = lines(text);
    if shown.is_ascii() || marked_hidden(&shown).all(|(_, is_hidden)| !is_hidden) {
        return shown;
    }
    let mut out = String::with_capacity(shown.len() + 16);
    for (letter, is_hidden) in marked_hidden(&shown) {
        match is_hidden {
            true => out.extend(letter.escape_unicode()),
            false => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// Renders a text on one line for a person who decides about it. Characters without a visible form
/// are escaped, too.
pub fn visible(text: &str) -> String {
    // Joiners are escaped even where a script needs them: two texts that differ in one look equal.
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_obeyed(letter) || is_invisible(letter) || is_joiner(letter) {
            true => out.extend(letter.escape_default()),
            false => out.push(letter),
        }
    }
    out
}

/// Renders a text of a stranger for a person who answers it, in any client. Control characters are
/// escaped, and characters without a visible form are removed. The text begins with a visible
/// character and has no two empty lines together, so that it moves nothing that is before it out of
/// sight.
pub fn for_person(text: &str) -> String {
    // A lone `\r` moves the cursor to the start of the line. As a part of a line end it is harmless.
    let text = text
        .replace("\r\n", "\n")
        .replace(['\u{2028}', '\u{2029}'], "\n");
    let mut shown = String::with_capacity(text.len());
    for (letter, is_hidden) in marked_hidden(&text) {
        match is_hidden {
            false => shown.push(letter),
            true if letter.is_control() => shown.extend(letter.escape_default()),
            true => {}
        }
    }
    let mut lines: Vec<&str> = shown.trim().lines().map(str::trim_end).collect();
    lines.dedup_by(|line, former| line.is_empty() && former.is_empty());
    lines.join("\n")
}

/// Does the same as [`for_person`], on one line.
pub fn line_for_person(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    for_person(&words.join(" "))
}

/// Renders a JSON text with the same value, in which the characters of the table are escaped as in
/// `\u009b`. Serializers leave most of them as they are. Outside of strings JSON contains none of
/// them except white space.
#[cfg(feature = "cli")]
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    // Four digits are enough: no character of the table is beyond U+FFFF.
    replace_obeyed(
        text,
        |letter| matches!(letter, '\n' | '\t' | '\r'),
        |letter, out| write!(out, "\\u{:04x}", u32::from(letter)),
    )
}

/// Renders a text with [`json`] if it is JSON, and with [`lines`] otherwise.
#[cfg(feature = "cli")]
pub(crate) fn json_or_lines(text: &str) -> Cow<'_, str> {
    if is_json(text) {
        json(text)
    } else {
        lines(text)
    }
}

/// Returns whether a text is a JSON object or array. A bare number or string is also plain text.
#[cfg(feature = "cli")]
pub(crate) fn is_json(text: &str) -> bool {
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn escape(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    replace_obeyed(text, stays, |letter, out| {
        write!(out, "{}", letter.escape_default())
    })
}

/// Replaces each character of the table, unless `stays` accepts it.
fn replace_obeyed(
    text: &str,
    stays: impl Fn(char) -> bool,
    replace: impl Fn(char, &mut String) -> fmt::Result,
) -> Cow<'_, str> {
    let is_replaced = |letter: char| is_obeyed(letter) && !stays(letter);
    // Nearly all texts are plain, and are not copied.
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_replaced(letter) {
            // Writing to a `String` cannot fail.
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

    /// Returns every character of the table.
    fn table() -> impl Iterator<Item = char> {
        (0..=0x2fff)
            .filter_map(char::from_u32)
            .filter(|letter| is_obeyed(*letter))
    }

    #[test]
    fn the_table_has_controls_directions_and_separators() {
        assert_eq!(table().count(), 32 + 1 + 32 + 3 + 5 + 4 + 2);
        for plain in [
            'a', 'é', '漢', '🦀', ' ', '\u{a0}', '\u{ad}', '\u{200d}', '\u{fe0f}', '\u{2010}',
        ] {
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
    fn a_person_sees_every_character() {
        assert_eq!(
            visible("a\u{2063}b\u{200d}c\u{1b}\nd é🦀"),
            "a\\u{2063}b\\u{200d}c\\u{1b}\\nd é🦀"
        );
    }

    #[test]
    fn a_person_who_answers_sees_what_is_before_the_text() {
        for (text, shown) in [
            ("\u{1b}[2K\rgithub: x", "\\u{1b}[2K\\rgithub: x"),
            ("\u{9b}2Kx\u{8}\u{8}", "\\u{9b}2Kx\\u{8}\\u{8}"),
            ("\u{200b}\n\r\n\u{a0}\u{2028}\u{2800}\nx", "x"),
            ("\u{202e}a\u{2066}b\u{200f}c", "abc"),
            ("a\r\n\n \u{200b}\n\u{2029}\nb\n\n", "a\n\nb"),
            ("a\n\tb", "a\n\tb"),
            (
                "می\u{200c}خواهم 👩\u{200d}🚀 ⚠\u{fe0f}",
                "می\u{200c}خواهم 👩\u{200d}🚀 ⚠\u{fe0f}",
            ),
        ] {
            assert_eq!(for_person(text), shown);
        }
        assert_eq!(line_for_person(" a\n\u{1b}\tb\u{2028}c"), "a \\u{1b} b c");
    }

    #[test]
    fn lines_keep_newlines_and_tabs_alone() {
        assert_eq!(
            lines("a\n\tb\r\nc\rd\u{2028}e\u{85}"),
            "a\n\tb\nc\\rd\\u{2028}e\\u{85}"
        );
    }

    #[test]
    fn visible_lines_show_what_hides() {
        for (text, shown) in [
            ("a\u{200b}b\r\n\u{1b}c", "a\\u{200b}b\n\\u{1b}c"),
            (
                "⚠\u{fe0f} می\u{200c}خواهم 👩\u{200d}🚀",
                "⚠\u{fe0f} می\u{200c}خواهم 👩\u{200d}🚀",
            ),
            ("👩\u{200d}\u{200c}🚀", "👩\u{200d}\\u{200c}🚀"),
        ] {
            assert_eq!(visible_lines(text), shown);
        }
    }

    #[test]
    fn json_keeps_its_value() {
        for letter in table() {
            let value = json!({ format!("key{letter}"): [format!("a{letter}b"), "\\u001b"] });
            let text = serde_json::to_string_pretty(&value).unwrap_or_default();
            let shown = json(&text);
            assert!(
                !shown.contains(|letter| is_obeyed(letter) && letter != '\n'),
                "{shown:?}"
            );
            assert_eq!(serde_json::from_str::<Value>(&shown).ok(), Some(value));
        }
    }

    #[test]
    fn a_text_that_is_json_stays_json() {
        assert_eq!(json_or_lines("{\"a\":\"\u{9b}\"}"), "{\"a\":\"\\u009b\"}");
        assert_eq!(json_or_lines("{a\u{9b}}"), "{a\\u{9b}}");
    }
}
