//! The fast path, compared with rmcp's transport: a client cannot distinguish the two by their
//! answers.

use super::{
    super::{
        HttpOptions, PATH, assemble,
        endpoint::McpEndpoint,
        fast_path::{self, PlainHosts},
    },
    site::{TestAuthenticator, TestSite, request, text, until},
};
use crate::{CallContext, IntoOutput, PdServer, Registry, Tool, http_sessions::HttpSessions};

use axum::body::{Body, Bytes};
use futures::{FutureExt, StreamExt};
use http::{Request, StatusCode};
use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering::SeqCst, time::Duration};
use tokio_util::sync::CancellationToken;

const HEADERS: [(&str, &str); 6] = [
    ("host", "127.0.0.1:8080"),
    ("accept", "application/json, text/event-stream"),
    ("content-type", "application/json"),
    ("mcp-protocol-version", "2026-07-28"),
    ("mcp-method", "tools/call"),
    ("mcp-name", "echo"),
];

fn echo() -> Tool<()> {
    Tool::new(
        "echo",
        "Tell progress and return the arguments",
        |&(), context: &CallContext, arguments| {
            async move {
                context.progress(0.5, Some(1.0), "half").await;
                Value::Object(arguments).to_string().into_output()
            }
            .boxed()
        },
    )
    .input_schema(json!({ "type": "object", "properties": { "text": { "type": "string" } } }))
    .eager()
}

fn options() -> HttpOptions {
    HttpOptions {
        allowed_hosts: vec!["tools.example:8443".to_owned()],
        ..HttpOptions::default()
    }
}

fn endpoint() -> McpEndpoint {
    let hidden = Tool::new("gated", "Wait to be read about", |&(), _, _| {
        async { "read".into_output() }.boxed()
    });
    let registry = Registry::builder()
        .tool(echo())
        .tool(hidden)
        .build()
        .unwrap();
    let server = PdServer::builder(registry, ()).listing(crate::Listing::Minimal);
    let server = server
        .session_per_call(crate::config::SessionPerCall::Refuse)
        .build()
        .unwrap();
    let options = options();
    let config = options.config(CancellationToken::new());
    assemble(
        server.host(),
        &options,
        PATH,
        config,
        HttpSessions::new(options.caps()),
        None,
    )
    .endpoint
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "c", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A call of `echo` with these parameters replaced.
fn call(changed: Value) -> String {
    let mut params = json!({ "name": "echo", "arguments": { "text": "a" }, "_meta": meta() });
    let (Value::Object(params), Value::Object(changed)) = (&mut params, changed) else {
        panic!()
    };
    for (key, value) in changed {
        match value.is_null() {
            true => params.remove(&key),
            false => params.insert(key, value),
        };
    }
    request(json!(1), "tools/call", json!(params)).to_string()
}

/// The headers of a plain call, with these replaced or added.
fn with(changed: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let is_kept = |(name, _): &(&str, &str)| changed.iter().all(|(other, _)| other != name);
    let added = changed
        .iter()
        .copied()
        .filter(|(_, value)| !value.is_empty());
    HEADERS.into_iter().filter(is_kept).chain(added).collect()
}

fn post(headers: &[(&str, &str)], body: &str) -> Request<Body> {
    let post = Request::post("/mcp");
    let post = headers
        .iter()
        .fold(post, |post, (name, value)| post.header(*name, *value));
    post.body(Body::from(body.to_owned())).unwrap()
}

fn is_plain(headers: &[(&str, &str)], body: &str) -> bool {
    let (parts, _) = post(headers, body).into_parts();
    let hosts = options().config(CancellationToken::new()).allowed_hosts;
    fast_path::parse(
        &parts,
        &Bytes::from(body.to_owned()),
        &PlainHosts::new(&hosts),
    )
    .is_some()
}

async fn told(
    endpoint: &McpEndpoint,
    request: Request<Body>,
) -> (StatusCode, Vec<(String, String)>, String) {
    let response = endpoint.answer(request).await.map(Body::new);
    let told = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        (name.to_string(), value.to_str().unwrap().to_owned())
    };
    let mut headers: Vec<_> = response.headers().iter().map(told).collect();
    headers.sort();
    (response.status(), headers, text(response).await)
}

/// Sends the call as it is, and with a weight in a header, which makes rmcp's transport read it.
/// Both must get the same answer.
async fn same_answer(
    endpoint: &McpEndpoint,
    headers: &[(&str, &str)],
    body: &str,
) -> (StatusCode, String) {
    let weighed = |(name, value)| match (name, value) {
        ("accept", "application/json, text/event-stream") => {
            (name, "application/json, text/event-stream;q=1")
        }
        other => other,
    };
    let judged: Vec<_> = headers.iter().copied().map(weighed).collect();
    assert!(
        !is_plain(&judged, body),
        "rmcp does not look at {headers:?} {body}"
    );
    let (ours, theirs) = (
        told(endpoint, post(headers, body)).await,
        told(endpoint, post(&judged, body)).await,
    );
    assert_eq!(ours, theirs, "{headers:?} {body}");
    (ours.0, ours.2)
}

#[tokio::test]
async fn plain_calls_are_answered_as_rmcp_answers_them() {
    let endpoint = endpoint();
    let headers = with(&[]);
    let progress = |mut meta: Value| {
        meta["progressToken"] = json!("p");
        meta
    };
    let others: [(&[_], String, &str); 9] = [
        (&[], call(json!({})), r#"{\"text\":\"a\"}"#),
        (&[], call(json!({ "arguments": null })), "{}"),
        (
            &[],
            call(json!({ "arguments": { "text": 1 } })),
            "violations",
        ),
        (
            &[],
            call(
                json!({ "arguments": { "deep": [{ "a": [1.5, -2, 1e300, null, "é\u{1f600}"] }] } }),
            ),
            "deep",
        ),
        (
            &[],
            call(json!({ "_meta": progress(meta()) })),
            "notifications/progress",
        ),
        (
            &[("mcp-name", "gated")],
            call(json!({ "name": "gated" })),
            "disclosure_ticket",
        ),
        (
            &[("mcp-name", "none")],
            call(json!({ "name": "none" })),
            "-32602",
        ),
        (&[("host", "LOCALHOST")], call(json!({})), "text"),
        (
            &[("accept", "text/event-stream,APPLICATION/JSON , */*")],
            call(json!({})),
            "text",
        ),
    ];
    for (changed, body, has) in others {
        let headers = with(changed);
        assert!(is_plain(&headers, &body), "{changed:?} {body}");
        if changed.iter().all(|(name, _)| *name != "accept") {
            let (status, text) = same_answer(&endpoint, &headers, &body).await;
            assert!(
                status == 200 && text.contains(has),
                "{changed:?} {body}: {text}"
            );
        }
    }
    let named = call(json!({})).replace("\"id\":1", "\"id\":\"one\"");
    assert!(is_plain(&headers, &named));
    assert!(
        same_answer(&endpoint, &headers, &named)
            .await
            .1
            .contains("\"id\":\"one\"")
    );
}

#[tokio::test]
async fn whatever_rmcp_would_judge_it_judges() {
    let endpoint = endpoint();
    let refused: [(&[_], u16); 15] = [
        (&[("host", "evil.example")], 403),
        (&[("host", "127.0.0.1:80:80")], 400),
        (&[("host", "")], 400),
        (&[("host", "tools.example")], 403),
        (&[("origin", "http://evil.example")], 403),
        (&[("accept", "application/json")], 406),
        (
            &[("accept", "x;a=\"application/json,\", text/event-stream")],
            406,
        ),
        (
            &[("accept", "application/json;q=0, text/event-stream")],
            406,
        ),
        (&[("content-type", "text/plain")], 415),
        (&[("mcp-protocol-version", "2025-11-25")], 400),
        (&[("mcp-protocol-version", "")], 400),
        (&[("mcp-method", "tools/list")], 400),
        (&[("mcp-method", "")], 400),
        (&[("mcp-name", "other")], 400),
        (&[("mcp-name", "")], 400),
    ];
    for (changed, status) in refused {
        let headers = with(changed);
        let body = call(json!({}));
        assert!(!is_plain(&headers, &body), "{changed:?}");
        assert_eq!(
            told(&endpoint, post(&headers, &body)).await.0,
            status,
            "{changed:?}"
        );
    }
    for twice in HEADERS {
        let mut headers = with(&[]);
        headers.push(twice);
        assert!(!is_plain(&headers, &call(json!({}))), "{twice:?}");
    }
    let admitted: [&[_]; 5] = [
        &[("host", "[::1]:8080")],
        &[("host", "tools.example:8443")],
        &[("origin", "http://localhost:5173")],
        &[("content-type", "application/json; charset=utf-8")],
        &[("mcp-name", "=?base64?ZWNobw==?=")],
    ];
    for changed in admitted {
        assert!(!is_plain(&with(changed), &call(json!({}))), "{changed:?}");
        assert_eq!(
            told(&endpoint, post(&with(changed), &call(json!({}))))
                .await
                .0,
            200,
            "{changed:?}"
        );
    }
}

#[tokio::test]
async fn bodies_of_any_other_form_are_rmcps_to_read() {
    let endpoint = endpoint();
    let headers = with(&[]);
    let plain = call(json!({}));
    let params = json!([meta(), "echo", { "text": "a" }]);
    let without = |key: &str| {
        let mut meta = meta();
        meta.as_object_mut().unwrap().shift_remove(key);
        call(json!({ "_meta": meta }))
    };
    let others = [
        (without("io.modelcontextprotocol/protocolVersion"), 400),
        (without("io.modelcontextprotocol/clientCapabilities"), 400),
        (call(json!({ "_meta": null })), 400),
        (
            call(json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } })),
            400,
        ),
        (call(json!({ "requestState": "s" })), 200),
        (call(json!({ "inputResponses": {} })), 200),
        (call(json!({ "arguments": [] })), 200),
        (call(json!({ "name": 1 })), 200),
        (request(json!(1), "tools/call", params).to_string(), 400),
        (
            json!(["2.0", 1, "tools/call", { "_meta": meta(), "name": "echo" }]).to_string(),
            400,
        ),
        (plain.replace("\"2.0\"", "\"1.0\""), 400),
        (plain.replace("\"id\":1", "\"id\":null"), 400),
        (plain.replace("\"id\":1", "\"id\":1.5"), 400),
        (plain.replace("\"id\":1,", ""), 202),
        (plain.replace("\"id\":1", "\"id\":1,\"id\":2"), 400),
        (plain.replace("tools/call", "tools/list"), 400),
        (
            plain.replace("\"name\":\"echo\"", "\"name\":\"echo\",\"name\":\"gated\""),
            400,
        ),
        (format!("[{plain}]"), 400),
        (format!("{plain}{plain}"), 400),
        (plain.replace("\"a\"", "\"\\ud800\""), 200),
        (plain.replace("\"a\"", "1e999"), 200),
        (
            plain.replace("\"a\"", &format!("{}{}", "[".repeat(200), "]".repeat(200))),
            400,
        ),
        (plain[..plain.len() - 1].to_owned(), 400),
        (String::new(), 400),
    ];
    for (body, status) in others {
        assert!(!is_plain(&headers, &body), "{body}");
        let told = told(&endpoint, post(&headers, &body)).await;
        assert_eq!(told.0, status, "{body}: {}", told.2);
    }
    assert!(is_plain(&headers, &plain));
}

/// A body in which bytes were replaced, removed or added.
fn edited(mut body: Vec<u8>, edits: Vec<(usize, u8, u8)>) -> Vec<u8> {
    for (place, byte, how) in edits {
        let place = place % body.len();
        match how {
            0 => body[place] = byte,
            1 => drop(body.remove(place)),
            _ => body.insert(place, byte),
        }
    }
    body
}

/// A body as the fast path reads it, and as rmcp does, if the fast path accepts it.
fn read_twice(body: Vec<u8>) -> Option<[Value; 2]> {
    let (parts, _) = post(&HEADERS, "").into_parts();
    let read = fast_path::parse(
        &parts,
        &Bytes::from(body.clone()),
        &PlainHosts::new(&["127.0.0.1".to_owned()]),
    )?;
    let theirs: ClientJsonRpcMessage = serde_json::from_slice(&body).expect("rmcp reads it");
    Some(
        [ClientJsonRpcMessage::Request(read), theirs]
            .map(|message| serde_json::to_value(message).unwrap()),
    )
}

proptest::proptest! {
    #[test]
    fn what_is_read_is_what_rmcp_reads(
        edits in proptest::collection::vec((0_usize..400, proptest::prelude::any::<u8>(), 0_u8..3), 0..4),
        text in ".*",
    ) {
        let body = call(json!({ "arguments": { "text": text, "n": 1.0 } })).into_bytes();
        if let Some([ours, theirs]) = read_twice(edited(body, edits)) {
            proptest::prop_assert_eq!(ours, theirs);
        }
    }
}

#[test]
fn all_of_a_call_is_read() {
    let body = call(json!({ "_meta": meta() }));
    let [ours, theirs] = read_twice(body.clone().into_bytes()).unwrap();
    assert_eq!(ours, theirs);
    assert_eq!(
        ours,
        serde_json::from_str::<Value>(&body).unwrap(),
        "its metadata, too"
    );
}

/// Sends a plain call of `wait`.
fn waits(meta: Value) -> Request<Body> {
    let (headers, body) = (
        with(&[("mcp-name", "wait")]),
        call(json!({ "name": "wait", "_meta": meta })),
    );
    assert!(is_plain(&headers, &body));
    post(&headers, &body)
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_call() {
    let site = TestSite::open(HttpOptions::default());
    let running = || site.server.state().running.load(SeqCst);
    {
        let mut answer = std::pin::pin!(site.send(waits(meta())));
        let begun = async { until(|| running() == 1).await };
        futures::future::select(answer.as_mut(), std::pin::pin!(begun)).await;
        assert_eq!(site.server.state().cancelled().await, 0);
    }
    assert_eq!(
        site.server.state().cancelled().await,
        1,
        "its context says so"
    );
}

#[tokio::test]
async fn what_is_closed_ends_calls_that_are_plain() {
    let stop = CancellationToken::new();
    let site = TestSite::closed_by(stop.clone());
    let answering = site.send(waits(meta()));
    let (response, ()) = futures::join!(answering, async {
        site.running(1).await;
        stop.cancel();
    });
    assert_eq!(response.status(), 500);
    // In our words: rmcp's transport has others.
    assert!(
        text(response)
            .await
            .starts_with("the call ended without an answer; it may have run")
    );
}

#[tokio::test]
async fn progress_streams_while_the_call_goes_on() {
    let site = TestSite::open(HttpOptions::default());
    let mut meta = meta();
    meta["progressToken"] = json!(7);
    let response = site.send(waits(meta)).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body().into_data_stream();
    let first = body.next().await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&first).contains("notifications/progress"));
    assert!(
        tokio::time::timeout(Duration::from_millis(50), body.next())
            .await
            .is_err(),
        "it has not ended"
    );
    site.release(1);
    let rest: Vec<_> = body.map(Result::unwrap).collect().await;
    assert!(String::from_utf8_lossy(&rest.concat()).contains("\"text\":\"true\""));
}

impl TestAuthenticator {
    /// The number of cancelled calls, a moment from now.
    async fn cancelled(&self) -> usize {
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.cancelled.load(SeqCst)
    }
}
