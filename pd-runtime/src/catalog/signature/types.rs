//! The kinds of JSON values, and which keywords speak of which.

use super::keywords::Keywords;
use serde_json::Value;

/// A list of words.
pub(super) fn names(list: &Value) -> Option<Vec<&str>> {
    list.as_array()?.iter().map(Value::as_str).collect()
}

const KINDS: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// What `type` says, if it says something known.
pub(super) fn told(kinds: &Value) -> Option<Vec<&str>> {
    let kinds = kinds.as_str().map_or_else(|| names(kinds), |kind| Some(vec![kind]))?;
    kinds.iter().all(|kind| KINDS.contains(kind)).then_some(kinds)
}

/// The kinds that a schema without `type` speaks of. It would let others pass; nobody means them.
pub(super) fn implied(keywords: &Keywords<'_>) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = LIMITS.iter().filter(|(_, key)| keywords.has(key)).map(|(kind, _)| *kind).collect();
    kinds.dedup();
    kinds
}

/// What each kind can be limited by, kind after kind.
const LIMITS: [(&str, &str); 19] = [
    ("string", "format"),
    ("string", "minLength"),
    ("string", "maxLength"),
    ("string", "pattern"),
    ("number", "minimum"),
    ("number", "maximum"),
    ("number", "exclusiveMinimum"),
    ("number", "exclusiveMaximum"),
    ("number", "multipleOf"),
    ("array", "prefixItems"),
    ("array", "items"),
    ("array", "minItems"),
    ("array", "maxItems"),
    ("array", "uniqueItems"),
    ("object", "properties"),
    ("object", "required"),
    ("object", "patternProperties"),
    ("object", "additionalProperties"),
    ("object", "unevaluatedProperties"),
];

pub(super) fn holds(kind: &str, value: &Value) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(number) => kind == "number" || (kind == "integer" && (number.is_i64() || number.is_u64())),
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}
