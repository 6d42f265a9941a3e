//! Tools whose schemas are not quite those of MCP. They are offered, and a call that the server takes
//! passes.

use super::*;

/// An input schema, arguments that its server takes, and whether the gateway checks all of it.
fn odd_schemas() -> Vec<(Value, Value, bool)> {
    let property = |schema: Value| json!({ "type": "object", "properties": { "a": schema } });
    let text = || json!({ "a": "x-y" });
    let deep = (0..100).fold(json!({}), |inner, _| json!({ "items": inner }));
    vec![
        (json!({}), text(), true),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#" }),
            text(),
            true,
        ),
        (
            json!({ "properties": { "a": { "type": "string" } } }),
            text(),
            true,
        ),
        (json!(null), text(), false),
        (json!(true), text(), false),
        (json!([]), text(), false),
        (
            json!({ "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            text(),
            true,
        ),
        (
            json!({ "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            text(),
            true,
        ),
        (
            json!({ "$ref": "#/$defs/A", "$defs": { "A": { "type": "object" } } }),
            text(),
            true,
        ),
        (
            json!({ "$ref": "#/definitions/A", "definitions": { "A": { "properties": { "a": {} } } } }),
            text(),
            true,
        ),
        (json!({ "type": ["object", "null"] }), text(), true),
        (json!({ "type": "any" }), text(), true),
        (json!({ "type": "" }), text(), true),
        (json!({ "type": null }), text(), true),
        (json!({ "type": "object", "required": null }), text(), true),
        (json!({ "type": "object", "required": "a" }), text(), true),
        (
            json!({ "type": "object", "properties": null }),
            text(),
            true,
        ),
        (json!({ "type": "object", "properties": [] }), text(), true),
        (
            json!({ "type": "object", "additionalProperties": null }),
            text(),
            true,
        ),
        (
            json!({ "type": "object", "$ref": "https://example.com/schema.json" }),
            text(),
            false,
        ),
        (
            property(json!({ "type": "string", "required": true })),
            text(),
            true,
        ),
        (property(json!({ "type": "any" })), text(), false),
        (property(json!({ "type": "file" })), text(), false),
        (
            property(json!({ "$ref": "https://example.com/a.json" })),
            text(),
            false,
        ),
        (
            property(json!({ "$ref": "#/$defs/missing" })),
            text(),
            false,
        ),
        (
            property(json!({ "type": "string", "pattern": "[\\w-.]+" })),
            text(),
            false,
        ),
        (
            property(json!({ "type": "string", "pattern": "(?P<name>x)" })),
            json!({ "a": "x" }),
            true,
        ),
        (
            property(json!({ "type": "string", "pattern": "(?i)X" })),
            text(),
            true,
        ),
        (
            property(json!({ "type": "string", "pattern": "[" })),
            text(),
            false,
        ),
        (
            property(json!({ "type": "string", "format": null })),
            text(),
            true,
        ),
        (property(json!({ "enum": "x-y" })), text(), false),
        (property(json!({ "enum": null })), text(), true),
        (
            property(json!({ "type": "string", "minLength": "0" })),
            text(),
            false,
        ),
        (
            property(json!({ "type": "string", "default": 5 })),
            text(),
            true,
        ),
        (
            property(json!({ "type": "integer", "minimum": "0" })),
            json!({ "a": 1 }),
            false,
        ),
        (
            property(json!({ "type": "integer", "minimum": 0, "exclusiveMinimum": true })),
            json!({ "a": 1 }),
            true,
        ),
        (
            property(json!({ "type": "array", "items": null })),
            json!({ "a": [1] }),
            true,
        ),
        (
            property(json!({ "type": "array", "items": "string" })),
            json!({ "a": ["x"] }),
            false,
        ),
        (
            property(json!({ "type": "array", "items": [] })),
            json!({ "a": ["x"] }),
            true,
        ),
        (
            property(json!({ "type": "string", "nullable": true })),
            json!({ "a": null }),
            true,
        ),
        (
            property(json!({ "enum": ["x"], "type": "string", "nullable": true })),
            json!({ "a": null }),
            true,
        ),
        (
            property(json!({ "$ref": "#/$defs/T", "nullable": true })),
            json!({ "a": null }),
            false,
        ),
        (property(json!({ "$ref": "#/properties/a" })), text(), false),
        (property(deep), text(), false),
        (property(json!("string")), text(), false),
        (property(json!(null)), text(), true),
    ]
}

fn gateway(desk: &Desk, tools: &[Value]) -> Gateway {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/odd_schemas.py");
    let file = desk.0.path().join("tools.json");
    fs::write(&file, json!(tools).to_string()).unwrap();
    desk.gateway([(
        "s".to_owned(),
        json!({ "command": "python3", "args": [script, file] }),
    )])
}

#[tokio::test]
async fn a_tool_with_an_odd_schema_is_offered_and_called() {
    let odd = odd_schemas();
    let tool = |(number, (schema, ..)): (usize, &(Value, Value, bool))| json!({ "name": format!("t{number}"), "description": "Return the arguments", "inputSchema": schema });
    let mut tools: Vec<Value> = odd.iter().enumerate().map(tool).collect();
    tools.push(json!({ "name": "absent", "description": "Has no inputSchema" }));
    let desk = Desk::new();
    let gateway = gateway(&desk, &tools);
    gateway.refresh().await;
    let status = gateway.status().remove(0);
    assert_eq!(status.left_out, [], "{:?}", status.left_out);
    let full = gateway.builder().listing(Listing::Full).build().unwrap();
    let server = gateway.builder().build().unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        // Clients such as the SDK for TypeScript refuse a list with any other root.
        for tool in connect(era, &full).await.list().await["tools"]
            .as_array()
            .unwrap()
        {
            let schema = &tool["inputSchema"];
            assert_eq!(schema["type"], "object", "{tool}");
            assert!(schema.get("required").is_none_or(Value::is_array), "{tool}");
            assert!(
                schema.get("properties").is_none_or(Value::is_object),
                "{tool}"
            );
        }
        for (number, (schema, arguments, is_checked)) in odd.iter().enumerate() {
            let name = format!("s__t{number}");
            let result = client.call_described(&name, arguments.clone()).await;
            assert_eq!(told(&result), *arguments, "{schema}");
            let notes: Vec<_> = status
                .unchecked
                .iter()
                .filter(|(tool, _)| *tool == format!("t{number}"))
                .collect();
            assert_eq!(notes.is_empty(), *is_checked, "{schema}: {notes:?}");
            if era.has_session() {
                let call = json!({ "name": name, "arguments": arguments });
                assert_eq!(
                    told(&client.call("call_tool", call).await),
                    *arguments,
                    "{schema}"
                );
            }
        }
        assert_eq!(
            told(&client.call_described("s__absent", json!({ "a": 1 })).await),
            json!({ "a": 1 })
        );
    }
    gateway.stop().await;
}

/// The rest of a schema is checked all the same.
#[tokio::test]
async fn a_keyword_that_cannot_be_compiled_costs_no_other_check() {
    let schema = json!({
        "required": ["a"],
        "properties": { "a": { "type": "string", "pattern": "[", "maxLength": 3 }, "b": { "nullable": true, "type": "integer" } },
    });
    let desk = Desk::new();
    let gateway = gateway(
        &desk,
        &[json!({ "name": "t", "description": "Return the arguments", "inputSchema": schema })],
    );
    gateway.refresh().await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    assert_eq!(
        told(
            &client
                .call_described("s__t", json!({ "a": "x", "b": null }))
                .await
        )["b"],
        Value::Null
    );
    for arguments in [
        json!({}),
        json!({ "a": "long" }),
        json!({ "a": "x", "b": "c" }),
        json!({ "a": null }),
    ] {
        let result = client.call("s__t", arguments.clone()).await;
        assert!(
            text(&result).contains("INVALID_ARGUMENTS"),
            "{arguments}: {result}"
        );
    }
    let unchecked = &gateway.status()[0].unchecked;
    assert!(
        unchecked[0].1.contains("/properties/a/pattern"),
        "{unchecked:?}"
    );
    gateway.stop().await;
}

/// Servers read more than a format has: Pydantic takes a `date-time` without an offset.
#[tokio::test]
async fn the_server_judges_formats() {
    let formats = [
        ("date-time", "2026-01-01T10:00:00"),
        ("date-time", "2026-01-01 10:00"),
        ("time", "10:00"),
        ("duration", "01:30:00"),
        ("uuid", "0123456789abcdef0123456789abcdef"),
        ("uri", "/tmp/x"),
        ("hostname", "my_host"),
        ("email", "Bob <b@x.example>"),
    ];
    let date = json!({ "oneOf": [{ "type": "string", "format": "date" }, { "type": "string", "format": "date-time" }] });
    let schema =
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "date": date } });
    let mut tools =
        vec![json!({ "name": "d", "description": "Return the arguments", "inputSchema": schema })];
    for (number, (format, _)) in formats.iter().enumerate() {
        let mut schema = schema.clone();
        schema["properties"]["a"]["format"] = json!(format);
        // Such a schema is compiled in part.
        for (name, nullable) in [("t", false), ("n", true)] {
            schema["properties"]["a"]["nullable"] = json!(nullable);
            tools.push(json!({ "name": format!("{name}{number}"), "description": "Return the arguments", "inputSchema": schema }));
        }
    }
    let desk = Desk::new();
    let gateway = gateway(&desk, &tools);
    gateway.refresh().await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    for (number, (format, text)) in formats.iter().enumerate() {
        for name in ["t", "n"] {
            let arguments = json!({ "a": text });
            let result = client
                .call_described(&format!("s__{name}{number}"), arguments.clone())
                .await;
            assert_eq!(told(&result), arguments, "{format}");
        }
    }
    for date in ["2026-01-01", "2026-01-01T10:00:00Z", "yesterday"] {
        let arguments = json!({ "date": date });
        let result = client.call_described("s__d", arguments.clone()).await;
        assert_eq!(told(&result), arguments);
    }
    let wrong = client.call("s__t0", json!({ "a": 1 })).await;
    assert!(text(&wrong).contains("INVALID_ARGUMENTS"), "{wrong}");
    gateway.stop().await;
}

/// A client compiles an output schema, and would fail each call of such a tool.
#[tokio::test]
async fn an_output_schema_that_cannot_be_compiled_is_not_listed() {
    let schemas = [
        json!(null),
        json!("object"),
        json!({ "type": "object", "properties": { "a": { "$ref": "https://example.com/a.json" } } }),
        json!({ "type": "object", "properties": { "a": { "pattern": "[" } } }),
    ];
    let tool = |(number, schema): (usize, &Value)| json!({ "name": format!("t{number}"), "description": "d", "inputSchema": { "type": "object" }, "outputSchema": schema });
    let desk = Desk::new();
    let gateway = gateway(
        &desk,
        &schemas.iter().enumerate().map(tool).collect::<Vec<_>>(),
    );
    gateway.refresh().await;
    let server = gateway.builder().listing(Listing::Full).build().unwrap();
    let client = connect(Era::Session, &server).await;
    let list = client.list().await;
    let listed = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["description"] == "d");
    let listed: Vec<&Value> = listed.collect();
    assert_eq!(listed.len(), 4);
    assert!(
        listed.iter().all(|tool| tool.get("outputSchema").is_none()),
        "{listed:?}"
    );
    assert_eq!(
        gateway.status()[0].unchecked.len(),
        2,
        "what is no schema says nothing: {:?}",
        gateway.status()[0].unchecked
    );
    gateway.stop().await;
}

/// Before 2026-07-28, structured content is an object. `null` means that there is none, so that a client
/// shows the text.
#[tokio::test]
async fn null_as_structured_content_is_none_before_2026_07_28() {
    let desk = Desk::new();
    let tool = json!({ "name": "structured_any", "description": "d", "inputSchema": { "type": "object" } });
    let gateway = gateway(&desk, &[tool]);
    gateway.refresh().await;
    let server = gateway.builder().build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &server).await;
        let is_modern = matches!(era, Era::Inline | Era::HttpInline);
        for (content, before) in [
            (json!(null), None),
            (json!([1, 2]), Some(json!({ "result": [1, 2] }))),
            (json!({ "a": 1 }), Some(json!({ "a": 1 }))),
        ] {
            let arguments = json!({ "content": content });
            let mut results = vec![
                client
                    .call_described("s__structured_any", arguments.clone())
                    .await,
            ];
            if era.has_session() {
                let call = json!({ "name": "s__structured_any", "arguments": arguments });
                results.push(client.call("call_tool", call).await);
            }
            for result in results {
                let expected = if is_modern {
                    Some(content.clone())
                } else {
                    before.clone()
                };
                assert_eq!(
                    result.get("structuredContent").cloned(),
                    expected,
                    "{era:?}: {result}"
                );
            }
        }
    }
    gateway.stop().await;
}
