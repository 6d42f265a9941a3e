//! Arguments that clients copy into `Mcp-Param-*` headers (SEP-2243): compared for every tool, by
//! whichever way a call goes, and only for callers for whom the tool exists.

use crate::harness::{
    post::{Answer, Post},
    site::Site,
};
use axum::Router;
use futures::FutureExt;
use pd_runtime::{GateMode, IntoOutput, PdServer, Principal, Registry, Tool, serve};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject, ServerCapabilities,
        ServerConfig,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

fn schema() -> Value {
    let city = json!({ "city": { "type": "string", "x-mcp-header": "City" } });
    json!({ "type": "object", "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
        "count": { "type": "integer", "x-mcp-header": "Count" },
        "express": { "type": "boolean", "x-mcp-header": "Express" },
        "to": { "type": "object", "properties": city },
    } })
}

fn tool(name: &'static str) -> Tool<()> {
    Tool::new(name, "Ship a parcel", |(), _, _| {
        async { "shipped".into_output() }.boxed()
    })
    .input_schema(schema())
}

/// Shows `internal` to the staff alone, and `private` to callers without a name alone: a check that
/// knows no caller would compare the headers of `private` for everybody.
fn policy(who: Option<&Principal>, tool: &Tool<()>) -> bool {
    match tool.name() {
        "internal" => who.is_some_and(|who| who.subject() == "staff"),
        "private" => who.is_none(),
        _ => true,
    }
}

fn server() -> PdServer<()> {
    let tools = [
        tool("open"),
        tool("scoped").scope("ship"),
        tool("internal"),
        tool("private"),
    ];
    let registry = Registry::builder().tools(tools).build().unwrap();
    PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .access(policy)
        .build()
        .unwrap()
}

/// rmcp alone, with the same tool.
struct Reference;

impl ServerHandler for Reference {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        let schema: JsonObject = schema().as_object().cloned()?;
        (name == "open").then(|| rmcp::model::Tool::new("open", "Ship a parcel", schema))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::success(Vec::new()).into())
    }
}

async fn reference() -> Site {
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let service = StreamableHttpService::new(
        || Ok(Reference),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    Site::serve(Router::new().nest_service("/mcp", service)).await
}

async fn ours() -> Site {
    Site::serve(
        serve::router(
            &server(),
            &serve::HttpOptions::default(),
            CancellationToken::new(),
        )
        .unwrap(),
    )
    .await
}

/// The ways that a call can go: read at once, read by rmcp's transport, and in an author's own rmcp
/// service.
async fn ways() -> Vec<(Site, Post)> {
    let (plain, judged, foreign) = (
        ours().await,
        ours().await,
        Site::open(&server(), false).await,
    );
    let [by_plain, by_judged, by_foreign] =
        [&plain, &judged, &foreign].map(|site| Post::inline(&site.url));
    // A second `Accept` is not in the usual form of a plain call.
    let by_judged = by_judged.header("accept", "application/json");
    vec![
        (plain, by_plain),
        (judged, by_judged),
        (foreign, by_foreign),
    ]
}

fn with_headers(caller: &Post, headers: &[(&str, &str)]) -> Post {
    headers
        .iter()
        .fold(caller.clone(), |caller, (name, value)| {
            caller.header(name, value)
        })
}

async fn call(caller: &Post, name: &str, arguments: &Value) -> Answer {
    caller
        .send(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
        .await
}

type Case = (&'static [(&'static str, &'static str)], Value);

/// Calls whose headers are at fault.
fn faulty() -> Vec<Case> {
    let region = || json!({ "region": "north" });
    vec![
        (&[], region()),
        (&[("mcp-param-region", "south")], region()),
        (
            &[("mcp-param-region", "north"), ("mcp-param-region", "north")],
            region(),
        ),
        (
            &[("mcp-param-region", "north"), ("mcp-param-region", "south")],
            region(),
        ),
        (&[("mcp-param-region", "North")], region()),
        (&[("mcp-param-region", "north")], json!({})),
        (&[("mcp-param-region", "north")], json!({ "region": null })),
        (
            &[("mcp-param-region", "north")],
            json!({ "region": ["north"] }),
        ),
        (&[("mcp-param-region", "=?base64?bm9y?=")], region()),
        (&[("mcp-param-region", "=?base64?bm9ydGg?=")], region()),
        (&[("mcp-param-region", "=?base64?/w==?=")], region()),
        (&[("mcp-param-region", "=?base64?n?=")], region()),
        (&[("mcp-param-region", "nörth")], region()),
        (&[("mcp-param-region", "")], region()),
        (&[("mcp-param-count", "2.0")], json!({ "count": 2 })),
        (&[("mcp-param-count", "2")], json!({ "count": 2.0 })),
        (&[], json!({ "count": 0 })),
        (&[("mcp-param-express", "1")], json!({ "express": true })),
        (
            &[("mcp-param-city", "Oslo")],
            json!({ "to": { "city": "Rome" } }),
        ),
        (&[], json!({ "to": { "city": "Rome" } })),
        (&[("mcp-param-city", "Rome")], json!({ "to": "Rome" })),
        (
            &[("mcp-param-region", "north")],
            json!({ "region": "north", "count": 1 }),
        ),
    ]
}

/// Calls whose headers are right.
fn right() -> Vec<Case> {
    vec![
        (&[], json!({})),
        (&[], json!({ "region": null })),
        (
            &[("mcp-param-region", "north")],
            json!({ "region": "north" }),
        ),
        (
            &[("Mcp-Param-REGION", "north")],
            json!({ "region": "north" }),
        ),
        (
            &[("mcp-param-region", "=?base64?bsO2cnRo?=")],
            json!({ "region": "nörth" }),
        ),
        (&[("mcp-param-region", "")], json!({ "region": "" })),
        (
            &[("mcp-param-count", "-2"), ("mcp-param-express", "false")],
            json!({ "count": -2, "express": false }),
        ),
        (
            &[("mcp-param-city", "Oslo"), ("mcp-param-other", "x")],
            json!({ "to": { "city": "Oslo" } }),
        ),
    ]
}

#[tokio::test]
async fn a_fault_of_a_header_has_rmcps_answer_for_every_tool() {
    let (reference, ways) = (reference().await, ways().await);
    let theirs = Post::inline(&reference.url);
    for (headers, arguments) in faulty() {
        let expected = call(&with_headers(&theirs, headers), "open", &arguments).await;
        assert_eq!(
            (expected.status, &expected.body["error"]["code"]),
            (400, &json!(-32020)),
            "{headers:?} {arguments}"
        );
        for (number, (_, caller)) in ways.iter().enumerate() {
            for (token, name) in [
                ("alice ship", "scoped"),
                ("staff", "internal"),
                ("alice", "open"),
            ] {
                let answer = call(
                    &with_headers(&caller.bearer(token), headers),
                    name,
                    &arguments,
                )
                .await;
                let told = format!(
                    "way {number}: {name} {headers:?} {arguments}: {}",
                    answer.body
                );
                assert_eq!(
                    (answer.status, &answer.body),
                    (expected.status, &expected.body),
                    "{told}"
                );
            }
        }
    }
}

#[tokio::test]
async fn right_headers_pass_by_every_way() {
    let (reference, ways) = (reference().await, ways().await);
    let theirs = Post::inline(&reference.url);
    for (headers, arguments) in right() {
        assert_eq!(
            call(&with_headers(&theirs, headers), "open", &arguments)
                .await
                .status,
            200,
            "{headers:?}"
        );
        for (_, caller) in &ways {
            let answer = call(
                &with_headers(&caller.bearer("alice ship"), headers),
                "scoped",
                &arguments,
            )
            .await;
            // `null` is no text, which the schema judges, not the header.
            assert!(
                answer.status == 200 && answer.body["error"].is_null(),
                "{headers:?} {arguments}: {}",
                answer.body
            );
        }
    }
}

#[tokio::test]
async fn a_caller_to_whom_a_tool_is_hidden_learns_nothing_from_its_headers() {
    for (_, caller) in &ways().await {
        for (token, hidden) in [
            ("alice", "scoped"),
            ("alice other", "scoped"),
            ("alice", "internal"),
            ("bob", "private"),
        ] {
            for (headers, arguments) in faulty().into_iter().chain(right()) {
                let caller = with_headers(&caller.bearer(token), headers);
                let answer = call(&caller, hidden, &arguments).await;
                let unknown = call(&caller, "nowhere", &arguments).await;
                assert_eq!(answer.status, unknown.status, "{hidden} {headers:?}");
                let told = answer.body.to_string().replace(hidden, "nowhere");
                assert_eq!(told, unknown.body.to_string(), "{hidden} {headers:?}");
            }
        }
    }
}

/// Arguments that are no object reach no tool; a header beside them is at fault all the same.
#[tokio::test]
async fn a_header_without_its_argument_is_at_fault_whatever_the_arguments_are() {
    for (_, caller) in &ways().await {
        let caller = with_headers(
            &caller.bearer("alice ship"),
            &[("mcp-param-region", "north")],
        );
        let answer = call(&caller, "scoped", &json!(["north"])).await;
        assert_eq!(
            (answer.status, &answer.body["error"]["code"]),
            (400, &json!(-32020)),
            "{}",
            answer.body
        );
    }
}

/// What 2025-11-25 has no headers for is not compared.
#[tokio::test]
async fn sessions_before_2026_07_28_have_no_such_headers() {
    let site = ours().await;
    let caller = Post::session(&site.url, Some("alice ship")).await;
    let answer = call(&caller, "scoped", &json!({ "region": "north" })).await;
    assert_eq!(
        (answer.status, &answer.body["result"]["content"][0]["text"]),
        (200, &json!("shipped"))
    );
}
