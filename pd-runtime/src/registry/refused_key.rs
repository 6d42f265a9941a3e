//! Whether a type refuses every text as the key of a map, judged by the errors that serde creates.

use crate::tool::read_trace::{NOT_TEXT, ReadError};
use serde::de::Unexpected;

/// Returns what the keys of a map are read from, if the errors prove that no text is read.
///
/// Both traces are of the same value; in `of_number`, a number replaces the text. No key is both.
/// So a type that treats the two alike, error by error, reads neither, and another text does not
/// change that. A type that looks into the text (`try_from`, `FromStr`, an enum's names) creates
/// another error for it, and a type that reads the text creates none. Words that are not serde's
/// own prove nothing: a hand-written reader may report "invalid type" for one text and read
/// another.
pub(super) fn expected(
    text: &str,
    of_text: &[ReadError],
    of_number: &[ReadError],
) -> Option<String> {
    let text = Unexpected::Str(text).to_string();
    let number = Unexpected::Float(NOT_TEXT).to_string();
    let words: Vec<&str> = of_text
        .iter()
        .filter_map(|error| error.expected_instead_of(&text))
        .collect();
    let is_proof = of_text.len() == of_number.len()
        && of_text
            .iter()
            .zip(of_number)
            .all(|(one, other)| match (one, other) {
                (
                    ReadError::InvalidType {
                        unexpected: a,
                        expected,
                    },
                    ReadError::InvalidType {
                        unexpected: b,
                        expected: same,
                    },
                ) if expected == same => a == b || (*a == text && *b == number),
                _ => one == other,
            })
        && words
            .iter()
            .all(|words| is_number(words) || is_composite(words));
    let most_telling = words
        .iter()
        .find(|words| is_composite(words))
        .or(words.first());
    most_telling
        .filter(|_| is_proof)
        .map(|words| (*words).to_owned())
}

/// Whether these words are serde's own for a value that JSON writes as an object, a list, `null` or
/// a flag.
fn is_composite(words: &str) -> bool {
    let beginnings = [
        "struct ",
        "tuple struct ",
        "unit struct ",
        "a tuple of size ",
        "an array of length ",
    ];
    matches!(
        words,
        "a sequence" | "a map" | "an empty array" | "unit" | "a boolean"
    ) || beginnings
        .iter()
        .any(|beginning| words.starts_with(beginning))
}

/// Whether these words are serde's own for a number: `u32`.
pub(super) fn is_number(words: &str) -> bool {
    let name = words.strip_prefix("a nonzero ").unwrap_or(words);
    let size = name.strip_prefix(['u', 'i', 'f']);
    size.is_some_and(|size| matches!(size, "8" | "16" | "32" | "64" | "128" | "size"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid(unexpected: &str, expected: &str) -> ReadError {
        ReadError::InvalidType {
            unexpected: unexpected.to_owned(),
            expected: expected.to_owned(),
        }
    }

    fn judge(of_text: &[ReadError], of_number: &[ReadError]) -> Option<String> {
        expected("a", of_text, of_number)
    }

    #[test]
    fn a_type_that_treats_a_text_like_a_number_reads_no_text() {
        let end = || ReadError::Other("data did not match any variant".to_owned());
        let of = |key: &str, words: &str| vec![invalid(key, words), end()];
        let (text, number) = (r#"string "a""#, "floating point `0.5`");
        assert_eq!(
            judge(&of(text, "struct Point"), &of(number, "struct Point")).as_deref(),
            Some("struct Point")
        );
        assert_eq!(
            judge(&of(text, "a nonzero u8"), &of(number, "a nonzero u8")).as_deref(),
            Some("a nonzero u8")
        );
        // Another error, another number of errors, an error about something else, words of another
        // author.
        assert_eq!(
            judge(&of(text, "struct Point"), &of(number, "a sequence")),
            None
        );
        assert_eq!(
            judge(
                &of(text, "struct Point"),
                &[invalid(number, "struct Point")]
            ),
            None
        );
        assert_eq!(
            judge(
                &[invalid("null", "struct Point")],
                &[invalid("null", "struct Point")]
            ),
            None
        );
        assert_eq!(
            judge(&of(text, "a version"), &of(number, "a version")),
            None
        );
        assert_eq!(judge(&[end()], &[end()]), None);
    }
}
