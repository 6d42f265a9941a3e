//! The check of a definition's texts: a person must see all of what a model reads.

use crate::text::invisible::hidden_character;
use serde_json::Value;

/// The largest definition of a tool, in bytes of JSON.
const DEFINITION_MAX: usize = 256 * 1024;

/// Checks the size of a definition, and that a person sees all of it: its names, texts and values.
///
/// # Errors
///
/// Returns the reason why the definition is left out.
pub(super) fn check_text(definition: &Value) -> Result<(), String> {
    let bytes = definition.to_string().len();
    if bytes > DEFINITION_MAX {
        return Err(format!("its definition has {bytes} bytes, and the limit is {DEFINITION_MAX}"));
    }
    match hidden_in(definition) {
        None => Ok(()),
        Some(letter) if letter.is_control() => {
            Err(format!("its definition contains the control character U+{:04X}", u32::from(letter)))
        }
        Some(letter) => Err(format!("its definition contains the invisible character U+{:04X}", u32::from(letter))),
    }
}

/// Returns the first hidden character of a value. JSON escapes control characters, so each string
/// is looked at by itself.
fn hidden_in(value: &Value) -> Option<char> {
    match value {
        Value::String(text) => hidden_character(text),
        Value::Array(items) => items.iter().find_map(hidden_in),
        Value::Object(members) => {
            members.iter().find_map(|(name, value)| hidden_character(name).or_else(|| hidden_in(value)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
            let places =
                [json!({ "description": text }), json!({ text: 1 }), json!({ "inputSchema": { "enum": [[text]] } })];
            for definition in places {
                assert_eq!(check_text(&definition).is_ok(), hidden.is_none(), "{definition}");
            }
        }
    }
}
