//! Text as a YAML scalar. Names and descriptions are always quoted, because unquoted `no`, `1e3`
//! and `2026-07-28` are not strings.

use std::fmt::Write;

/// Renders the text in double quotes, on one line, so that every parser reads it back unchanged.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut before = ' ';
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            // Some readers search for `---` without parsing the text before it.
            '-' if before == '-' => out.push_str("\\u002d"),
            character if is_plain(character) => out.push(character),
            character if u32::from(character) <= 0xFFFF => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            character => drop(write!(out, "\\U{:08x}", u32::from(character))),
        }
        before = character;
    }
    out.push('"');
    out
}

/// Returns whether YAML 1.1 and 1.2 both allow the character unescaped, and neither treats it as a
/// line break.
fn is_plain(character: char) -> bool {
    let code = u32::from(character);
    // YAML excludes the two noncharacters at the end of the basic plane.
    !character.is_control() && !matches!(code, 0x2028 | 0x2029 | 0xFEFF) && code & 0xFFFE != 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_yaml_could_misread_is_escaped() {
        assert_eq!(quote("plain text: #1"), r#""plain text: #1""#);
        assert_eq!(quote(r#"a "b" \c"#), r#""a \"b\" \\c""#);
        assert_eq!(
            quote("a\nb\tc\u{7f}\u{85}\u{2028}\u{feff}\u{ffff}"),
            r#""a\u000ab\u0009c\u007f\u0085\u2028\ufeff\uffff""#
        );
        assert_eq!(quote("---- é 漢 🦀"), r#""-\u002d\u002d\u002d é 漢 🦀""#);
        assert_eq!(quote("\u{1ffff}"), r#""\U0001ffff""#);
    }
}
