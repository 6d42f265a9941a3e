//! Documents of strangers: they cost bounded time and memory.

use pd_runtime::{
    Registry,
    openapi::{OpenApi, OpenApiError},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn document(paths: Value, schemas: Value) -> String {
    json!({
        "openapi": "3.1.0", "servers": [{ "url": "https://a.example" }],
        "paths": paths, "components": { "schemas": schemas },
    })
    .to_string()
}

fn posting(schema: Value) -> Value {
    json!({ "requestBody": { "content": { "application/json": { "schema": schema } } }, "responses": {} })
}

/// Reads a document in bounded time, also without optimization and on a busy machine.
fn read(text: &str) -> OpenApi {
    let began = Instant::now();
    let api = OpenApi::from_text(text).unwrap();
    let took = began.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
    api
}

#[test]
fn ten_thousand_operations_are_cut_to_five_thousand() {
    let paths: serde_json::Map<_, _> = (0..10_000)
        .map(|number| (format!("/p{number}"), json!({ "get": { "responses": {} } })))
        .collect();
    let api = read(&document(Value::Object(paths), json!({})));
    assert_eq!(api.operations().count(), 5_000);
    let (_, why) = api.left_out().next().unwrap();
    assert!(why.contains("more than 5000 operations"), "{why}");
}

#[test]
fn schemas_that_contain_themselves_end() {
    let schemas = json!({
        "Node": { "type": "object", "properties": {
            "next": { "$ref": "#/components/schemas/Node" },
            "all": { "type": "array", "items": { "$ref": "#/components/schemas/Node" } },
        } },
        "Circle": { "$ref": "#/components/schemas/Circle" },
        "One": { "allOf": [{ "$ref": "#/components/schemas/Two" }] },
        "Two": { "oneOf": [{ "$ref": "#/components/schemas/One" }, { "type": "string" }] },
    });
    let mut paths = json!({});
    for name in ["Node", "Circle", "One", "Two"] {
        let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
        paths[format!("/{name}")] = json!({ "post": posting(schema) });
    }
    let api = read(&document(paths, schemas));
    assert_eq!(api.operations().count(), 4);
    let registry: Registry<()> = Registry::from_openapi(api).unwrap();
    registry.check().unwrap();
}

/// Properties beside a union belong to each branch, so each level multiplies the schemas.
#[test]
fn nested_unions_do_not_multiply() {
    let mut schema = json!({ "type": "string" });
    for _ in 0..20 {
        let branches: Vec<_> = (0..24)
            .map(|number| json!({ "properties": { format!("b{number}"): { "type": "string" } } }))
            .collect();
        schema = json!({ "oneOf": branches, "properties": { "inner": schema } });
    }
    let paths = json!({ "/x": { "post": posting(json!({ "type": "object", "properties": { "it": schema } })) } });
    let api = read(&document(paths, json!({})));
    let size = api
        .operations()
        .next()
        .unwrap()
        .definition()
        .to_string()
        .len();
    assert!(size < 256 * 1024, "{size}");
}

/// Many operations refer to one large schema.
#[test]
fn a_large_schema_is_not_copied_without_end() {
    let properties: serde_json::Map<_, _> = (0..20_000)
        .map(|number| (format!("p{number}"), json!({ "type": "string" })))
        .collect();
    let schemas = json!({ "Large": { "type": "object", "properties": properties } });
    let schema = json!({ "$ref": "#/components/schemas/Large" });
    let paths: serde_json::Map<_, _> = (0..3_000)
        .map(|number| {
            (
                format!("/p{number}"),
                json!({ "post": posting(schema.clone()) }),
            )
        })
        .collect();
    let api = read(&document(Value::Object(paths), schemas));
    assert_eq!(api.operations().count(), 3_000);
    let total: usize = api
        .operations()
        .map(|operation| operation.definition().to_string().len())
        .sum();
    assert!(total < 512 << 20, "{total}");
}

#[test]
fn a_document_without_an_operation_says_why() {
    for paths in [
        json!({}),
        json!({ "/x": {} }),
        json!({ "/x": { "get": 3 } }),
        json!([]),
        json!(null),
    ] {
        let error = OpenApi::from_text(&document(paths, json!({}))).unwrap_err();
        assert!(
            matches!(error, OpenApiError::NoOperations { .. }),
            "{error}"
        );
    }
    let other = json!({ "/x": { "get": { "servers": [{ "url": "https://evil.example" }], "responses": {} } } });
    let error = OpenApi::from_text(&document(other, json!({}))).unwrap_err();
    assert!(
        error.to_string().contains("https://evil.example"),
        "{error}"
    );
}

/// Odd values in the place of each other are no panic.
#[test]
fn odd_values_are_read_as_nothing() {
    let odd = [
        json!(null),
        json!(1),
        json!("x"),
        json!([1]),
        json!({ "$ref": "#/x" }),
        json!({ "$ref": 3 }),
    ];
    let keys = [
        "parameters",
        "requestBody",
        "responses",
        "tags",
        "security",
        "servers",
        "operationId",
        "summary",
    ];
    for value in odd {
        for key in keys {
            let mut operation = json!({ "responses": {} });
            operation[key] = value.clone();
            let item = json!({ "get": operation, "parameters": value });
            let _ = OpenApi::from_text(&document(json!({ "/a/{b}": item }), value.clone()));
            let swagger = json!({ "swagger": "2.0", "paths": { "/a/{b}": item }, "host": value, "parameters": value, "definitions": value });
            let _ = OpenApi::from_text(&swagger.to_string());
        }
    }
}

/// One document of each kind of parser that is not complete at any byte.
#[test]
fn no_beginning_of_a_document_panics() {
    let json = document(
        json!({ "/x": { "post": posting(json!({ "type": "object" })) } }),
        json!({}),
    );
    let yaml = "openapi: 3.0.0\nservers: [{url: 'https://a'}]\npaths:\n  /x: &x\n    get: {responses: {200: {description: |\n      two\n      lines\n    }}}\n  /y: *x\n";
    for text in [json.as_str(), yaml] {
        for end in 0..text.len() {
            if let Some(beginning) = text.get(..end) {
                let _ = OpenApi::from_text(beginning);
            }
        }
    }
}
