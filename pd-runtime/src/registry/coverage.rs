//! Who judged an example: the compiler, `check`, or nobody.

use super::tool_spec::{About, Example};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Who judged an example first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judge {
    /// All of its values fit types that the compiler knows.
    Compiler,
    /// The real schema, and for declared tools the real types.
    Check,
    /// The schema says nothing about some value, and there is no type: a tool made at run time.
    Nobody,
}

impl Judge {
    pub(crate) fn of(about: &About, example: &Example) -> Self {
        if example.is_proven {
            Self::Compiler
        } else if about.declaration.is_some() || is_told(&about.input.schema, &example.input) {
            Self::Check
        } else {
            Self::Nobody
        }
    }
}

/// Words of a schema that rule nothing out.
const SILENT: &[&str] = &["$schema", "$id", "title", "description", "default", "examples", "deprecated"];
/// Words that refer to rules which stand elsewhere.
const ELSEWHERE: &[&str] = &["anyOf", "oneOf", "allOf", "$ref", "prefixItems", "patternProperties"];

/// Whether the schema says something about every value.
fn is_told(schema: &JsonObject, value: &Value) -> bool {
    let inside = |keyword: &str| schema.get(keyword).and_then(Value::as_object);
    let elsewhere = || ELSEWHERE.iter().any(|keyword| schema.contains_key(*keyword));
    match value {
        Value::Object(entries) => entries.iter().all(|(name, value)| {
            let own = inside("properties").and_then(|properties| properties.get(name)).and_then(Value::as_object);
            own.or_else(|| inside("additionalProperties")).map_or_else(elsewhere, |schema| is_told(schema, value))
        }),
        Value::Array(items) => {
            items.iter().all(|item| inside("items").map_or_else(elsewhere, |one| is_told(one, item)))
        }
        _ => schema.keys().any(|keyword| !SILENT.contains(&keyword.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_that_no_schema_tells_of_is_judged_by_nobody() {
        let cases = [
            (json!({"type": "object"}), json!({}), true),
            (json!({"type": "object"}), json!({"a": 1}), false),
            (json!({"properties": {"a": {"type": "number"}}}), json!({"a": 1}), true),
            (json!({"properties": {"a": {"description": "any"}}}), json!({"a": 1}), false),
            (json!({"properties": {"a": {"type": "object"}}}), json!({"a": {"b": 1}}), false),
            (json!({"additionalProperties": {"type": "array", "items": {"enum": [1]}}}), json!({"a": [1]}), true),
            (json!({"anyOf": [{"properties": {}}]}), json!({"a": [1]}), true),
        ];
        for (schema, value, told) in cases {
            assert_eq!(schema.as_object().map(|schema| is_told(schema, &value)), Some(told), "{schema} {value}");
        }
    }
}
