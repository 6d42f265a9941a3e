//! Reads JSON as the clients of JavaScript and Python read it, where serde_json refuses it.

use std::borrow::Cow;

/// The bytes of an escape such as `\u00e9`.
const ESCAPE: usize = 6;

/// Returns a message as serde_json reads it, or `None` if there is nothing to replace.
///
/// - Half of a surrogate pair becomes U+FFFD. JavaScript cuts texts within a pair, and writes the
///   half as an escape, which all other clients read.
/// - Bytes that are not UTF-8 become U+FFFD, as the SDK for TypeScript reads them.
/// - `NaN`, `Infinity` and numbers beyond the range of a double become `null`, which is what
///   `JSON.stringify` writes for them. Python writes them, and its SDK reads them.
pub fn repaired(message: &[u8]) -> Option<Vec<u8>> {
    let text = match String::from_utf8_lossy(message) {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text.into_bytes()),
    };
    let replaced = replace(text.as_deref().unwrap_or(message));
    replaced.or(text)
}

/// A copy of a message with replacements.
struct RepairedText<'a> {
    message: &'a [u8],
    text: Vec<u8>,
    /// The bytes of the message that were copied or replaced.
    copied: usize,
}

impl RepairedText<'_> {
    /// Replaces some bytes of the message.
    fn put(&mut self, from: usize, length: usize, text: &[u8]) {
        self.text
            .extend_from_slice(self.message.get(self.copied..from).unwrap_or_default());
        self.text.extend_from_slice(text);
        self.copied = from + length;
    }
}

fn replace(message: &[u8]) -> Option<Vec<u8>> {
    let mut output = RepairedText {
        message,
        text: Vec::new(),
        copied: 0,
    };
    let mut place = 0;
    let mut is_in_string = false;
    while let Some(rest) = message.get(place..).filter(|rest| !rest.is_empty()) {
        let length = match rest.first() {
            Some(b'"') => {
                is_in_string = !is_in_string;
                1
            }
            Some(b'\\') if is_in_string => match surrogate(rest) {
                Some(0xd800..0xdc00)
                    if matches!(rest.get(ESCAPE..).and_then(surrogate), Some(0xdc00..0xe000)) =>
                {
                    // Both halves in their order are one character.
                    2 * ESCAPE
                }
                // The other half is missing, or comes first.
                Some(_) => {
                    output.put(place, ESCAPE, br"\ufffd");
                    ESCAPE
                }
                // The digits of another `\u` escape are read as plain text.
                None => 2,
            },
            Some(_) if is_in_string => rest
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\'))
                .unwrap_or(rest.len()),
            _ => {
                let word = rest
                    .iter()
                    .position(|byte| !is_of_word(*byte))
                    .unwrap_or(rest.len());
                if rest.get(..word).is_some_and(is_no_json_number) {
                    output.put(place, word, b"null");
                }
                // Punctuation is not a word, and is passed byte by byte.
                word.max(1)
            }
        };
        place += length;
    }
    if output.copied == 0 {
        return None;
    }
    output.put(message.len(), 0, b"");
    Some(output.text)
}

/// Returns the code of a surrogate's escape at the beginning of a text.
fn surrogate(text: &[u8]) -> Option<u32> {
    let digits = text.get(..ESCAPE)?.strip_prefix(br"\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xd800..0xe000).contains(&code).then_some(code)
}

const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Returns whether a word is a number that JSON does not have.
fn is_no_json_number(word: &[u8]) -> bool {
    if matches!(word, b"NaN" | b"-NaN" | b"Infinity" | b"-Infinity") {
        return true;
    }
    let is_number = word
        .first()
        .is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
    let number = std::str::from_utf8(word)
        .ok()
        .filter(|_| is_number)
        .and_then(|text| text.parse::<f64>().ok());
    // `parse` also takes `-inf`, which no client writes.
    number.is_some_and(f64::is_infinite) && word.iter().any(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_clients_read_is_replaced_and_the_rest_stays() {
        for (text, expected) in [
            (r#"{"a\ud83d":"b\uD83D"}"#, Some(r#"{"a\ufffd":"b\ufffd"}"#)),
            (
                r#""\ude00 \ud83d\ude00 \ud83d\ud83d\uDE00""#,
                Some(r#""\ufffd \ud83d\ude00 \ufffd\ud83d\uDE00""#),
            ),
            (r#""\ud83d\n\\ud83d""#, Some(r#""\ufffd\n\\ud83d""#)),
            (r#""\\ud83d NaN 1e400""#, None),
            (
                r#"[NaN,-Infinity, Infinity,1e400,-1E+999,1e3]"#,
                Some("[null,null, null,null,null,1e3]"),
            ),
            (r#"{"NaN":"\"NaN"}"#, None),
            (r#""\ud83"#, None),
            (r#""\"#, None),
            ("[nan, +1, inf]", None),
        ] {
            let repaired = repaired(text.as_bytes());
            assert_eq!(repaired.as_deref(), expected.map(str::as_bytes), "{text}");
        }
        assert_eq!(
            repaired(b"\"a\xffb\"").as_deref(),
            Some("\"a\u{fffd}b\"".as_bytes())
        );
        assert_eq!(
            repaired(b"[\"\xff\", NaN]").as_deref(),
            Some("[\"\u{fffd}\", null]".as_bytes())
        );
    }
}
