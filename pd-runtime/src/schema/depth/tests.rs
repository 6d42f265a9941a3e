//! Tests of the limits on the depth of schemas.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use super::*;
use crate::{
    registry::{schema::InputSchema, validate::ArgumentValidator},
    schema::CompiledSchema,
    tool::error::ToolError,
};
use serde_json::json;

/// Builds a chain of references for one value, the last of which enters the value and starts again.
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

/// Nests schemas under one keyword.
fn nested_schema(keyword: &str, levels: usize) -> Value {
    let inside = |inner: Value| match keyword {
        "properties" => json!({ "properties": { "a": inner } }),
        "anyOf" | "allOf" | "oneOf" => json!({ keyword: [inner] }),
        _ => json!({ keyword: inner }),
    };
    let inner = (0..levels).fold(json!({}), |inner, _| inside(inner));
    json!({ "type": "object", "properties": { "a": inner } })
}

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
        let (fits, fits_not) = (instance(levels), json!({ "a": [instance(levels)] }));
        for instance in [fits, fits_not] {
            let _ = compiled.validate(&instance, &[]);
        }
        // Dropping a value is recursion, too.
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(judging).unwrap().join().unwrap();
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
    for keyword in ["properties", "items", "additionalProperties", "unevaluatedProperties", "propertyNames", "contains"]
    {
        compile_and_validate(nested_schema(keyword, 2 * LEVELS_MAX), 128);
    }
}

#[test]
fn chains_for_one_value_are_bounded_whatever_they_are_made_of() {
    let over = format!("{} schemas apply to one value in a chain", CHAIN_MAX + 1);
    assert!(refused(chain(CHAIN_MAX + 1)).starts_with(&over));
    for keyword in ["anyOf", "allOf", "oneOf", "not", "if", "then", "else"] {
        assert!(refused(around(keyword, CHAIN_MAX)).starts_with(&over), "{keyword}");
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
    let quoted =
        json!({ "type": "object", "const": { "$ref": "#" }, "enum": [instance(1_000)], "default": { "$ref": "#" } });
    check(&quoted).unwrap();
}

#[test]
fn a_registry_with_such_a_tool_is_not_built() {
    let Value::Object(schema) = chain(CHAIN_MAX + 1) else { unreachable!() };
    assert!(
        ArgumentValidator::new(&InputSchema::from_schema(schema)).unwrap_err().contains("schemas apply to one value")
    );
}

/// Builds schemas of which each refers to the next and contains it in a property.
fn chain_into(steps: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    for step in 1..steps {
        let next = json!({ "properties": { "a": { "$ref": format!("#/$defs/{}", step + 1) } } });
        definitions.insert(step.to_string(), next);
    }
    definitions.insert(steps.to_string(), json!({ "type": "string" }));
    json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/1" } }, "$defs": definitions })
}

/// Builds schemas with two references each to the next.
fn doubled(steps: usize, keyword: &str) -> Value {
    let mut definitions = serde_json::Map::new();
    for step in 1..steps {
        let next = json!({ "$ref": format!("#/$defs/{}", step + 1) });
        let both = match keyword {
            "properties" => {
                json!({ "anyOf": [{ "properties": { "a": next } }, { "properties": { "a": next, "b": false } }] })
            }
            keyword => json!({ keyword: vec![next; 8] }),
        };
        definitions.insert(step.to_string(), both);
    }
    definitions.insert(steps.to_string(), json!({ "type": "string" }));
    json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/1" } }, "$defs": definitions })
}

/// Builds a registry on a stack of the size of a server's thread, and renders its tool in every
/// form.
fn built(schema: Value, is_output: bool) -> Result<(), String> {
    let building = move || {
        let tool = crate::Tool::<()>::new("t", "Do it", |_, _, _| Box::pin(async { Err(ToolError::new("X", "x")) }));
        let tool = if is_output { tool.output_schema(schema) } else { tool.input_schema(schema) };
        let registry = crate::Registry::builder().tool(tool).build().map_err(|problems| problems.to_string())?;
        let about = registry.tools[0].about.clone();
        let mut out = String::new();
        crate::catalog::signature::ToolSignature::new(&about).write(&mut out, None);
        registry.lint();
        #[cfg(feature = "export")]
        {
            let directory = std::env::temp_dir().join(format!("pd-runtime-depth-{}-{is_output}", std::process::id()));
            registry.export(crate::export::Format::TypeScript, &directory).unwrap();
            std::fs::remove_dir_all(directory).unwrap();
        }
        Ok(())
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(building).unwrap().join().unwrap()
}

#[test]
fn every_view_of_a_schema_keeps_to_the_stack() {
    for is_output in [false, true] {
        // A definition that nothing refers to is never followed.
        let unused = json!({ "type": "object", "$defs": { "A": { "allOf": [{ "$ref": "#/$defs/A" }] } } });
        built(unused, is_output).unwrap();
        for refused in [chain(100_000), json!({ "type": "object", "$ref": "#" }), nested_schema("items", 500)] {
            built(refused, is_output).unwrap_err();
        }
        built(chain_into(5_000), is_output).unwrap();
        built(doubled(40, "properties"), is_output).unwrap();
        let why = built(doubled(7, "allOf"), is_output).unwrap_err();
        assert!(
            why.contains("schemas apply to one value through `$ref`, `anyOf` and the like, over the limit of 10000"),
            "{why}"
        );
    }
}

/// jsonschema would validate such a value once for each of 2 to the power of 40 paths.
#[test]
fn a_schema_of_very_many_ways_judges_each_value_once() {
    let Value::Object(schema) = doubled(40, "properties") else { unreachable!() };
    let validator = ArgumentValidator::new(&InputSchema::from_schema(schema)).unwrap();
    for (leaf, fits) in [(json!("x"), true), (json!(1), false)] {
        let arguments = (0..40).fold(leaf, |inner, _| json!({ "a": inner }));
        let Value::Object(arguments) = arguments else { unreachable!() };
        let begun = cpu_time::ThreadTime::now();
        assert_eq!(validator.validate(arguments).is_ok(), fits);
        assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
    }
}

#[test]
fn groups_that_stand_too_deep_are_refused_whatever_their_number() {
    let building = || {
        let inner = |group: crate::Group<()>, number: usize| {
            crate::Group::new(format!("g{number}"), "Hold one group").group(group)
        };
        let deep = (0..200_000).fold(crate::Group::new("inmost", "Hold nothing"), inner);
        crate::Registry::builder().group(deep).build().map(drop).unwrap_err().to_string()
    };
    let refused = std::thread::Builder::new().stack_size(2 << 20).spawn(building).unwrap().join().unwrap();
    assert!(refused.contains("8"), "{refused}");
}
