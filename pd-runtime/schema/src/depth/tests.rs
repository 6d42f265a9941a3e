//! Tests of the limits on the depth of schemas.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::{samples::*, *};
use crate::CompiledSchema;
use serde_json::json;

/// Wraps the schema that enters the value into `steps` others.
fn around(keyword: &str, steps: usize) -> Value {
    let inside = |inner: Value| match keyword {
        "anyOf" | "allOf" | "oneOf" => json!({ keyword: [inner] }),
        // Without `if` they mean nothing.
        "then" | "else" => json!({ "if": true, keyword: inner }),
        _ => json!({ keyword: inner }),
    };
    let into = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A" } } });
    let first = (0..steps).fold(into.clone(), |inner, _| inside(inner));
    json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": { "A": first } })
}

fn instance(levels: usize) -> Value {
    (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }))
}

/// Compiles and validates without the limits, on a stack of the size of a server's thread.
fn compile_and_validate(schema: Value, levels: usize) {
    let judging = move || {
        let compiled = CompiledSchema::compile(&schema).unwrap();
        let fits = instance(levels);
        let fits_not = json!({ "a": [instance(levels)] });
        for instance in [fits, fits_not] {
            let _ = compiled.validate(&instance, &[]);
        }
        // Dropping a value is recursion, too.
    };
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(judging)
        .unwrap()
        .join()
        .unwrap();
}

fn check(schema: &Value) -> Result<(), String> {
    CompiledSchema::new(schema).map(drop)
}

fn refused(schema: Value) -> String {
    check(&schema).unwrap_err()
}

#[test]
fn what_is_let_through_fits_on_a_stack() {
    check(&chain(CHAIN_MAX)).unwrap();
    for (steps, levels) in [(CHAIN_MAX, 128), (2 * CHAIN_MAX, 64)] {
        compile_and_validate(chain(steps), levels);
        for keyword in ["anyOf", "allOf", "oneOf", "not", "if"] {
            compile_and_validate(around(keyword, steps), levels);
        }
    }
    for keyword in [
        "properties",
        "items",
        "additionalProperties",
        "unevaluatedProperties",
        "propertyNames",
        "contains",
    ] {
        compile_and_validate(nested_schema(keyword, 2 * LEVELS_MAX), 128);
    }
}

#[test]
fn chains_for_one_value_are_bounded_whatever_they_are_made_of() {
    let over = format!("{} schemas apply to one value in a chain", CHAIN_MAX + 1);
    assert!(refused(chain(CHAIN_MAX + 1)).starts_with(&over));
    for keyword in ["anyOf", "allOf", "oneOf", "not", "if", "then", "else"] {
        assert!(
            refused(around(keyword, CHAIN_MAX)).starts_with(&over),
            "{keyword}"
        );
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
fn a_schema_that_refers_to_itself_must_enter_the_value() {
    let text = "it refers to itself without going into the value, so it constrains nothing; remove that `$ref`";
    for schema in [
        json!({ "type": "object", "$ref": "#" }),
        json!({ "items": { "$ref": "#/$defs/A" }, "$defs": { "A": { "allOf": [{ "$ref": "#/$defs/A" }] } } }),
        json!({ "$id": "urn:a", "type": "object", "not": { "$ref": "urn:a" } }),
        json!({ "type": "object", "properties": { "a": { "$anchor": "here", "anyOf": [{ "$ref": "#here" }] } } }),
        json!({ "items": { "$ref": "#/$defs/A" }, "$defs": { "A": { "if": { "$ref": "#/%24defs/A" } } } }),
        // References with base URIs lead to the same places.
        json!({ "$id": "https://a.example/b/", "items": { "$id": "c", "$ref": "https://a.example/b/c" } }),
        json!({ "items": { "$id": "https://a.example/b/c", "allOf": [{ "$ref": "c" }] } }),
        json!({ "items": { "$dynamicAnchor": "here", "anyOf": [{ "$dynamicRef": "#here" }] } }),
    ] {
        assert_eq!(refused(schema.clone()), text, "{schema}");
    }
    check(&chain(3)).unwrap();
    let tree = json!({ "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#" } } } });
    check(&tree).unwrap();
}

#[test]
fn what_is_only_quoted_is_no_schema() {
    let quoted = json!({ "type": "object", "const": { "$ref": "#" }, "enum": [instance(1_000)], "default": { "$ref": "#" } });
    check(&quoted).unwrap();
}

/// jsonschema would validate such a value once for each of 2 to the power of 40 paths.
#[test]
fn a_schema_of_very_many_ways_judges_each_value_once() {
    let compiled = CompiledSchema::new(&doubled(40, "properties")).unwrap();
    for (leaf, fits) in [(json!("x"), true), (json!(1), false)] {
        let arguments = (0..40).fold(leaf, |inner, _| json!({ "a": inner }));
        let begun = cpu_time::ThreadTime::now();
        assert_eq!(compiled.validate(&arguments, &[]).is_ok(), fits);
        assert!(
            begun.elapsed() < std::time::Duration::from_secs(2),
            "{:?}",
            begun.elapsed()
        );
    }
}
