//! JSON as models write it into a text: with raw line breaks in strings, in a Markdown fence, or
//! with a comma too many. Such a text has one meaning. Any other text that is no JSON gets the
//! place of its first mistake.

use serde_json::Value;
use std::fmt;

/// The first mistake in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonMistake {
    /// The number of the character, from 1.
    character: usize,
    reason: String,
}

impl fmt::Display for JsonMistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "at character {}: {}", self.character, self.reason)
    }
}

/// Returns the value that a text spells.
///
/// # Errors
///
/// Returns the first mistake that has no single correction.
pub(crate) fn parse(text: &str) -> Result<Value, JsonMistake> {
    // Most texts are JSON, and nothing is copied for them.
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    let (before, inside) = without_fence(text);
    let (corrected, _) = corrected(inside, usize::MAX);
    serde_json::from_str(&corrected).map_err(|error| {
        let read = byte_of(&corrected, &error);
        // The place counts in the text that was sent, which may differ from the corrected one.
        let (_, characters) = self::corrected(inside, read);
        JsonMistake {
            character: before + characters.max(1),
            reason: reason(&error),
        }
    })
}

/// Returns the part inside of a Markdown fence, or the whole text, and the number of characters
/// before it.
fn without_fence(text: &str) -> (usize, &str) {
    let inside = text
        .trim()
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .map(|rest| rest.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric()));
    match inside {
        Some(inside) => {
            let before = text.find(inside).and_then(|start| text.get(..start));
            (before.unwrap_or_default().chars().count(), inside)
        }
        None => (0, text),
    }
}

/// Escapes raw control characters in strings, and removes commas before the end of an object, of an
/// array and of the text. Stops after this many bytes of the result, and returns how many
/// characters of the text were read until then.
fn corrected(text: &str, longest: usize) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut read = 0;
    let mut is_in_string = false;
    let mut is_escaped = false;
    for letter in text.chars() {
        if out.len() >= longest {
            return (out, read);
        }
        read += 1;
        match letter {
            control if is_in_string && control < ' ' => {
                is_escaped = false;
                out.push_str(
                    Value::from(control.to_string())
                        .to_string()
                        .trim_matches('"'),
                );
                continue;
            }
            '"' if !is_escaped => is_in_string = !is_in_string,
            '}' | ']' if !is_in_string => remove_comma(&mut out),
            _ => {}
        }
        is_escaped = letter == '\\' && is_in_string && !is_escaped;
        out.push(letter);
    }
    if !is_in_string {
        remove_comma(&mut out);
    }
    (out, read)
}

/// Removes a comma at the end that follows a value.
fn remove_comma(out: &mut String) {
    let value = out.trim_end().strip_suffix(',').map(str::trim_end);
    if let Some(value) =
        value.filter(|value| !value.is_empty() && !value.ends_with(['{', '[', ',']))
    {
        let end = value.len();
        out.truncate(end);
    }
}

/// Returns the number of bytes up to the place of an error.
fn byte_of(text: &str, error: &serde_json::Error) -> usize {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    (lines.map(str::len).sum::<usize>() + error.column()).min(text.len())
}

fn reason(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let reason = whole
        .rsplit_once(" at line ")
        .map_or(whole.as_str(), |(reason, _)| reason);
    match reason {
        reason if reason.starts_with("EOF") => "the text ends before the JSON does".to_owned(),
        "trailing characters" => "the JSON ends before the text does".to_owned(),
        "key must be a string" => "a name must be in double quotes".to_owned(),
        "invalid escape" => "in a string, `\\` is written `\\\\`".to_owned(),
        "expected `,` or `}`" | "expected `,` or `]`" => {
            format!("{reason}; in a string, `\"` is written `\\\"`")
        }
        reason => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_with_one_meaning_is_read() {
        for (text, value) in [
            ("{\"a\":\"x\ny\tz\"}", json!({ "a": "x\ny\tz" })),
            ("{\"a\":\"x\\\\\ny\"}", json!({ "a": "x\\\ny" })),
            ("{\"a\":\"\u{1}\"}", json!({ "a": "\u{1}" })),
            ("```json\n{\"a\": 1}\n```", json!({ "a": 1 })),
            (" ```\n{\"a\": 1,}\n``` ", json!({ "a": 1 })),
            ("```{\"a\": 1}```", json!({ "a": 1 })),
            ("{\"a\": [1, 2,\n], }", json!({ "a": [1, 2] })),
            ("{\"a\": \"b,\"},", json!({ "a": "b," })),
            ("{\"a\": \",}\",}", json!({ "a": ",}" })),
            ("{\n \"a\": \"b\\\"\nc,]\"\n}", json!({ "a": "b\"\nc,]" })),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn any_other_text_gets_the_place_of_its_mistake() {
        for (text, told) in [
            (
                "{\"a\": \"say \"hi\"\"}",
                "at character 13: expected `,` or `}`; ",
            ),
            (
                "{\"a\": \"ö\n\n\"hi\"\"}",
                "at character 12: expected `,` or `}`; ",
            ),
            (
                "{\"a\": \"C:\\Users\"}",
                "at character 11: in a string, `\\` is written `\\\\`",
            ),
            (
                "{\"a\": \"b",
                "at character 8: the text ends before the JSON does",
            ),
            (
                "{\"a\": 1}}",
                "at character 9: the JSON ends before the text does",
            ),
            (
                "{'a': 1}",
                "at character 2: a name must be in double quotes",
            ),
            ("{a: 1}", "at character 2: a name must be in double quotes"),
            ("{\"a\": 'b'}", "at character 7: expected value"),
            ("{,}", "at character 2: "),
            ("[1,,]", "at character 4: "),
            ("", "at character 1: "),
            ("```json\n{a: 1}\n```", "at character 10: "),
        ] {
            let mistake = parse(text).map_err(|mistake| mistake.to_string());
            let starts = mistake
                .as_ref()
                .is_err_and(|mistake| mistake.starts_with(told));
            assert!(starts, "{text}: {mistake:?}");
        }
    }
}
