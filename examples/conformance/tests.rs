//! What the suite does not look at: that the gate is on all the while, and that what comes and goes does.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "../guard.rs"]
mod guard;

use crate::{App, Line, changes, handler::Beside, registry, server};
use clap::Parser;
use pd_runtime::{PdServer, rmcp};
use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, CallToolResult, ReadResourceRequestParams},
    service::RunningService,
};
use serde_json::{Value, json};
use std::{error::Error, time::Duration};

type Client = RunningService<RoleClient, ()>;

#[test]
fn the_registry_keeps_its_promises() -> Result<(), Box<dyn Error>> {
    registry(false)?.check()?;
    registry(true)?.check()?;
    Ok(())
}

#[tokio::test]
async fn fixtures_are_called_undescribed() {
    let called = call(&client(&built()).await, "test_simple_text", json!({})).await;
    assert_eq!(
        (called.is_error, text(&called)),
        (Some(false), "This is a simple text response for testing.")
    );
}

#[tokio::test]
async fn tools_beside_them_are_refused_until_they_were_described() {
    let client = client(&built()).await;
    for (name, arguments, result) in [
        ("count_words", json!({ "text": "one two" }), "2"),
        ("convert_temperature", json!({ "fahrenheit": 98.6 }), "37.0"),
    ] {
        let refused = call(&client, name, arguments.clone()).await;
        assert_eq!(refused.is_error, Some(true), "{name}");
        assert!(
            text(&refused).contains("TOOL_DESCRIPTION_REQUIRED"),
            "{name}: {}",
            text(&refused)
        );
        let uri = format!("resource:///tool_descriptions?tools={name}");
        client
            .read_resource(ReadResourceRequestParams::new(uri))
            .await
            .unwrap();
        assert_eq!(text(&call(&client, name, arguments).await), result);
    }
}

/// rmcp's client says that it can neither sample nor elicit.
#[tokio::test]
async fn a_missing_capability_is_a_protocol_error() {
    let client = client(&built()).await;
    let failed = client
        .call_tool(CallToolRequestParams::new("test_missing_capability"))
        .await
        .unwrap_err();
    let rmcp::ServiceError::McpError(error) = failed else {
        panic!("{failed}")
    };
    assert_eq!(error.code.0, -32021);
    assert_eq!(
        error.data.unwrap()["requiredCapabilities"],
        json!({ "sampling": {} })
    );
}

#[tokio::test]
async fn a_tool_and_a_prompt_come_and_go() {
    let server = built();
    changes::follow(&server);
    let client = client(&server).await;
    for there in [true, false] {
        call(&client, "test_trigger_tool_change", json!({})).await;
        call(&client, "test_trigger_prompt_change", json!({})).await;
        let prompts = client.list_all_prompts().await.unwrap();
        assert_eq!(
            prompts
                .iter()
                .any(|prompt| prompt.name == "test_added_prompt"),
            there
        );
        let listed = async {
            while client
                .list_all_tools()
                .await
                .unwrap()
                .iter()
                .any(|tool| tool.name == "test_added_tool")
                != there
            {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), listed)
            .await
            .unwrap();
    }
}

fn built() -> PdServer<App, Beside> {
    server().unwrap().build().unwrap()
}

async fn client(server: &PdServer<App, Beside>) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let handler = server.handler();
    tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
    ().serve(ours).await.unwrap()
}

async fn call(client: &Client, name: &'static str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().cloned().unwrap();
    client
        .call_tool(CallToolRequestParams::new(name).with_arguments(arguments))
        .await
        .unwrap()
}

fn text(result: &CallToolResult) -> &str {
    result
        .content
        .first()
        .and_then(|content| content.as_text())
        .map_or("", |text| &text.text)
}

#[tokio::test]
async fn nobody_gets_in_without_a_token() {
    guard::lets_nobody_in(|arguments| async move {
        let fixed = std::iter::once("conformance".to_owned());
        crate::run(Line::try_parse_from(fixed.chain(arguments)).unwrap()).await
    })
    .await;
}
