//! Files in forms, unions with a discriminator, and objects whose members become parameters.

use crate::{front::Front, harness::client::Era, harness::text, mock::MockApi};
use pd_runtime::Registry;
use serde_json::{Value, json};

fn document() -> Value {
    let echo = json!({ "echo": true });
    let file = json!({ "type": "string", "format": "binary", "description": "A picture." });
    let form = |schema: Value| json!({ "multipart/form-data": { "schema": schema } });
    let post = |name: &str, content: Value| {
        json!({ "post": {
        "operationId": name, "requestBody": { "required": true, "content": content },
        "responses": { "200": { "description": "Done" } }, "x-mock": echo,
    } })
    };
    let pets = json!({ "pet": { "oneOf": [
        { "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" },
        { "$ref": "#/components/schemas/Fish" },
    ], "discriminator": { "propertyName": "petType", "mapping": {
        "kitty": "#/components/schemas/Cat", "cat": "Cat", "doggy": "#/components/schemas/Dog",
    } } } });
    let pet = json!({ "type": "object", "required": ["petType"], "properties": {
        "petType": { "type": "string", "description": "Its kind." }, "lives": { "type": "integer" },
    } });
    let filter = json!({ "name": "filter", "in": "query", "style": "form", "explode": true, "schema": { "type": "object" } });
    let theme = json!({ "name": "theme", "in": "cookie", "schema": { "type": "object" } });
    let deep = json!({ "name": "deep", "in": "query", "style": "deepObject", "schema": { "type": "object" } });
    json!({
        "openapi": "3.1.0", "servers": [{ "url": "/v1" }],
        "paths": {
            "/all": post("all", form(json!({ "type": "object", "properties": {
                "files": { "type": "array", "items": file }, "one": file, "note": { "type": "string" },
            }, "required": ["files"] }))),
            "/whole": post("whole", form(json!({ "$ref": "#/components/schemas/Upload" }))),
            "/raw": post("raw", json!({ "application/octet-stream": {} })),
            "/pet": post("pet", json!({ "application/json": { "schema": { "type": "object", "properties": pets } } })),
            "/find": { "get": {
                "operationId": "find", "parameters": [filter, theme, deep], "security": [{ "key": [] }, { "sid": [] }],
                "responses": { "200": { "description": "Done" } }, "x-mock": echo,
            } },
        },
        "components": {
            "schemas": { "Cat": pet, "Dog": pet, "Fish": pet, "Upload": { "type": "object", "anyOf": [
                { "required": ["files"] }, { "required": ["url"] },
            ], "properties": { "files": { "type": "array", "items": file }, "url": { "type": "string" } } } },
            "securitySchemes": {
                "key": { "type": "apiKey", "in": "query", "name": "api_key" },
                "sid": { "type": "apiKey", "in": "cookie", "name": "sid" },
            },
        },
    })
}

async fn start() -> (MockApi, Front) {
    let document = document();
    let api = MockApi::start(&document).await;
    let entry = json!({ "url": format!("{}/v1", api.url), "auth": { "key": "key-secret-123" } });
    let front = Front::locked(&document, entry).await;
    assert_eq!(front.error(), "");
    (api, front)
}

fn schema(front: &Front, tool: &str) -> Value {
    let registry: Registry<()> = front.gateway.registry();
    let tool = registry.tool(&format!("api__{tool}"));
    Value::Object((**tool.unwrap().input()).clone())
}

#[tokio::test]
async fn each_file_of_a_list_is_sent_as_a_file() {
    let (api, front) = start().await;
    let client = front.client(Era::Session).await;
    for tool in ["all", "whole"] {
        let files = json!({ "files": ["aGVsbG8=", "d29ybGQ="] });
        client.call_described(&format!("api__{tool}"), files).await;
        let body = api.last()["body"].as_str().unwrap().to_owned();
        let file =
            "name=\"files\"; filename=\"files\"\r\nContent-Type: application/octet-stream\r\n\r\n";
        for bytes in ["hello", "world"] {
            assert!(
                body.contains(&format!("{file}{bytes}\r\n")),
                "{tool}: {body}"
            );
        }
    }
    let before = api.count();
    let wrong = json!({ "files": ["aGVsbG8=", "not base64!"] });
    let refused = client.call_described("api__all", wrong).await;
    assert!(text(&refused).contains("base64"), "{refused}");
    assert_eq!(api.count(), before);
}

#[tokio::test]
async fn a_model_reads_that_files_are_base64() {
    let (_api, front) = start().await;
    for (tool, place, about) in [
        ("all", "/properties/files/items", "A picture. In base64."),
        ("all", "/properties/one", "A picture. In base64."),
        ("whole", "/properties/files/items", "A picture. In base64."),
        ("raw", "/properties/body", "The bytes in base64."),
    ] {
        let schema = schema(&front, tool);
        let file = schema
            .pointer(place)
            .unwrap_or_else(|| panic!("{tool}: {schema}"));
        assert_eq!(file["contentEncoding"], "base64", "{tool}: {file}");
        assert_eq!(file["description"], about, "{tool}: {file}");
    }
}

#[tokio::test]
async fn the_mapping_of_a_discriminator_chooses_the_branch() {
    let (api, front) = start().await;
    let client = front.client(Era::Session).await;
    let schema = schema(&front, "pet");
    let branches = schema["properties"]["pet"]["anyOf"].as_array().unwrap();
    let kinds: Vec<&Value> = branches
        .iter()
        .map(|branch| &branch["properties"]["petType"]["enum"])
        .collect();
    assert_eq!(
        kinds,
        [&json!(["kitty", "cat"]), &json!(["doggy"]), &Value::Null]
    );
    assert!(branches[2]["$ref"].is_string(), "{schema}");
    client
        .call_described(
            "api__pet",
            json!({ "pet": { "petType": "cat", "lives": 9 } }),
        )
        .await;
    assert_eq!(api.last()["body"], r#"{"pet":{"petType":"cat","lives":9}}"#);
}

/// Whether or not the operator has set the credential.
#[tokio::test]
async fn no_member_of_an_object_sets_a_credential() {
    let (api, front) = start().await;
    let client = front.client(Era::Session).await;
    for arguments in [
        json!({ "filter": { "api_key": "evil", "z": "1" } }),
        json!({ "filter": { "API_KEY": "evil" } }),
        json!({ "theme": { "sid": "evil" } }),
    ] {
        let refused = client.call_described("api__find", arguments.clone()).await;
        assert!(
            text(&refused).contains("carries a credential"),
            "{arguments}: {refused}"
        );
    }
    assert_eq!(api.count(), 0);
    let arguments = json!({ "filter": { "z": "1", "sid": "2" }, "deep": { "api_key": "x" } });
    client.call_described("api__find", arguments).await;
    let target = api.last()["target"].as_str().unwrap().to_owned();
    assert!(
        target.ends_with("?z=1&sid=2&deep%5Bapi_key%5D=x&api_key=key-secret-123"),
        "{target}"
    );
}
