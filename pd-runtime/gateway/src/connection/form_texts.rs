//! The texts of a form that a server asks a person to fill in. A client may show them on a terminal,
//! below the name of the server.

use pd_runtime::upstream::text::{
    escape::{for_person, line_for_person},
    invisible::hidden_character,
};
use serde_json::Value;

/// Rewrites the titles and descriptions of a form, so that a person sees every character of them.
///
/// # Errors
///
/// Returns why the form is refused: a name or value has characters that a person does not see. The
/// answer repeats names and values, so they cannot be rewritten.
pub(super) fn prepare(form: &mut Value) -> Result<(), String> {
    match form {
        Value::String(text) => check(text),
        Value::Array(elements) => elements.iter_mut().try_for_each(prepare),
        Value::Object(members) => members.iter_mut().try_for_each(|(key, member)| {
            check(key)?;
            prepare_member(key, member)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn prepare_member(key: &str, member: &mut Value) -> Result<(), String> {
    match (key, member) {
        ("title", Value::String(text)) => *text = line_for_person(text),
        ("description", Value::String(text)) => *text = for_person(text),
        ("enumNames", Value::Array(names)) => {
            return names.iter_mut().try_for_each(|name| match name {
                Value::String(text) => {
                    *text = line_for_person(text);
                    Ok(())
                }
                other => prepare(other),
            });
        }
        // A suggested text can have several lines.
        ("default", Value::String(text)) if hidden_character(text).is_none() => {}
        (_, member) => return prepare(member),
    }
    Ok(())
}

fn check(text: &str) -> Result<(), String> {
    let breaks = ['\n', '\r', '\t', '\u{2028}', '\u{2029}'];
    if hidden_character(text).is_some() || text.contains(breaks) {
        return Err(
            "a name or value of its form has characters that a person does not see".to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    #[test]
    fn texts_that_are_shown_are_rewritten() {
        let mut form = json!({ "type": "object", "title": "\n\u{202e}T", "properties": {
            "title": { "type": "string", "title": "a\nb", "description": "\n\u{8}a\nb", "default": "a\nb" },
            "size": { "oneOf": [{ "const": "s", "title": "\u{200b}Small" }] },
            "color": { "enum": ["r"], "enumNames": ["\u{1b}[2KRed"] },
        }, "required": ["title"] });
        prepare(&mut form).unwrap();
        let shown = json!({ "type": "object", "title": "T", "properties": {
            "title": { "type": "string", "title": "a b", "description": "\\u{8}a\nb", "default": "a\nb" },
            "size": { "oneOf": [{ "const": "s", "title": "Small" }] },
            "color": { "enum": ["r"], "enumNames": ["\\u{1b}[2KRed"] },
        }, "required": ["title"] });
        assert_eq!(form, shown);
    }

    #[test]
    fn names_and_values_are_refused() {
        for hostile in ["a\u{1b}[2K", "a\u{202e}", "a\u{200b}", "a\nb", "a\u{2028}b"] {
            for mut form in [
                json!({ "properties": { hostile: { "type": "string" } } }),
                json!({ "properties": { "a": { "enum": [hostile] } } }),
                json!({ "properties": { "a": { "items": { "anyOf": [{ "const": hostile }] } } } }),
                json!({ "required": [hostile] }),
            ] {
                prepare(&mut form).unwrap_err();
            }
        }
        prepare(&mut json!({ "properties": { "a": { "default": "\u{1b}" } } })).unwrap_err();
    }
}
