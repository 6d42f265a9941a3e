//! Classifies examples by what checked them: the compiler, `check`, or nothing.

use super::{tool_parts::ToolExample, tool_spec::ToolSpec};
use pd_schema::reader::SchemaRef;
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
        } else if about.declared.declaration.is_some()
            || is_constrained(SchemaRef::document(&*about.input.schema), &example.input)
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

/// Returns whether the schema constrains every value.
fn is_constrained(schema: SchemaRef<'_>, value: &Value) -> bool {
    let with_keywords = |schema: &SchemaRef<'_>| schema.keywords().is_some();
    // Rules in other schemas are not followed. Where any exist, the value counts as constrained,
    // because validation follows them.
    let refers = || {
        schema.has_reference()
            || schema.has_branches()
            || schema.has_prefix_items()
            || schema.has_pattern_properties()
    };
    match value {
        Value::Object(entries) => entries.iter().all(|(name, value)| {
            let own = schema.property(name).filter(with_keywords);
            own.or_else(|| schema.additional_properties().filter(with_keywords))
                .map_or_else(refers, |schema| is_constrained(schema, value))
        }),
        Value::Array(items) => items.iter().all(|item| {
            let one = schema.items().filter(with_keywords);
            one.map_or_else(refers, |one| is_constrained(one, item))
        }),
        _ => schema
            .parts()
            .any(|(keyword, _)| !UNCONSTRAINING.contains(&keyword)),
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
                is_constrained(SchemaRef::document(&schema), &value),
                constrained,
                "{schema} {value}"
            );
        }
    }
}
