//! The JSON types.

use serde_json::Value;

/// Returns the strings of an array.
fn names(list: &Value) -> Option<Vec<&str>> {
    list.as_array()?.iter().map(Value::as_str).collect()
}

const KINDS: [&str; 7] = [
    "string", "integer", "number", "boolean", "array", "object", "null",
];

/// Returns the types that `type` names, if all of them are known.
pub(super) fn type_names(kinds: &Value) -> Option<Vec<&str>> {
    let kinds = kinds
        .as_str()
        .map_or_else(|| names(kinds), |kind| Some(vec![kind]))?;
    kinds
        .iter()
        .all(|kind| KINDS.contains(kind))
        .then_some(kinds)
}

pub(super) fn holds(kind: &str, value: &Value) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        // In JSON Schema `1.0` is an integer, too. Without a match here its type is shown as well,
        // which is redundant but correct.
        Value::Number(number) => {
            kind == "number" || (kind == "integer" && (number.is_i64() || number.is_u64()))
        }
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}
