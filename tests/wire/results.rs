//! What a call ends in: structured data by generation, failures with help, panics, cancellation, progress, more input.

use crate::harness::{
    client::{Client, Era, connect, error_of},
    code,
    line::Line,
    shop::{self, Shop},
    text, told,
};
use futures::{FutureExt, future::ready};
use pd_runtime::{GateMode, IntoOutput, PdServer, Registry, Tool, ToolError, config::MetaTools};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ClientCapabilities},
};
use serde_json::{Value, json};
use std::time::Duration;

fn ungated() -> PdServer<Shop> {
    shop::server().gate(GateMode::Off).build().unwrap()
}

async fn client(era: Era) -> Client {
    connect(era, &ungated()).await
}

/// The output schema that a client of this era reads, and the structured content it then gets.
async fn schema_and_content(era: Era, name: &str) -> (Value, Value) {
    let client = client(era).await;
    let schema = client.describe(name).await[name]["outputSchema"].take();
    let called = client.call(name, json!({})).await;
    (schema, called["structuredContent"].clone())
}

fn is_modern(era: Era) -> bool {
    matches!(era, Era::Inline | Era::HttpInline)
}

#[tokio::test]
async fn an_object_is_structured_content_in_every_era() {
    for era in Era::ALL {
        let (schema, content) = schema_and_content(era, "stock").await;
        assert_eq!(content, json!({ "articles": 7 }), "{era:?}");
        assert_eq!(schema["properties"]["articles"]["type"], "integer");
    }
}

#[tokio::test]
async fn an_array_is_wrapped_for_clients_before_2026_07_28() {
    for era in Era::ALL {
        let (schema, content) = schema_and_content(era, "prices").await;
        if is_modern(era) {
            assert_eq!(
                (&schema["type"], content),
                (&json!("array"), json!([100, 250])),
                "{era:?}"
            );
        } else {
            assert_eq!(schema["type"], "object", "{era:?}");
            assert_eq!(schema["properties"]["result"]["type"], "array");
            assert_eq!(content, json!({ "result": [100, 250] }), "{era:?}");
        }
    }
}

/// Clients check structured content against the schema, and drop the result where it does not fit.
#[tokio::test]
async fn structured_content_fits_the_schema_that_was_disclosed() {
    for era in Era::ALL {
        for name in ["stock", "prices", "measure", "photo"] {
            let (schema, content) = schema_and_content(era, name).await;
            let fits = jsonschema::validator_for(&schema)
                .unwrap()
                .is_valid(&content);
            assert!(fits, "{era:?} {name}: {content} does not fit {schema}");
        }
    }
}

#[tokio::test]
async fn structured_content_is_told_as_text_too_with_images_beside_it() {
    for era in Era::ALL {
        let called = client(era).await.call("photo", json!({})).await;
        assert_eq!(told(&called), json!({ "articles": 7 }), "{era:?}");
        assert_eq!(
            called["content"][1],
            json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" })
        );
    }
}

#[tokio::test]
async fn a_failure_is_a_result_with_its_codes_help() {
    for era in Era::ALL {
        let called = client(era)
            .await
            .call("pay", json!({ "card": "1234" }))
            .await;
        assert_eq!(called["isError"], true, "{era:?}");
        let error = json!({ "error": {
            "code": "CARD_REFUSED",
            "message": "the card 1234 was refused",
            "cause": "the bank said no.",
            "solution": "Ask for another card.",
        }});
        assert_eq!(told(&called), error, "{era:?}");
        assert_eq!(called.get("structuredContent"), None);
    }
}

#[tokio::test]
async fn texts_and_rmcps_errors_are_failed_calls_too() {
    let client = client(Era::Session).await;
    let grumbled = told(&client.call("grumble", json!({})).await);
    assert_eq!(
        grumbled,
        json!({ "error": { "code": "TOOL_FAILED", "message": "not today" } })
    );
    let protested = client.call("protest", json!({})).await;
    assert_eq!(code(&protested), "INVALID_ARGUMENTS");
    assert_eq!(
        told(&protested)["error"]["message"],
        r#"not like this ({"why":"because"})"#
    );
}

#[tokio::test]
async fn a_panic_fails_its_call_and_the_server_lives_on() {
    for era in Era::ALL {
        let client = client(era).await;
        for name in ["drop_vase", "drop_vase_below"] {
            let called = client.call(name, json!({})).await;
            assert_eq!(code(&called), "INTERNAL_ERROR", "{era:?} {name}");
            assert!(
                !called.to_string().contains("vase fell"),
                "the panic's own words stay inside"
            );
        }
        assert_eq!(
            text(&client.call("greet", json!({ "name": "Ada" })).await),
            "Welcome, Ada!"
        );
    }
}

/// A run-time tool is a closure, which may panic before there is a future to poll.
#[tokio::test]
async fn a_closure_that_panics_fails_its_call_too() {
    let broken = Tool::new("broken", "Break at once", |_: &(), _, arguments| {
        assert!(!arguments.is_empty(), "broken");
        ready(Ok(CallToolResult::success(Vec::new()).into())).boxed()
    });
    let registry = Registry::builder().tool(broken).build().unwrap();
    let shared = PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let mut line = Line::session(&shared).await;
    let called = tokio::time::timeout(Duration::from_secs(2), line.call("broken", json!({}))).await;
    assert_eq!(code(&called.expect("an answer")), "INTERNAL_ERROR");
}

#[tokio::test]
async fn a_blocking_tool_leaves_the_server_free() {
    for era in Era::ALL {
        assert_eq!(
            text(&client(era).await.call("inventory", json!({})).await),
            "done",
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn progress_reaches_the_client_in_order() {
    for era in [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline] {
        let client = client(era).await;
        assert_eq!(
            text(&client.call("bake", json!({})).await),
            "three loaves",
            "{era:?}"
        );
        let deadline = tokio::time::Instant::now() + Duration::from_secs(2);
        while client.noticed.progress.lock().unwrap().len() < 3
            && tokio::time::Instant::now() < deadline
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let reports = client.noticed.progress.lock().unwrap();
        let told: Vec<_> = reports
            .iter()
            .map(|one| (one.progress, one.total, one.message.as_deref()))
            .collect();
        let loaves = [
            (1.0, Some(3.0), Some("loaf 1")),
            (2.0, Some(3.0), Some("loaf 2")),
            (3.0, Some(3.0), Some("loaf 3")),
        ];
        assert_eq!(told, loaves, "{era:?}");
    }
}

#[tokio::test]
async fn cancellation_reaches_the_tool() {
    for era in [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline] {
        let shared = ungated();
        let client = connect(era, &shared).await;
        let waiting = client.start("queue").await;
        let started =
            tokio::time::timeout(Duration::from_secs(2), shared.state().started.notified()).await;
        started.expect("the tool to run");
        waiting
            .cancel(Some("closing time".to_owned()))
            .await
            .unwrap();
        let cancelled =
            tokio::time::timeout(Duration::from_secs(2), shared.state().cancelled.notified()).await;
        assert!(cancelled.is_ok(), "{era:?}: the tool was not told");
    }
}

#[tokio::test]
async fn a_tool_asks_for_more_input_and_goes_on_with_it() {
    for era in [Era::Inline, Era::HttpInline] {
        let shared = shop::server().build().unwrap();
        let client = connect(era, &shared).await;
        let described = client.describe("engrave").await;
        let ticket = crate::harness::client::ticket(&described["engrave"]).unwrap();
        let engraved = client
            .call("engrave", json!({ "disclosure_ticket": ticket }))
            .await;
        assert_eq!(text(&engraved), "ring for Ada", "{era:?}");
    }
}

#[tokio::test]
async fn a_request_for_input_goes_out_as_the_tool_made_it() {
    let first = Line::inline(&ungated(), json!({ "elicitation": {} }))
        .call("engrave", json!({}))
        .await;
    assert_eq!(
        (&first["resultType"], &first["requestState"]),
        (&json!("input_required"), &json!("ring"))
    );
    assert_eq!(
        first["inputRequests"]["name"]["params"]["message"],
        "Which name?"
    );
}

#[tokio::test]
async fn an_undisclosed_call_asks_for_no_input() {
    let client = connect(Era::Inline, &shop::server().build().unwrap()).await;
    assert_eq!(
        code(&client.call("engrave", json!({})).await),
        "TOOL_DESCRIPTION_REQUIRED"
    );
}

#[tokio::test]
async fn results_have_a_type_on_modern_requests_only() {
    let shared = ungated();
    let greet = json!({ "name": "greet", "arguments": { "name": "Ada" } });
    let modern = Line::inline(&shared, json!({}))
        .result("tools/call", greet.clone())
        .await;
    assert_eq!(modern["resultType"], "complete");
    let legacy = Line::session(&shared)
        .await
        .result("tools/call", greet)
        .await;
    assert_eq!(legacy.get("resultType"), None);
}

/// Tools that fail as MCP demands: the one resumes a state that was tampered with, the other misses a capability.
fn demanding() -> pd_runtime::ServerBuilder<()> {
    let resume = Tool::new("resume", "Resume a state", |(), _, _| {
        ready(Err(ToolError::protocol(ErrorData::invalid_params(
            "not our state",
            None,
        ))))
        .boxed()
    });
    let sample = Tool::new("sample", "Ask the client's model", |(), _, _| {
        let needed = ClientCapabilities::builder().enable_tasks().build();
        ready(Err::<String, _>(ErrorData::missing_required_client_capability(needed)).into_output())
            .boxed()
    });
    PdServer::builder(
        Registry::builder().tools([resume, sample]).build().unwrap(),
        (),
    )
    .listing(pd_runtime::Listing::Minimal)
    .session_per_call(pd_runtime::config::SessionPerCall::Refuse)
}

#[tokio::test]
async fn what_mcp_demands_is_a_protocol_error() {
    let ungated = demanding()
        .gate(GateMode::Off)
        .meta_tools(MetaTools::all())
        .build()
        .unwrap();
    for era in Era::ALL {
        let client = connect(era, &ungated).await;
        let told = error_of(client.try_call("resume", json!({})).await);
        assert_eq!(
            (told.code.0, &*told.message),
            (-32602, "not our state"),
            "{era:?}"
        );
        let told = error_of(client.try_call("sample", json!({})).await);
        assert_eq!(told.code.0, -32021, "{era:?}");
        assert!(
            told.data.unwrap()["requiredCapabilities"]["extensions"].is_object(),
            "{era:?}"
        );
        let through = json!({ "name": "resume", "arguments": {} });
        assert_eq!(
            error_of(client.try_call("call_tool", through).await).code.0,
            -32602,
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn an_undescribed_tool_is_refused_before_it_can_demand_anything() {
    let gated = demanding().build().unwrap();
    for era in Era::ALL {
        let refused = connect(era, &gated).await.call("resume", json!({})).await;
        assert_eq!(code(&refused), "TOOL_DESCRIPTION_REQUIRED", "{era:?}");
    }
}

/// Called from code, there is nobody to tell but the caller.
#[tokio::test]
async fn from_code_it_is_a_failure_like_others() {
    let failed = demanding()
        .registry()
        .call(&(), "resume", json!({}))
        .await
        .unwrap_err();
    assert_eq!(
        (failed.code.as_ref(), failed.message.as_str()),
        ("INVALID_ARGUMENTS", "not our state")
    );
}
