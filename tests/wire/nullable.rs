//! `nullable` of OpenAPI 3.0 in the schemas of tools that are made at run time.

use crate::harness::{
    client::{Era, connect},
    text,
};
use pd_runtime::{GateMode, IntoOutput, Listing, PdServer, Registry, Tool};
use rmcp::model::{self, CallToolResult};
use serde_json::{Value, json};
use std::sync::Arc;

/// The schema of a generator for OpenAPI 3.0.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer", "format": "int64", "nullable": true },
            "place": { "$ref": "#/$defs/Place", "nullable": true },
            "names": { "type": "array", "items": { "type": "string", "nullable": true } },
        },
        "$defs": { "Place": { "type": "object", "properties": { "x": { "type": "integer" } } } },
    })
}

fn registry() -> Registry<()> {
    let made = Tool::new("made", "Echo", |(): &(), _, arguments| {
        Box::pin(async move { CallToolResult::structured(Value::Object(arguments)).into_output() })
    });
    let object = |schema: Value| Arc::new(schema.as_object().cloned().unwrap());
    let definition = model::Tool::new("defined", "Echo the arguments", object(schema()));
    let defined = Tool::from_definition(
        definition.with_raw_output_schema(object(schema())),
        |(): &(), _, arguments| {
            Box::pin(
                async move { CallToolResult::structured(Value::Object(arguments)).into_output() },
            )
        },
    );
    let made = made.input_schema(schema()).output_schema(schema());
    Registry::builder()
        .tool(made)
        .tool(defined)
        .build()
        .unwrap()
}

#[tokio::test]
async fn null_is_accepted_where_a_schema_is_nullable() {
    let server = PdServer::builder(registry(), ())
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    for tool in ["made", "defined"] {
        let sent = json!({ "count": null, "place": null, "names": ["a", null] });
        let answer = client.call(tool, sent.clone()).await;
        assert_eq!(
            (&answer["isError"], &answer["structuredContent"]),
            (&json!(false), &sent),
            "{tool}: {answer}"
        );
        let refused = client.call(tool, json!({ "count": "many" })).await;
        assert!(
            text(&refused).contains("INVALID_ARGUMENTS"),
            "{tool}: {refused}"
        );
    }
}

#[test]
fn a_schema_in_json_schema_is_listed_and_a_definition_stays() {
    let registry = registry();
    let made = registry.tool("made").unwrap().input().clone();
    assert_eq!(
        made["properties"]["count"],
        json!({ "type": ["integer", "null"], "format": "int64" })
    );
    assert_eq!(
        made["properties"]["place"],
        json!({ "anyOf": [{ "$ref": "#/$defs/Place" }, { "type": "null" }] })
    );
    for tool in ["made", "defined"] {
        let signature = registry.signature(tool).unwrap();
        for member in [
            "count?: int(int64)|null",
            "place?: ",
            "|null",
            "names?: (string|null)[]",
        ] {
            assert!(signature.contains(member), "{signature}");
        }
        assert!(!signature.contains("nullable"), "{signature}");
    }
}
