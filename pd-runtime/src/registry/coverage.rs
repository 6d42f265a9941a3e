//! Classifies examples by what checked them: the compiler, `check`, or nothing.

use super::tool_spec::{ToolExample, ToolSpec};
use rmcp::model::JsonObject;
use serde_json::Value;

/// The first check that an example passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExampleCheck {
    /// The compiler checked all of its values against their types.
    Compiler,
    /// `Registry::check` validated it against the schema, and for declared tools against the types.
    Check,
    /// Nothing checked some value: the tool was built at run time, and its schema does not
    /// constrain that value.
    Unchecked,
}

impl ExampleCheck {
    pub(crate) fn classify(about: &ToolSpec, example: &ToolExample) -> Self {
        if example.is_proven {
            Self::Compiler
        } else if about.declaration.is_some() || is_constrained(&about.input.schema, &example.input)
        {
            Self::Check
        } else {
            Self::Unchecked
        }
    }
}

/// Keywords that reject no value.
const UNCONSTRAINING: &[&str] = &[
    "$schema",
    "$id",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
];
/// Keywords that refer to rules in other schemas.
const ELSEWHERE: &[&str] = &[
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "prefixItems",
    "patternProperties",
];

/// Returns whether the schema constrains every value.
fn is_constrained(schema: &JsonObject, value: &Value) -> bool {
    let inside = |keyword: &str| schema.get(keyword).and_then(Value::as_object);
    let elsewhere = || {
        ELSEWHERE
            .iter()
            .any(|keyword| schema.contains_key(*keyword))
    };
    match value {
        Value::Object(entries) => entries.iter().all(|(name, value)| {
            let own = inside("properties")
                .and_then(|properties| properties.get(name))
                .and_then(Value::as_object);
            // Rules elsewhere are not followed. Where any exist, the value counts as constrained,
            // because validation follows them.
            own.or_else(|| inside("additionalProperties"))
                .map_or_else(elsewhere, |schema| is_constrained(schema, value))
        }),
        Value::Array(items) => items
            .iter()
            .all(|item| inside("items").map_or_else(elsewhere, |one| is_constrained(one, item))),
        _ => schema
            .keys()
            .any(|keyword| !UNCONSTRAINING.contains(&keyword.as_str())),
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
            (
                json!({"properties": {"a": {"type": "number"}}}),
                json!({"a": 1}),
                true,
            ),
            (
                json!({"properties": {"a": {"description": "any"}}}),
                json!({"a": 1}),
                false,
            ),
            (
                json!({"properties": {"a": {"type": "object"}}}),
                json!({"a": {"b": 1}}),
                false,
            ),
            (
                json!({"additionalProperties": {"type": "array", "items": {"enum": [1]}}}),
                json!({"a": [1]}),
                true,
            ),
            (
                json!({"anyOf": [{"properties": {}}]}),
                json!({"a": [1]}),
                true,
            ),
        ];
        for (schema, value, constrained) in cases {
            assert_eq!(
                schema
                    .as_object()
                    .map(|schema| is_constrained(schema, &value)),
                Some(constrained),
                "{schema} {value}"
            );
        }
    }
}
