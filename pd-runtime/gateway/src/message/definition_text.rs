//! The check of a definition's texts: a person must see all of what a model reads.
//!
//! Its depth is checked, too, because the lock and the lists on disk must be read again.

use crate::message::wire::LEFT_OUT;
use pd_runtime::upstream::text::invisible::hidden_character;
use serde_json::Value;

/// The largest definition of a tool, in bytes of JSON.
const DEFINITION_MAX: usize = 256 * 1024;

/// The deepest definition. The lock has a definition a few levels deeper than a list has it, and
/// serde_json reads 127.
const DEPTH_MAX: usize = 115;

/// Checks the size and the depth of a definition, and that a person sees all of it: its names, texts
/// and values.
///
/// # Errors
///
/// Returns the reason why the definition is left out.
pub(crate) fn check_text(definition: &Value) -> Result<(), String> {
    // Rendered only if it may be too large, because a gateway checks each tool at its start.
    if bytes_at_most(definition) > DEFINITION_MAX {
        let bytes = definition.to_string().len();
        if bytes > DEFINITION_MAX {
            return Err(format!(
                "its definition has {bytes} bytes, and the limit is {DEFINITION_MAX}"
            ));
        }
    }
    let mut members = definition.as_object().into_iter().flatten();
    let has_left_out = members.any(|(_, value)| value == LEFT_OUT);
    if has_left_out || depth_of(definition) > DEPTH_MAX {
        return Err(format!(
            "its definition is nested over {DEPTH_MAX} deep, which is the limit"
        ));
    }
    match hidden_in(definition) {
        None => Ok(()),
        Some(letter) if letter.is_control() => Err(format!(
            "its definition contains the control character U+{:04X}",
            u32::from(letter)
        )),
        Some(letter) => Err(format!(
            "its definition contains the invisible character U+{:04X}",
            u32::from(letter)
        )),
    }
}

/// Returns a number of bytes that the JSON of a value does not exceed.
fn bytes_at_most(value: &Value) -> usize {
    match value {
        Value::String(text) => string_at_most(text),
        Value::Array(items) => {
            items
                .iter()
                .map(|item| bytes_at_most(item) + 1)
                .sum::<usize>()
                + 2
        }
        Value::Object(members) => {
            members
                .iter()
                .map(|(name, value)| string_at_most(name) + bytes_at_most(value) + 2)
                .sum::<usize>()
                + 2
        }
        // `false`, or the longest 64-bit number: the sign, 17 digits, the point and an exponent.
        Value::Null | Value::Bool(_) | Value::Number(_) => 32,
    }
}

fn depth_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth_of).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth_of).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn string_at_most(text: &str) -> usize {
    // The longest escape of one byte is `\u001f`.
    6 * text.len() + 2
}

/// Returns the first hidden character of a value. JSON escapes control characters, so each string
/// is looked at by itself.
fn hidden_in(value: &Value) -> Option<char> {
    match value {
        Value::String(text) => hidden_character(text),
        Value::Array(items) => items.iter().find_map(hidden_in),
        Value::Object(members) => members
            .iter()
            .find_map(|(name, value)| hidden_character(name).or_else(|| hidden_in(value))),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_definition_over_the_limit_is_refused_with_its_size() {
        for (text, bytes) in [("a", 1), ("\n", 2), ("é", 2), ("\"", 2)] {
            let fitting = json!({ "description": text.repeat((DEFINITION_MAX - 18) / bytes) });
            let size = fitting.to_string().len();
            assert!(
                size <= DEFINITION_MAX && size > DEFINITION_MAX - 2,
                "{size}"
            );
            assert_eq!(check_text(&fitting), Ok(()));
            let larger = json!({ "description": text.repeat((DEFINITION_MAX - 18) / bytes + 1) });
            let refusal = format!("its definition has {} bytes", larger.to_string().len());
            assert!(
                check_text(&larger).is_err_and(|why| why.starts_with(&refusal)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn the_bound_is_never_below_the_size() {
        for value in [
            json!(null),
            json!(false),
            json!(i64::MIN),
            json!(u64::MAX),
            json!(-1.234_567_890_123_456_7e-300),
            json!(["\u{1}\u{1f}", "", [], {}, { "\u{2}": 1, "a": [1, 2, 3] }]),
        ] {
            assert!(value.to_string().len() <= bytes_at_most(&value), "{value}");
        }
    }

    #[test]
    fn a_deep_definition_is_refused() {
        let nested = |depth: usize| (1..depth).fold(json!([]), |inner, _| json!([inner]));
        for (schema, is_taken) in [
            (nested(DEPTH_MAX - 1), true),
            (nested(DEPTH_MAX), false),
            (json!(LEFT_OUT), false),
        ] {
            let definition = json!({ "name": "a", "inputSchema": schema });
            assert_eq!(check_text(&definition).is_ok(), is_taken);
        }
    }

    #[test]
    fn a_text_that_hides_something_is_refused() {
        for (text, hidden) in [
            ("Careful \u{26a0}\u{fe0f}: it deletes", None),
            (
                "Sæter, שלום, می\u{200c}خواهم, क्\u{200d}ष, ന്\u{200d} 👩\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
                None,
            ),
            ("one\r\n\ttwo\n", None),
            ("a\u{fe0f}\u{fe0f}", Some('\u{fe0f}')),
            ("a\u{2063}b", Some('\u{2063}')),
            ("a\u{e0041}", Some('\u{e0041}')),
            ("a\u{200d}b", Some('\u{200d}')),
            ("é\u{200c}\u{200d}é", Some('\u{200d}')),
            ("👩\u{200d}\u{fe0f}\u{200d}🚀", Some('\u{200d}')),
            ("\u{1b}]0;x\u{7}", Some('\u{1b}')),
            ("a\rb", Some('\r')),
            ("\u{9b}31m", Some('\u{9b}')),
            ("a\u{7f}", Some('\u{7f}')),
            ("a\0", Some('\0')),
        ] {
            assert_eq!(hidden_character(text), hidden, "{text:?}");
            let places = [
                json!({ "description": text }),
                json!({ text: 1 }),
                json!({ "inputSchema": { "enum": [[text]] } }),
            ];
            for definition in places {
                assert_eq!(
                    check_text(&definition).is_ok(),
                    hidden.is_none(),
                    "{definition}"
                );
            }
        }
    }
}
