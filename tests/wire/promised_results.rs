//! Results that break the output schema of their tool, and numbers that JSON lacks.

use crate::harness::{
    client::{Era, connect},
    code, text,
};
use pd_runtime::{
    GateMode, IntoOutput, Json, Listing, PdServer, Registry, Tool, prelude::pd_tool,
    tool::ToolResult,
};
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize, JsonSchema)]
struct Measured {
    celsius: Option<f64>,
}

/// Measure nothing
#[pd_tool]
fn not_a_number() -> Json<f64> {
    Json(f64::NAN)
}

/// Measure too much
#[pd_tool]
fn infinite() -> Json<Vec<Measured>> {
    Json(vec![
        Measured { celsius: None },
        Measured {
            celsius: Some(f64::INFINITY),
        },
    ])
}

/// Measure
#[pd_tool]
fn measured() -> Json<Vec<Measured>> {
    Json(vec![
        Measured { celsius: None },
        Measured {
            celsius: Some(21.5),
        },
    ])
}

/// A tool that was made at run time, with a result that may fit its schema or not.
fn made(name: &'static str, result: fn() -> ToolResult) -> Tool<()> {
    let schema = json!({ "type": "object", "properties": { "count": { "type": "integer" } }, "required": ["count"] });
    Tool::new(name, "Count", move |(): &(), _, _| {
        Box::pin(async move { result() })
    })
    .output_schema(schema)
}

fn structured(value: Value) -> ToolResult {
    CallToolResult::structured(value).into_output()
}

fn server() -> PdServer<()> {
    let made = [
        made("fits", || structured(json!({ "count": 3 }))),
        made("wrong", || structured(json!({ "count": "three" }))),
        made("missing", || structured(json!({}))),
        made("bare", || "3".into_output()),
        made("failed", || CallToolResult::error(Vec::new()).into_output()),
    ];
    let made = made
        .into_iter()
        .fold(Registry::builder(), pd_runtime::RegistryBuilder::tool)
        .build()
        .unwrap();
    let registry = pd_runtime::registry! { not_a_number, infinite, measured };
    let registry = registry.merge(made).unwrap();
    PdServer::builder(registry, ())
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_result_that_breaks_its_schema_is_an_error_of_the_server() {
    for era in Era::ALL {
        let client = connect(era, &server()).await;
        for (name, why) in [
            ("wrong", "is not of type integer"),
            ("missing", "is required"),
            ("bare", "there is no structured content"),
            ("not_a_number", "JSON has no number for NaN"),
            ("infinite", "JSON has no number for inf"),
        ] {
            let result = client.call(name, json!({})).await;
            assert_eq!(code(&result), "INTERNAL_ERROR", "{era:?}, {name}");
            assert!(text(&result).contains(why), "{era:?}, {name}: {result}");
            assert!(
                result.get("structuredContent").is_none(),
                "{era:?}, {name}: {result}"
            );
        }
        for name in ["fits", "measured"] {
            let result = client.call(name, json!({})).await;
            assert_ne!(result["isError"], true, "{era:?}, {name}: {result}");
            assert!(
                result["structuredContent"].is_object() || result["structuredContent"].is_array(),
                "{result}"
            );
        }
        assert_eq!(
            client.call("failed", json!({})).await["isError"],
            true,
            "an error promises nothing"
        );
    }
}

/// The same for calls that code makes.
#[tokio::test]
async fn a_test_of_the_author_sees_it_too() {
    let server = server();
    for name in ["wrong", "bare", "not_a_number"] {
        let failed = server
            .call(name, json!({}), &pd_runtime::CallContext::detached())
            .await;
        let failed = failed.map(|result| result.is_error);
        assert!(
            failed
                .as_ref()
                .is_err_and(|error| error.code == "INTERNAL_ERROR")
                || failed == Ok(Some(true)),
            "{name}"
        );
    }
}
