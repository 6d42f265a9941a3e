//! A document of several files.

use crate::{
    front::{Front, until},
    harness::client::Era,
    mock::MockApi,
};
use pd_runtime::openapi::OpenApi;
use serde_json::{Value, json};
use std::{fs, path::Path};

fn root() -> Value {
    json!({
        "openapi": "3.1.0", "info": { "title": "Things", "version": "1" },
        "servers": [{ "url": "http://127.0.0.1:9/v1" }],
        "paths": {
            "/things/{id}": { "$ref": "paths/things.yaml" },
            "/whole": { "get": { "$ref": "paths/whole.yaml" } },
            "/other": { "get": { "$ref": "../elsewhere.yaml" } },
            "/item": { "$ref": "missing.yaml#/x" },
            "/parameter": { "get": { "parameters": [{ "$ref": "https://example.com/p.yaml" }] } },
            "/body": { "post": { "requestBody": { "$ref": "#/components/requestBodies/None" } } },
        },
    })
}

const THINGS: &str = "\
parameters:
  - { name: id, in: path, required: true, schema: { type: integer } }
put:
  operationId: replace_thing
  summary: Replace a thing
  requestBody:
    content:
      application/json: { schema: { $ref: '../schemas/Thing.yaml' } }
  responses: { '200': { description: Done } }
";
const THING: &str = "\
type: object
required: [name]
properties:
  name: { type: string, description: Its name }
  owner: { $ref: people.yaml#/Person }
  parts: { type: array, items: { $ref: '#' } }
";
const PEOPLE: &str = "Person: { type: object, properties: { email: { type: string } } }";
const WHOLE: &str = "operationId: read_whole\nsummary: Read the whole\nresponses: {}";

fn write(directory: &Path) {
    for (name, text) in [
        ("paths/things.yaml", THINGS),
        ("paths/whole.yaml", WHOLE),
        ("schemas/Thing.yaml", THING),
        ("schemas/people.yaml", PEOPLE),
    ] {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn files_are_one_document_and_what_is_elsewhere_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let spec = directory.path().join("api/spec.json");
    write(spec.parent().unwrap());
    fs::write(directory.path().join("elsewhere.yaml"), WHOLE).unwrap();
    fs::write(&spec, root().to_string()).unwrap();
    let api = OpenApi::from_file(&spec).unwrap();
    let names: Vec<_> = api.operations().map(|one| one.name()).collect();
    assert_eq!(names, ["replace_thing", "read_whole"]);
    let input = Value::Object(api.operations().next().unwrap().input().clone());
    let expected = json!({
        "type": "object",
        "properties": {
            "id": { "type": "integer" },
            "name": { "type": "string", "description": "Its name" },
            "owner": { "$ref": "#/$defs/Person" },
            "parts": { "type": "array", "items": { "$ref": "#/$defs/Thing" } },
        },
        "required": ["id", "name"],
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(input[key], *value, "{input}");
    }
    let left_out: Vec<_> = api.left_out().collect();
    let beside = "which is not a file beside the document or below; bundle the document into one";
    assert_eq!(
        left_out,
        [
            (
                "GET /other",
                &*format!("it refers to `../elsewhere.yaml`, {beside}")
            ),
            (
                "/item",
                &*format!("it refers to `missing.yaml#/x`, {beside}")
            ),
            (
                "GET /parameter",
                &*format!(
                    "a parameter is missing: it refers to `https://example.com/p.yaml`, {beside}"
                )
            ),
            (
                "POST /body",
                "its body is missing: it refers to `#/components/requestBodies/None`, which the document does not have"
            ),
        ]
    );
    // Without the files, nothing of this is made up.
    let error = OpenApi::from_text(&root().to_string())
        .unwrap_err()
        .to_string();
    assert!(error.contains("`paths/things.yaml`"), "{error}");
}

#[tokio::test]
async fn a_change_of_any_file_is_a_change_of_the_list() {
    let mut bundled = root();
    let paths = json!({ "/things/{id}": {
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }],
        "put": { "operationId": "replace_thing", "requestBody": { "content": { "application/json": { "schema": {} } } }, "responses": { "200": { "description": "Done" } } },
    } });
    bundled["paths"] = paths;
    let api = MockApi::start(&bundled).await;
    let entry = json!({ "url": format!("{}/v1", api.url) });
    // The files are beside the document once the gateway has a directory.
    let front = Front::new(&bundled, entry).await;
    write(front.directory.path());
    front.replace_document(&root());
    let count = || front.gateway.registry::<()>().len();
    until("the files", || count() == 2).await;
    for era in Era::ALL {
        let client = front.client(era).await;
        let arguments = json!({ "id": 7, "name": "a", "parts": [{ "name": "b" }] });
        let done = client.call_described("api__replace_thing", arguments).await;
        assert_ne!(done["isError"], true, "{era:?}: {done}");
    }
    let things = THINGS.to_owned() + "delete: { operationId: delete_thing, responses: {} }\n";
    let path = front.directory.path().join("paths/things.yaml");
    fs::write(&path, &things).unwrap();
    until("the new operation", || count() == 3).await;
    // A broken file leaves the former list, and is read again once it is mended.
    fs::write(&path, "put: [").unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    assert_eq!(count(), 3);
    fs::write(&path, THINGS).unwrap();
    until("the mended file", || count() == 2).await;
    // A file that was not there is read once it is.
    let missing = "x: { get: { operationId: read_item, responses: {} } }";
    fs::write(front.directory.path().join("missing.yaml"), missing).unwrap();
    until("the file that was missing", || count() == 3).await;
    front.gateway.stop().await;
}
