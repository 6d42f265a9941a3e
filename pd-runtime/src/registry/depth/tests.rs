//! How deep schemas may lead before nobody can judge them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use super::*;
use crate::registry::{schema::Input, validate::Validator};
use serde_json::json;

/// As many references for one value as this, the last of which goes into the value and begins again.
fn chain(steps: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    for step in 1..steps {
        definitions.insert(step.to_string(), json!({ "$ref": format!("#/$defs/{}", step + 1) }));
    }
    let into = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/1" } } });
    definitions.insert(steps.to_string(), into.clone());
    let mut schema = into;
    schema["$defs"] = Value::Object(definitions);
    schema
}

/// A schema in a schema, this often, each under the same keyword.
fn nested_schema(keyword: &str, levels: usize) -> Value {
    let inside = |inner: Value| match keyword {
        "properties" => json!({ "properties": { "a": inner } }),
        "anyOf" | "allOf" | "oneOf" => json!({ keyword: [inner] }),
        _ => json!({ keyword: inner }),
    };
    let inner = (0..levels).fold(json!({}), |inner, _| inside(inner));
    json!({ "type": "object", "properties": { "a": inner } })
}

/// This many schemas around the one that goes into the value.
fn around(keyword: &str, steps: usize) -> Value {
    let inside = |inner: Value| match keyword {
        "anyOf" | "allOf" | "oneOf" => json!({ keyword: [inner] }),
        _ => json!({ keyword: inner }),
    };
    let into = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A" } } });
    let first = (0..steps).fold(into.clone(), |inner, _| inside(inner));
    json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": { "A": first } })
}

fn instance(levels: usize) -> Value {
    (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }))
}

/// Compiles and judges, on a stack as large as that of a server's thread, what the check is not asked about.
fn compiled_and_judged(schema: Value, levels: usize) {
    let judging = move || {
        let validator = jsonschema::options().build(&schema).unwrap();
        let (fits, fits_not) = (instance(levels), json!({ "a": [instance(levels)] }));
        for instance in [fits, fits_not] {
            let _ = (validator.is_valid(&instance), validator.iter_errors(&instance).count());
        }
        // Dropping is recursion, too.
        drop(validator);
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(judging).unwrap().join().unwrap();
}

fn refused(schema: Value) -> String {
    check(&schema).unwrap_err()
}

#[test]
fn what_is_let_through_fits_on_a_stack() {
    check(&chain(STEPS_MAX)).unwrap();
    for (steps, levels) in [(STEPS_MAX, 128), (2 * STEPS_MAX, 64)] {
        compiled_and_judged(chain(steps), levels);
        for keyword in ["anyOf", "allOf", "oneOf", "not", "if"] {
            compiled_and_judged(around(keyword, steps), levels);
        }
    }
    for keyword in ["properties", "items", "additionalProperties", "unevaluatedProperties", "propertyNames", "contains"]
    {
        compiled_and_judged(nested_schema(keyword, 2 * LEVELS_MAX), 128);
    }
}

#[test]
fn chains_for_one_value_are_bounded_whatever_they_are_made_of() {
    let over = format!("one value is judged by {} schemas", STEPS_MAX + 1);
    assert!(refused(chain(STEPS_MAX + 1)).starts_with(&over));
    for keyword in ["anyOf", "allOf", "oneOf", "not", "if", "then", "else"] {
        assert!(refused(around(keyword, STEPS_MAX)).starts_with(&over), "{keyword}");
    }
    assert!(refused(chain(100_000)).contains("over the limit"));
}

#[test]
fn nesting_is_bounded() {
    check(&nested_schema("items", LEVELS_MAX - 3)).unwrap();
    for levels in [LEVELS_MAX, 500] {
        assert!(refused(nested_schema("items", levels)).starts_with("it is nested "));
    }
}

#[test]
fn who_refers_to_itself_goes_into_the_value_first() {
    let text = "it refers to itself without going into the value, so it says nothing; remove that `$ref`";
    for schema in [
        json!({ "type": "object", "$ref": "#" }),
        json!({ "type": "object", "$defs": { "A": { "allOf": [{ "$ref": "#/$defs/A" }] } } }),
        json!({ "$id": "urn:a", "type": "object", "not": { "$ref": "urn:a" } }),
        json!({ "type": "object", "properties": { "a": { "$anchor": "here", "anyOf": [{ "$ref": "#here" }] } } }),
        json!({ "type": "object", "$defs": { "A": { "if": { "$ref": "#/%24defs/A" } } } }),
    ] {
        assert_eq!(refused(schema.clone()), text, "{schema}");
    }
    check(&chain(3)).unwrap();
    let tree = json!({ "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#" } } } });
    check(&tree).unwrap();
}

#[test]
fn what_is_only_quoted_is_no_schema() {
    let quoted =
        json!({ "type": "object", "const": { "$ref": "#" }, "enum": [instance(1_000)], "default": { "$ref": "#" } });
    check(&quoted).unwrap();
}

#[test]
fn a_registry_with_such_a_tool_is_not_built() {
    let Value::Object(schema) = chain(STEPS_MAX + 1) else { unreachable!() };
    assert!(Validator::new(&Input::of_schema(schema)).unwrap_err().contains("one value is judged by"));
}
