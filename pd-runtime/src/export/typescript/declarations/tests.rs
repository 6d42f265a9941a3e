//! Tests of the type of each keyword. `tests/interop/export.py` checks that the whole compiles.

use super::{TypeDeclarations, TypeNames};
use serde_json::{Value, json};

/// Returns the declarations of a schema's types, on one line each.
fn declared(schema: &Value) -> String {
    TypeDeclarations::new(schema, &mut TypeNames::with_taken(&["Root"]))
        .declare("Root")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the type of a schema alone.
fn type_of(schema: Value) -> String {
    let declared = declared(&json!({ "items": schema }));
    let item = declared
        .strip_prefix("export type Root = ")
        .and_then(|text| text.strip_suffix("[];"));
    item.map(str::to_owned).unwrap_or(declared)
}

#[test]
fn kinds_and_values_have_types() {
    for (schema, written) in [
        (json!({ "type": "string" }), "string"),
        (json!({ "type": "integer", "minimum": 1 }), "number"),
        (json!({ "type": ["string", "null"] }), "(string | null)"),
        (json!({ "type": ["integer", "number"] }), "number"),
        (json!({ "enum": ["a", 1, null] }), "(\"a\" | 1 | null)"),
        (
            json!({ "type": "string", "enum": ["a'\"\n"] }),
            "\"a'\\\"\\n\"",
        ),
        (
            json!({ "const": { "a-b": [1, true] } }),
            "{ \"a-b\": [1, true] }",
        ),
        (json!({ "enum": [] }), "never"),
        (json!(true), "unknown"),
        (json!(false), "never"),
        (json!({}), "unknown"),
        (json!({ "type": "array" }), "unknown[]"),
        (
            json!({ "type": "array", "items": { "type": ["string", "null"] } }),
            "(string | null)[]",
        ),
    ] {
        assert_eq!(type_of(schema.clone()), written, "{schema}");
    }
}

#[test]
fn lists_of_fixed_places_are_tuples() {
    let pair = json!([{ "type": "string" }, { "type": ["integer", "null"] }]);
    for (schema, written) in [
        (
            json!({ "prefixItems": pair, "minItems": 2, "items": false }),
            "[string, number | null]",
        ),
        (
            json!({ "prefixItems": pair, "minItems": 1, "maxItems": 2 }),
            "[string, (number | null)?]",
        ),
        (
            json!({ "prefixItems": pair }),
            "[string?, (number | null)?, ...unknown[]]",
        ),
        (
            json!({ "prefixItems": pair, "minItems": 2, "items": { "type": "null" } }),
            "[string, number | null, ...null[]]",
        ),
    ] {
        assert_eq!(type_of(schema.clone()), written, "{schema}");
    }
}

#[test]
fn objects_say_what_they_name() {
    let named = json!({ "a": { "type": "string", "description": "One." }, "b-c": true });
    for (schema, written) in [
        (json!({ "type": "object" }), "{ [key: string]: unknown }"),
        (
            json!({ "type": "object", "additionalProperties": false }),
            "{ [key: string]: never }",
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "number" } }),
            "{ [key: string]: number }",
        ),
        (
            json!({ "patternProperties": { "^x": { "type": "null" } }, "additionalProperties": false }),
            "{ [key: string]: null }",
        ),
        (
            json!({ "properties": named, "required": ["a"] }),
            "{ /** One. */ a: string; \"b-c\"?: unknown; }",
        ),
        (
            json!({ "properties": named, "additionalProperties": { "type": "number" } }),
            "{ /** One. */ a?: string; \"b-c\"?: unknown; [key: string]: unknown; }",
        ),
        (json!({ "required": ["z"] }), "{ z: unknown; }"),
    ] {
        assert_eq!(type_of(schema.clone()), written, "{schema}");
    }
}

#[test]
fn branches_are_unions_and_intersections() {
    let a = json!({ "required": ["a"] });
    let b = json!({ "required": ["b"] });
    for (schema, written) in [
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }, { "type": "string" }] }),
            "(string | null)",
        ),
        (json!({ "anyOf": [{ "type": "string" }, {}] }), "unknown"),
        (
            json!({ "allOf": [a, b] }),
            "({ a: unknown; } & { b: unknown; })",
        ),
        (
            json!({ "type": "object", "properties": { "a": {} }, "oneOf": [a, b] }),
            "({ a?: unknown; } & ({ a: unknown; } | { b: unknown; }))",
        ),
        (json!({ "anyOf": [false, false] }), "never"),
    ] {
        assert_eq!(type_of(schema.clone()), written, "{schema}");
    }
}

#[test]
fn references_are_types_of_their_own() {
    let schema = json!({
        "type": "object",
        "properties": {
            "left": { "$ref": "#/$defs/tree_node" },
            "root": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] },
            "other": { "$ref": "#/$defs/treeNode" },
            "lost": { "$ref": "#/$defs/none" },
            "far": { "$ref": "https://example.org/schema" },
        },
        "$defs": {
            "tree_node": { "description": "A node.", "type": "array", "items": { "$ref": "#/$defs/tree_node" } },
            "treeNode": { "type": "string" },
        },
    });
    assert_eq!(
        declared(&schema),
        "export type Root = { left?: TreeNode; root?: Root | null; other?: TreeNode2; lost?: unknown; far?: unknown; }; \
         /** A node. */ export type TreeNode = TreeNode[]; export type TreeNode2 = string;"
    );
}

#[test]
fn a_type_that_is_itself_is_unknown() {
    let schema = json!({
        "$ref": "#/$defs/a",
        "$defs": {
            "a": { "anyOf": [{ "$ref": "#/$defs/b" }, { "type": "null" }] },
            "b": { "allOf": [{ "$ref": "#/$defs/a" }] },
        },
    });
    assert_eq!(declared(&schema), "export type Root = unknown;");
    assert_eq!(
        declared(&json!({ "anyOf": [{ "$ref": "#" }] })),
        "export type Root = unknown;"
    );
}

#[test]
fn what_is_too_deep_is_unknown() {
    let deep = (0..200).fold(
        json!({ "type": "string" }),
        |inner, _| json!({ "type": "array", "items": inner }),
    );
    assert!(declared(&deep).contains("unknown[][]"));
}

#[test]
fn what_no_type_can_say_is_a_tag() {
    let schema = json!({ "properties": {
        "a": { "type": "string", "pattern": "^\\d*/$", "default": "x", "deprecated": true },
        "b": { "type": "integer", "exclusiveMinimum": 0, "default": null },
    } });
    let declared = declared(&schema);
    assert!(
        declared.contains("/** * @default x * @pattern ^\\d*\\/$ * @deprecated */ a?: string;"),
        "{declared}"
    );
    assert!(
        declared.contains("/** * @default null * @exclusiveMinimum 0 */ b?: number;"),
        "{declared}"
    );
}
