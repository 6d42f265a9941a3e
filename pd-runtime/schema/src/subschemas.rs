//! The subschemas of a JSON Schema. Values that a schema only quotes (`const`, `enum`, `default`,
//! `examples`) contain none, while a property may well be called `default`.

pub use super::keyword_kinds::{holds_named_schemas, holds_schemas};

use super::reader::SchemaRef;
use serde_json::Value;

/// Returns each direct subschema.
pub(super) fn children(schema: &Value) -> impl Iterator<Item = &Value> {
    let children = SchemaRef::document(schema).children();
    children.filter_map(|(_, inner)| inner.value())
}

/// Calls `visitor` with a schema and every subschema, the outer ones first. The caller bounds the
/// depth of the schema.
// The visitor is a trait object, because a generic recursion would create a new closure type at
// each level.
pub fn visit<'a>(schema: &'a Value, visitor: &mut dyn FnMut(&'a Value)) {
    visitor(schema);
    for inner in children(schema) {
        visit(inner, visitor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schemas_are_visited_and_quoted_values_are_not() {
        let schema = json!({
            "n": 0,
            "properties": { "default": { "n": 1 }, "enum": { "items": { "n": 2 } } },
            "items": [{ "n": 3 }],
            "anyOf": [{ "not": { "n": 4 } }, true],
            "default": { "n": 5 },
            "const": { "properties": { "a": { "n": 6 } } },
            "enum": [{ "n": 7 }],
        });
        let mut visited = Vec::new();
        visit(&schema, &mut |schema| {
            visited.extend(schema.get("n").and_then(Value::as_u64))
        });
        visited.sort_unstable();
        assert_eq!(visited, [0, 1, 2, 3, 4]);
    }
}
