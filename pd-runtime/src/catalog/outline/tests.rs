//! The outlines of schemas: what stays, what is merged, and the limits.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::*;
use serde_json::Value;

fn outline(schema: Value) -> Value {
    Value::Object((*SchemaOutline::new(schema.as_object().unwrap()).schema).clone())
}

fn argument(schema: Value) -> Value {
    outline(json!({ "type": "object", "properties": { "a": schema }, "required": ["a"] }))["properties"]["a"].take()
}

#[test]
fn it_has_names_and_types_of_all_arguments_required_ones_first_and_no_texts() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Log",
        "description": "Reads the history.",
        "type": "object",
        "properties": {
            "limit": { "type": "integer", "default": 5, "minimum": 1, "description": "At most this many." },
            "path": { "type": "string", "description": "The file.", "examples": ["src"] },
        },
        "required": ["path"],
        "additionalProperties": false,
    });
    let listed = outline(schema);
    assert_eq!(
        listed.to_string(),
        r#"{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}"#
    );
    assert_eq!(
        outline(json!({})),
        json!({ "type": "object", "properties": {} })
    );
    assert_eq!(
        outline(json!({ "type": "object" })),
        json!({
            "type": "object", "additionalProperties": true, "properties": {},
        })
    );
}

#[test]
fn every_member_has_a_type() {
    for (schema, listed) in [
        (
            json!(true),
            json!({ "type": ["string", "number", "boolean", "object", "array"] }),
        ),
        (
            json!({ "type": ["string", "null"] }),
            json!({ "type": "string" }),
        ),
        (
            json!({ "type": ["integer", "number"] }),
            json!({ "type": "number" }),
        ),
        (
            json!({ "type": ["integer", "string"] }),
            json!({ "type": ["integer", "string"] }),
        ),
        (
            json!({ "enum": ["a", "b"] }),
            json!({ "type": "string", "enum": ["a", "b"] }),
        ),
        (
            json!({ "enum": [1, 2, null] }),
            json!({ "type": "integer" }),
        ),
        (
            json!({ "const": "a" }),
            json!({ "type": "string", "enum": ["a"] }),
        ),
        (
            json!({ "anyOf": [{ "type": "null" }, { "type": "integer" }] }),
            json!({ "type": "integer" }),
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "object" }] }),
            json!({ "type": "string" }),
        ),
        (
            json!({ "oneOf": [{ "const": "a", "title": "A" }, { "const": "b" }] }),
            json!({ "type": "string", "enum": ["a", "b"] }),
        ),
        (
            json!({ "type": "array" }),
            json!({ "type": "array", "items": { "type": "string" } }),
        ),
        (
            json!({ "items": { "enum": ["a"] } }),
            json!({ "type": "array", "items": { "type": "string", "enum": ["a"] } }),
        ),
        (
            json!({ "type": "object" }),
            json!({ "type": "object", "additionalProperties": true }),
        ),
        (
            json!({ "type": "object", "additionalProperties": false }),
            json!({ "type": "object" }),
        ),
        (
            json!({ "allOf": [{ "$ref": "#/$defs/none" }, { "type": "boolean" }] }),
            json!({ "type": "boolean" }),
        ),
        (json!({ "$ref": "#" }), json!({ "type": "object" })),
    ] {
        let got = argument(schema.clone());
        if schema.get("$ref").is_some() {
            assert_eq!(got["type"], "object", "a schema that refers to itself ends");
        } else {
            assert_eq!(got, listed, "{schema}");
        }
    }
}

#[test]
fn references_and_objects_inside_arguments_are_outlined_to_a_depth() {
    let point = json!({ "type": "object", "properties": {
        "x": { "type": "number", "description": "To the right." }, "label": { "type": "string" },
    }, "required": ["x"] });
    let listed = outline(json!({
        "type": "object", "$defs": { "Point": point },
        "properties": { "to": { "$ref": "#/$defs/Point" }, "via": { "type": "array", "items": { "$ref": "#/$defs/Point" } } },
    }));
    let shown = json!({
        "type": "object", "properties": { "x": { "type": "number" }, "label": { "type": "string" } }, "required": ["x"],
    });
    assert_eq!(listed["properties"]["to"], shown);
    assert_eq!(listed["properties"]["via"]["items"], shown);
    let deep = (0..9).fold(
        json!({ "type": "string" }),
        |inner, _| json!({ "type": "object", "properties": { "in": inner } }),
    );
    assert!(argument(deep).to_string().len() < 400);
}

#[test]
fn a_root_union_becomes_one_object_that_requires_what_all_branches_require() {
    let listed = outline(json!({
        "oneOf": [
            { "type": "object", "properties": { "kind": { "const": "file" }, "path": { "type": "string" } }, "required": ["kind", "path"] },
            { "type": "object", "properties": { "kind": { "const": "url" }, "url": { "type": "string" } }, "required": ["kind", "url"] },
        ],
    }));
    assert_eq!(listed["type"], "object");
    assert_eq!(listed["required"], json!(["kind"]));
    let names: Vec<_> = listed["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["kind", "path", "url"]);
    let with_root = outline(json!({
        "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
        "anyOf": [{ "required": ["a"] }, { "required": ["b"] }], "allOf": [{ "required": ["b"] }],
    }));
    assert_eq!(with_root["required"], json!(["b"]));
}

#[test]
fn long_enumerations_are_left_out_and_those_of_optional_arguments_earlier() {
    let values = |count: usize| {
        (0..count)
            .map(|value| value.to_string())
            .collect::<Vec<_>>()
    };
    let listed = |count: usize, required: bool| {
        let required = if required { json!(["a"]) } else { json!([]) };
        outline(json!({ "properties": { "a": { "enum": values(count) } }, "required": required }))
    };
    assert_eq!(
        listed(20, true)["properties"]["a"]["enum"]
            .as_array()
            .unwrap()
            .len(),
        20
    );
    assert!(listed(21, true)["properties"]["a"].get("enum").is_none());
    assert!(listed(3, false)["properties"]["a"].get("enum").is_some());
    assert!(listed(4, false)["properties"]["a"].get("enum").is_none());
}

#[test]
fn names_that_providers_refuse_are_listed_under_others_and_changed_back() {
    let schema = json!({ "type": "object", "properties": {
        "größe in cm": { "type": "integer" }, "gr__e_in_cm": { "type": "string" }, "$filter": { "type": "string" },
        "nested": { "type": "object", "properties": { "a b": { "type": "string" } } },
    }, "required": ["größe in cm"] });
    let outlined = SchemaOutline::new(schema.as_object().unwrap());
    let properties = outlined.schema["properties"].as_object().unwrap();
    let names: Vec<_> = properties.keys().map(String::as_str).collect();
    assert_eq!(names, ["gr__e_in_cm_2", "gr__e_in_cm", "_filter", "nested"]);
    assert_eq!(outlined.schema["required"], json!(["gr__e_in_cm_2"]));
    assert_eq!(
        properties["nested"],
        json!({ "type": "object", "additionalProperties": true })
    );
    let mut sent = json!({ "gr__e_in_cm_2": 3, "_filter": "x" })
        .as_object()
        .cloned()
        .unwrap();
    outlined.names.restore(&mut sent);
    assert_eq!(
        Value::Object(sent),
        json!({ "größe in cm": 3, "$filter": "x" })
    );
    let mut own = json!({ "$filter": "y", "_filter": "x" })
        .as_object()
        .cloned()
        .unwrap();
    outlined.names.restore(&mut own);
    assert_eq!(own["$filter"], "y");
}

#[test]
fn a_hostile_schema_costs_a_bounded_time() {
    let to =
        |next: &str| json!({ "anyOf": vec![json!({ "$ref": format!("#/$defs/{next}") }); 200] });
    let schema = json!({ "properties": { "a": to("A") }, "$defs": { "A": to("B"), "B": to("C"), "C": to("A") } });
    let begun = cpu_time::ThreadTime::now();
    outline(schema);
    assert!(begun.elapsed().as_millis() < 500, "{:?}", begun.elapsed());
}
