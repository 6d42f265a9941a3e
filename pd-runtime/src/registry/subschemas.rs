//! Visits the subschemas of a JSON Schema. Values that a schema only quotes (`const`, `enum`,
//! `default`, `examples`) contain none, while a property may well be called `default`.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Keywords with one schema. `items` had an array of schemas before 2020-12, so it is in both
/// lists.
const SINGLE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords with an array of schemas.
const SEVERAL: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords with schemas by name.
const NAMED: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Calls `visit` with a schema and every subschema, the outer ones first.
///
/// It recurses into nested schemas; [`schema_depth`](super::schema_depth) bounds their depth.
pub(super) fn visit_mut(schema: &mut Value, visit: &mut impl FnMut(&mut JsonObject)) {
    let Value::Object(object) = schema else { return };
    visit(object);
    for (keyword, value) in object.iter_mut() {
        match value {
            Value::Object(_) if SINGLE.contains(&keyword.as_str()) => visit_mut(value, visit),
            Value::Array(items) if SEVERAL.contains(&keyword.as_str()) => {
                items.iter_mut().for_each(|item| visit_mut(item, visit));
            }
            Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                named.values_mut().for_each(|named| visit_mut(named, visit));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schemas_are_visited_and_quoted_values_are_not() {
        let mut schema = json!({
            "n": 0,
            "properties": { "default": { "n": 1 }, "enum": { "items": { "n": 2 } } },
            "items": [{ "n": 3 }],
            "anyOf": [{ "not": { "n": 4 } }, true],
            "default": { "n": 5 },
            "const": { "properties": { "a": { "n": 6 } } },
            "enum": [{ "n": 7 }],
        });
        let mut visited = Vec::new();
        visit_mut(&mut schema, &mut |object| visited.extend(object.get("n").and_then(Value::as_u64)));
        visited.sort_unstable();
        assert_eq!(visited, [0, 1, 2, 3, 4]);
    }
}
