//! Texts that hold the JSON of the object or array that a schema wants in their place, or `null`
//! instead of it. Models and hosts write nested arguments so.

use crate::JsonObject;
use serde_json::Value;

/// The most texts that one explanation keeps. Further ones are read after these.
pub(super) const TEXTS_MAX: usize = 1_000;

/// A text in the arguments, with the object or array that it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText {
    /// The names of members and the indices of items that lead to the text.
    pub path: Vec<String>,
    /// The object or array that the text holds, or `null`.
    pub value: Value,
}

/// The texts of one explanation. In a box, an error of the arguments stays small.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonTexts(pub Vec<JsonText>);

/// Returns whether a text begins as a JSON object or array does, or is `null`. It also holds for JSON
/// that is cut off or misspelled, which is as little meant to be a text.
pub fn begins_as_json(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['{', '[']) || text == "null"
}

/// Returns whether a text may name several things: it has parts around a comma, a semicolon or a line
/// break.
pub fn may_be_several(text: &str) -> bool {
    let mut parts = text
        .split([',', ';', '\n'])
        .filter(|part| !part.trim().is_empty());
    parts.next().is_some() && parts.next().is_some()
}

/// Returns the object or array that a text holds, or the `null` in its place. The parser bounds the
/// depth.
pub fn parse(text: &str) -> Option<Value> {
    // A text such as `5` parses as well, and may be meant as a text.
    if begins_as_json(text) {
        serde_json::from_str(text).ok()
    } else {
        None
    }
}

/// Returns the arguments with the values of these texts. Returns `None` if no text is there.
pub fn with_values(arguments: &JsonObject, texts: &[JsonText]) -> Option<JsonObject> {
    if texts.is_empty() {
        return None;
    }
    let mut read = Value::Object(arguments.clone());
    for text in texts {
        if let Some(place @ Value::String(_)) = get_mut(&mut read, &text.path) {
            place.clone_from(&text.value);
        }
    }
    match read {
        Value::Object(arguments) => Some(arguments),
        _ => None,
    }
}

/// Returns the value that these steps lead to.
pub fn get_mut<'a>(value: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, step| match value {
        Value::Object(members) => members.get_mut(step),
        Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    })
}
