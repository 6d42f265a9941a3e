//! What one replica gives, the other knows.

use crate::{
    caller::{Called, Caller, ticket},
    deployment::{Deployment, registry},
};
use pd_runtime::Listing;
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt,
    model::{CallToolRequestParams, JsonObject, ProtocolVersion, ReadResourceRequestParams},
    transport::StreamableHttpClientTransport,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn ran(number: usize) -> Called {
    Called::Ran(format!("did {number}"))
}

fn is_refused(called: &Called) -> bool {
    matches!(called, Called::Refused(description) if description.is_object())
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn described_at_one_replica_and_called_at_the_other() {
    let deployment = Deployment::open().await;
    for [here, there] in [deployment.urls(), {
        let [a, b] = deployment.urls();
        [b, a]
    }] {
        let caller = Caller::session(here, Some("alice")).await;
        assert!(is_refused(&caller.call("tool-0", json!({})).await));
        caller.describe("tool-1").await;
        assert_eq!(
            caller.at(there).call("tool-0", json!({})).await,
            ran(0),
            "the refusal gave it"
        );
        assert_eq!(caller.at(there).call("tool-1", json!({})).await, ran(1));
        assert!(
            is_refused(&caller.at(there).call("tool-2", json!({})).await),
            "nobody gave it"
        );
        assert_eq!(caller.call("tool-2", json!({})).await, ran(2));
        let inline = Caller::inline(here);
        let arguments = json!({ "disclosure_ticket": ticket(&inline.describe("tool-3").await) });
        assert_eq!(inline.at(there).call("tool-3", arguments).await, ran(3));
        assert!(is_refused(
            &inline.at(there).call("tool-3", json!({})).await
        ));
    }
}

/// A client of rmcp's own, to which nothing is told of replicas.
#[derive(Clone)]
struct Plain;

impl ClientHandler for Plain {}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn rmcps_client_notices_nothing_in_either_generation() {
    let deployment = Deployment::open().await;
    let inline = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    for lifecycle in [ClientLifecycleMode::Initialize, inline] {
        let transport = StreamableHttpClientTransport::from_uri(deployment.proxy.url.as_str());
        let client = Plain
            .serve_with_lifecycle(transport, lifecycle)
            .await
            .unwrap();
        for number in 0..crate::deployment::TOOLS {
            let name = format!("tool-{number}");
            let uri = format!("resource:///tool_descriptions?tools={name}");
            let read = client
                .read_resource(ReadResourceRequestParams::new(uri))
                .await
                .unwrap();
            let read = serde_json::to_value(read).unwrap();
            let text = read
                .pointer("/contents/0/text")
                .and_then(Value::as_str)
                .unwrap();
            let described: Value = serde_json::from_str(text).unwrap();
            let mut arguments = JsonObject::new();
            if let ticket @ Value::String(_) = ticket(&described[&name]) {
                arguments.insert("disclosure_ticket".to_owned(), ticket);
            }
            let call = CallToolRequestParams::new(name).with_arguments(arguments);
            let called = serde_json::to_value(client.call_tool(call).await.unwrap()).unwrap();
            assert_eq!(
                called["content"][0]["text"],
                format!("did {number}"),
                "{called}"
            );
        }
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_session_outlives_the_replica_that_opened_it() {
    let mut deployment = Deployment::open_listing(Listing::Negotiated).await;
    let url = deployment.replicas[0].url.clone();
    let caller = Caller::session_with_extension(&url).await;
    caller.describe("tool-0").await;
    deployment.restart(0, Listing::Negotiated).await;
    let caller = caller.at(&deployment.replicas[0].url);
    assert_eq!(caller.call("tool-0", json!({})).await, ran(0));
    assert!(
        is_refused(&caller.call("tool-1", json!({})).await),
        "the client's extension is known again"
    );
    let described = caller
        .send("disclosure/describe", json!({ "names": ["tool-2"] }))
        .await;
    assert!(
        described
            .body
            .pointer("/result/descriptions/tool-2/inputSchema")
            .is_some(),
        "{described:?}"
    );
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn many_first_requests_of_one_session_are_all_answered() {
    let mut deployment = Deployment::open().await;
    for _ in 0..5 {
        let caller = Caller::session(&deployment.replicas[0].url, None).await;
        caller.describe("tool-0").await;
        deployment.restart(1, Listing::Minimal).await;
        let there = caller.at(&deployment.replicas[1].url);
        let calls = (0..30).map(|_| there.call("tool-0", json!({})));
        for called in futures::future::join_all(calls).await {
            assert_eq!(called, ran(0));
        }
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_session_that_ends_at_one_replica_ends_at_the_other() {
    let deployment = Deployment::open().await;
    let [here, there] = deployment.urls();
    let (known, unknown) = (
        Caller::session(here, None).await,
        Caller::session(here, None).await,
    );
    assert_eq!(known.at(there).status().await, 200);
    assert_eq!((known.delete().await, unknown.delete().await), (204, 204));
    assert_eq!(
        unknown.at(there).status().await,
        404,
        "its id alone does not open it again"
    );
    let (deleted, mut status) = (Instant::now(), 200);
    while status == 200 && deleted.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        status = known.at(there).status().await;
    }
    assert_eq!(status, 404);
    assert!(
        deleted.elapsed() < Duration::from_millis(1_500),
        "{:?}",
        deleted.elapsed()
    );
    assert_eq!([known.status().await, unknown.status().await], [404, 404]);
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_description_that_changed_at_one_replica_has_to_be_read_there() {
    let deployment = Deployment::open().await;
    let [here, there] = deployment.urls();
    let [session, inline] = [Caller::session(here, None).await, Caller::inline(here)];
    session.describe("tool-0").await;
    let old = json!({ "disclosure_ticket": ticket(&inline.describe("tool-0").await) });
    deployment.replicas[1].shared.replace(registry(1)).unwrap();
    for (caller, arguments) in [(&session, json!({})), (&inline, old.clone())] {
        let Called::Refused(description) = caller.at(there).call("tool-0", arguments.clone()).await
        else {
            panic!("the other replica's tool has another description")
        };
        assert!(
            description["description"]
                .as_str()
                .unwrap()
                .contains("edition 1"),
            "{description}"
        );
        assert_eq!(
            caller.call("tool-0", arguments).await,
            ran(0),
            "the old one still holds here"
        );
    }
    assert_eq!(
        session.at(there).call("tool-0", json!({})).await,
        ran(0),
        "now both were read"
    );
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn redis_keeps_no_names_and_forgets() {
    let deployment = Deployment::open().await;
    let caller = Caller::session(&deployment.proxy.url, Some("alice")).await;
    caller.describe("tool-0").await;
    let keys = deployment.redis.keys().await;
    assert_eq!(
        keys.len(),
        3,
        "two of the session, one of its owner: {keys:?}"
    );
    for (key, life) in keys {
        assert!(
            key.starts_with("shop:{")
                && !key.contains(caller.session_id())
                && !key.contains("alice"),
            "{key}"
        );
        assert!(
            (3_500_000..=3_600_000).contains(&life),
            "{key} lives for {life} ms"
        );
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_call_asks_redis_only_for_what_its_replica_does_not_know() {
    let deployment = Deployment::open().await;
    let caller = Caller::session(&deployment.replicas[0].url, None).await;
    caller.describe("tool-0").await;
    let before = deployment.redis.commands().await;
    for _ in 0..20 {
        assert_eq!(caller.call("tool-0", json!({})).await, ran(0));
    }
    let asked = deployment.redis.commands().await - before;
    // Once a second each session is looked for, with three commands; `commands` itself has two or three.
    assert!(asked < 20, "{asked} commands");
}
