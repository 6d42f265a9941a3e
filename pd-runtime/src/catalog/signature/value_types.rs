//! The JSON types, and the keywords that apply to each.

use super::keywords::SchemaKeywords;
use serde_json::Value;

/// Returns the strings of an array.
pub(super) fn names(list: &Value) -> Option<Vec<&str>> {
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

/// Returns the types that a schema without `type` constrains. Formally, values of other types would
/// match; authors never mean that.
pub(super) fn implied(keywords: &SchemaKeywords<'_>) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = LIMITS
        .iter()
        .filter(|(_, key)| keywords.has(key))
        .map(|(kind, _)| *kind)
        .collect();
    // `LIMITS` is grouped by type, so adjacent duplicates are all duplicates.
    kinds.dedup();
    kinds
}

/// The keywords that constrain each type, grouped by type.
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
