//! Answers to notifications. JSON-RPC has none, and servers send some all the same: they settle no
//! request.

use super::{
    raw::{RawUpstream, TRANSPORTS},
    *,
};
use futures::{StreamExt, stream};

/// The upstreams that run at once.
const AT_ONCE: usize = 6;

const TOOLS: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"raw","inputSchema":{"type":"object"}},{"name":"never","inputSchema":{"type":"object"}}]}}"#;

/// What servers answer to a notification.
const ERRORS: [&str; 5] = [
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":"Unhandled method notifications/initialized, notifications/cancelled"}"#,
];

/// What else they answer over HTTP, where the body of a response can be nothing else.
const BODIES: [&str; 5] = [
    "Accepted",
    r#""ok""#,
    r#"{"status":"ok"}"#,
    r#"{"error":"no such method"}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
];

fn answers(transport: &str) -> impl Iterator<Item = &'static str> {
    let bodies = BODIES.iter().filter(move |_| transport == "http");
    ERRORS.iter().chain(bodies).copied()
}

/// The answer comes before the list, during it, and during the first call.
#[tokio::test]
async fn the_answer_to_initialized_loses_no_tool_and_no_call() {
    let cases = TRANSPORTS.into_iter().flat_map(|transport| {
        answers(transport).flat_map(move |answer| {
            [(0.0, 0.0), (0.03, 0.3), (0.5, 0.0)].map(|delays| (transport, answer, delays))
        })
    });
    let openings = cases.map(async |(transport, answer, (answered, listed))| {
        let fixed = json!({
            "notifications/initialized": [answer],
            "tools/list": [TOOLS],
            "delays": { "notifications/initialized": answered, "tools/list": listed },
        });
        let upstream = RawUpstream::with(transport, json!({}), &fixed).await;
        let status = &upstream.gateway.status()[0];
        assert_eq!(
            (status.tools, &status.last_error, status.notes.len()),
            (2, &None, 0),
            "{transport}: {answer} after {answered} s: {status:?}"
        );
        let called = upstream.call(json!({ "wait": 0.7 })).await;
        assert_eq!(text(&called), "ok", "{transport}: {answer}: {called}");
    });
    // Most of the time is spent waiting.
    stream::iter(openings)
        .buffer_unordered(AT_ONCE)
        .collect::<()>()
        .await;
}

#[tokio::test]
async fn the_answer_to_a_cancellation_ends_no_other_call() {
    for transport in TRANSPORTS {
        let cases = answers(transport).map(async |answer| {
            let fixed = json!({
                "notifications/cancelled": [answer],
                "tools/list": [TOOLS],
                "session": true,
                "delays": { "notifications/cancelled": 0.1 },
            });
            let upstream = RawUpstream::with(transport, json!({}), &fixed).await;
            let (other, ()) = tokio::join!(upstream.call(json!({ "wait": 1.5 })), async {
                let canceled = upstream.client.start("s__never").await;
                sleep(Duration::from_millis(300)).await;
                canceled.cancel(None).await.unwrap();
            });
            assert_eq!(text(&other), "ok", "{transport}: {answer}: {other}");
            let next = upstream.call(json!({})).await;
            assert_eq!(text(&next), "ok", "{transport}: {answer}: {next}");
        });
        futures::future::join_all(cases).await;
    }
}

/// Each notification has one answer, so a further error is that of a request.
#[tokio::test]
async fn further_errors_without_an_id_settle_a_request() {
    for transport in ["stdio", "sse"] {
        let fixed = json!({ "notifications/initialized": [ERRORS[0]] });
        let upstream = RawUpstream::with(transport, json!({}), &fixed).await;
        for error in [
            r#"{"code":-32600,"message":"not a request"}"#,
            r#"{"code":-32603,"message":"broken"}"#,
            r#"{"code":-32700,"message":"Parse error"}"#,
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":null,"error":{error}}}"#);
            let answer = upstream.call(json!({ "lines": [line] })).await;
            assert_eq!(
                answer["isError"]
                    .as_bool()
                    .or(answer["error"].is_object().then_some(true)),
                Some(true),
                "{transport}: {answer}"
            );
        }
    }
}

/// A server that says that a method is unknown, and not which, has not said that it has no tools.
#[tokio::test]
async fn an_unknown_method_without_an_id_is_no_empty_list() {
    for transport in ["stdio", "sse"] {
        let fixed = json!({ "tools/list": [ERRORS[0], ERRORS[1]] });
        let upstream = RawUpstream::with(transport, json!({}), &fixed).await;
        let status = &upstream.gateway.status()[0];
        let error = status.last_error.clone().unwrap_or_default();
        assert!(
            error.contains("Method not found"),
            "{transport}: {status:?}"
        );
    }
}
