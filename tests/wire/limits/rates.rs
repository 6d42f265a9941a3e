//! How often: bursts, recovery, and one caller's limits apart from another's.

use super::retry_after;
use crate::harness::{
    client::{Era, connect},
    code,
    post::Post,
    raw::Raw,
    shop,
    site::Site,
    text, told,
};
use axum::{
    Router,
    extract::{ConnectInfo, Request},
    middleware::{Next, from_fn},
    response::Response,
};
use futures::future::join_all;
use pd_runtime::{GateMode, Limits, PdServer, config::Rate};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use serde_json::{Value, json};
use shop::Shop;
use std::{net::SocketAddr, sync::Arc, time::Duration};

/// A shop whose callers are all counted, also those in memory.
fn shared(limits: Limits) -> PdServer<Shop> {
    shop::server().limits(limits.owner(true)).build().unwrap()
}

/// `hours` needs no disclosure.
async fn call_hours(caller: &mut Raw) -> Value {
    caller
        .result("tools/call", json!({ "name": "hours", "arguments": {} }))
        .await
}

#[tokio::test]
async fn a_burst_of_calls_is_let_through_and_the_next_after_as_long_as_was_told() {
    join_all(Era::ALL.map(|era| async move {
        let mut caller = Raw::connect(
            era,
            &shared(Limits::none().calls(Rate::per_second(1).burst(3))),
        )
        .await;
        for _ in 0..3 {
            assert_ne!(
                call_hours(&mut caller).await["isError"],
                json!(true),
                "{era:?}"
            );
        }
        let mut refused = call_hours(&mut caller).await;
        // The machine may have been so slow that a second has passed.
        while refused.get("isError") != Some(&json!(true)) {
            refused = call_hours(&mut caller).await;
        }
        assert_eq!(code(&refused), "RATE_LIMITED", "{era:?}");
        let wait = retry_after(&refused).unwrap();
        assert_eq!(wait, 1, "{refused}");
        tokio::time::sleep(Duration::from_secs(wait)).await;
        assert_eq!(
            text(&call_hours(&mut caller).await),
            "every day: nine to five",
            "{era:?}"
        );
    }))
    .await;
}

#[tokio::test]
async fn each_principal_has_its_own_whatever_its_sessions_are() {
    let limits = Limits::none().calls(Rate::per_minute(1).burst(2));
    let site = Site::open(&shared(limits), true).await;
    for name in ["alice", "bob"] {
        let callers = [
            Post::session(&site.url, Some(name)).await,
            Post::session(&site.url, Some(name)).await,
            inline(&site, name),
        ];
        let mut refused = Vec::new();
        for caller in &callers {
            refused.push(caller.call("hours", json!({})).await["isError"] == json!(true));
        }
        assert_eq!(
            refused,
            [false, false, true],
            "{name}: two calls, in whatever session"
        );
    }
}

fn inline(site: &Site, name: &str) -> Post {
    Post::inline(&site.url).bearer(name)
}

#[tokio::test]
async fn a_session_has_less_than_its_principal() {
    let limits = Limits::none()
        .calls(Rate::per_minute(1).burst(3))
        .session_calls(Rate::per_minute(1).burst(2));
    let site = Site::open(&shared(limits), true).await;
    let (first, second) = (
        Post::session(&site.url, Some("alice")).await,
        Post::session(&site.url, Some("alice")).await,
    );
    let mut let_through = Vec::new();
    for caller in [&first, &first, &first, &second, &second] {
        let_through.push(caller.call("hours", json!({})).await["isError"] != json!(true));
    }
    assert_eq!(let_through, [true, true, false, true, false]);
}

#[tokio::test]
async fn anonymous_callers_are_counted_by_their_address_where_it_is_known() {
    let shared = shared(Limits::none().calls(Rate::per_minute(1)));
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_sse_keep_alive(None);
    let service = StreamableHttpService::new(
        move || Ok(shared.handler()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let site = Site::serve(
        Router::new()
            .nest_service("/mcp", service)
            .layer(from_fn(address)),
    )
    .await;
    let caller = Post::inline(&site.url);
    let mut let_through = Vec::new();
    for from in [
        "192.0.2.1:1000",
        "192.0.2.2:1000",
        "192.0.2.1:2000",
        "[2001:db8::1]:1",
        "[2001:db8::2]:1",
    ] {
        let answer = caller.header("x-from", from).call("hours", json!({})).await;
        let_through.push(answer["isError"] != json!(true));
    }
    assert_eq!(let_through, [true, true, false, true, false]);
    let unknown = [
        caller.call("hours", json!({})).await,
        caller.call("hours", json!({})).await,
    ];
    assert_eq!(
        unknown.map(|answer| answer["isError"] != json!(true)),
        [true, false],
        "together"
    );
}

/// Says where a request comes from, as a server that takes connections does.
async fn address(mut request: Request, next: Next) -> Response {
    let from = request
        .headers()
        .get("x-from")
        .map(|from| from.to_str().unwrap().parse().unwrap());
    if let Some(from) = from {
        request
            .extensions_mut()
            .insert(ConnectInfo::<SocketAddr>(from));
    }
    next.run(request).await
}

#[tokio::test]
async fn whoever_started_the_process_is_not_counted() {
    let limits = Limits::none()
        .calls(Rate::per_minute(1))
        .descriptions(Rate::per_minute(1));
    let server = shop::server().limits(limits).build().unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        for _ in 0..5 {
            assert_eq!(
                text(
                    &client
                        .call_described("greet", json!({ "name": "Ada" }))
                        .await
                ),
                "Welcome, Ada!"
            );
        }
    }
}

#[tokio::test]
async fn a_hidden_tool_costs_what_an_unknown_one_costs() {
    let limits = || {
        Limits::none()
            .calls(Rate::per_minute(1).burst(4))
            .descriptions(Rate::per_minute(1).burst(4))
    };
    let mut heard = Vec::new();
    for server in shop::with_and_without_vault() {
        let site = Site::open(&server.limits(limits()).build().unwrap(), false).await;
        let caller = inline(&site, "mallory");
        let mut answers = Vec::new();
        for name in [
            "vault_open",
            "greet",
            "prices_of_gold",
            "vault_open",
            "vault_open",
            "greet",
        ] {
            for (method, params) in [
                ("tools/call", json!({ "name": name, "arguments": {} })),
                (
                    "resources/read",
                    json!({ "uri": format!("resource:///tool_descriptions?tools={name}") }),
                ),
                ("tools/describe", json!({ "names": [name] })),
            ] {
                let answer = caller.send(method, params).await;
                answers.push((answer.status, masked(answer.body)));
            }
        }
        heard.push(answers);
    }
    assert_eq!(heard[0], heard[1]);
    assert!(
        heard[0]
            .iter()
            .any(|(_, body)| body.contains("RATE_LIMITED")),
        "{:?}",
        heard[0]
    );
}

/// Without the seconds, which pass.
fn masked(body: Value) -> String {
    let mut text = body.to_string();
    for key in ["retryAfter\":", "retry_after\\\":", "wait ", "Wait "] {
        for (at, _) in text.clone().match_indices(key) {
            let digits = text[at + key.len()..]
                .chars()
                .take_while(char::is_ascii_digit)
                .count();
            text.replace_range(at + key.len()..at + key.len() + digits, &"0".repeat(digits));
        }
    }
    text
}

#[tokio::test]
async fn a_refusal_is_a_describe_and_without_one_it_is_bare_and_says_what_to_do() {
    join_all(Era::ALL.map(|era| async move {
        let server = shared(Limits::none().descriptions(Rate::per_second(1)));
        let mut caller = Raw::connect(era, &server).await;
        let greet = json!({ "name": "greet", "arguments": { "name": "Ada" } });
        let first = caller.result("tools/call", greet.clone()).await;
        assert!(
            told(&first).get("tool_description").is_some(),
            "{era:?}: {first}"
        );
        let order = json!({ "name": "order", "arguments": { "article": "vase" } });
        let mut bare = caller.result("tools/call", order.clone()).await;
        while told(&bare).get("tool_description").is_some() {
            let another = json!({ "name": "stock", "arguments": {} });
            bare = caller.result("tools/call", another).await;
        }
        assert_eq!(code(&bare), "TOOL_DESCRIPTION_REQUIRED", "{era:?}");
        assert_eq!(retry_after(&bare), Some(1), "{bare}");
        let by_ticket = if era.has_session() {
            ""
        } else {
            " with its `disclosure_ticket`"
        };
        let next =
            format!("Wait 1 second, read its description, then call the tool again{by_ticket}.");
        assert_eq!(told(&bare)["error"]["next"], next);
        assert_eq!(server.state().ran(), 0, "{era:?}: nothing ran");
        tokio::time::sleep(Duration::from_secs(1)).await;
        let described = caller
            .result("tools/call", json!({ "name": "photo", "arguments": {} }))
            .await;
        assert!(
            told(&described).get("tool_description").is_some(),
            "{era:?}: {described}"
        );
    }))
    .await;
}

#[tokio::test]
async fn a_call_that_is_refused_for_its_rate_is_not_run_whatever_the_gate() {
    let server = shop::server()
        .gate(GateMode::Off)
        .limits(Limits::none().owner(true).calls(Rate::per_minute(1)))
        .build();
    let server = server.unwrap();
    let client = connect(Era::Session, &server).await;
    for _ in 0..5 {
        client.call("greet", json!({ "name": "Ada" })).await;
    }
    assert_eq!(server.state().ran(), 1);
}
