//! `nullable` of OpenAPI 3.0, which is not a keyword of JSON Schema: `null` is allowed beside what
//! the schema allows.

use super::{
    depth,
    keyword_kinds::{SEVERAL, SINGLE, holds_named_schemas},
    member,
};
use crate::JsonObject;
use serde_json::{Value, json};

/// Keywords beside which a list of types cannot allow `null`.
const OTHERS: [&str; 8] = [
    "$ref",
    "allOf",
    "anyOf",
    "const",
    "if",
    "not",
    "oneOf",
    "$dynamicRef",
];

/// Returns whether the value of the keyword `nullable` allows `null`.
pub fn is_nullable(keyword: Option<&Value>) -> bool {
    keyword == Some(&Value::Bool(true))
}

/// Returns whether a schema may have `nullable` somewhere. The caller bounds the depth of the
/// schema.
pub fn names_nullable(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            is_nullable(member::find(members, "nullable")) || members.values().any(names_nullable)
        }
        Value::Array(items) => items.iter().any(names_nullable),
        _ => false,
    }
}

/// Allows `null` beside what a schema with `nullable` allows.
pub(super) fn with_null(mut schema: JsonObject) -> Value {
    // `remove` would change the order of the other keywords.
    schema.shift_remove("nullable");
    if !OTHERS.iter().any(|key| schema.contains_key(*key)) {
        match schema.get_mut("type") {
            Some(Value::Array(types)) if !types.iter().any(|name| name == "null") => {
                types.push("null".into())
            }
            Some(name @ Value::String(_)) => *name = json!([name.take(), "null"]),
            _ => {}
        }
        // `enum` applies beside `type`, so it must list `null`, too.
        if let Some(Value::Array(values)) = schema.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
        return Value::Object(schema);
    }
    json!({ "anyOf": [schema, { "type": "null" }] })
}

/// Rewrites each `nullable` below the root of a schema in JSON Schema. Removes the `nullable` of
/// the root, because the root describes an object. A schema that is nested too deep stays as it is,
/// because nothing accepts it.
pub fn rewrite_nullable(root: &mut JsonObject) {
    if depth::check_levels_of(root.values()).is_ok() {
        root.shift_remove("nullable");
        rewrite_inside(root);
    }
}

fn rewrite(schema: &mut Value) {
    let Value::Object(keywords) = schema else {
        return;
    };
    // Inner schemas come first, because `with_null` may move the keywords below `anyOf`.
    rewrite_inside(keywords);
    if is_nullable(member::find(keywords, "nullable")) {
        *schema = with_null(std::mem::take(keywords));
    }
}

fn rewrite_inside(keywords: &mut JsonObject) {
    for (keyword, value) in keywords.iter_mut() {
        match value {
            Value::Object(_) if SINGLE.contains(&keyword.as_str()) => rewrite(value),
            Value::Array(items) if SEVERAL.contains(&keyword.as_str()) => {
                items.iter_mut().for_each(rewrite)
            }
            Value::Object(named) if holds_named_schemas(keyword) => {
                named.values_mut().for_each(rewrite)
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn nullable_becomes_null_wherever_a_schema_is() {
        let mut schema = json!({
            "type": "object",
            "nullable": true,
            "properties": {
                "nullable": { "type": "boolean", "default": { "nullable": true } },
                "a": { "type": "integer", "format": "int64", "nullable": true },
                "b": { "type": "array", "items": { "$ref": "#/$defs/T", "nullable": true } },
                "c": { "type": "string", "enum": ["x"], "nullable": true },
                "d": { "type": "string", "nullable": false },
            },
        });
        assert!(names_nullable(&schema));
        rewrite_nullable(schema.as_object_mut().unwrap());
        let wanted = json!({
            "type": "object",
            "properties": {
                "nullable": { "type": "boolean", "default": { "nullable": true } },
                "a": { "type": ["integer", "null"], "format": "int64" },
                "b": { "type": "array", "items": { "anyOf": [{ "$ref": "#/$defs/T" }, { "type": "null" }] } },
                "c": { "type": ["string", "null"], "enum": ["x", null] },
                "d": { "type": "string", "nullable": false },
            },
        });
        assert_eq!(schema, wanted);
        assert!(!names_nullable(
            &json!({ "nullable": false, "type": "string" })
        ));
    }
}
