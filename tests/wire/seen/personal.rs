//! Personal data: none by default, and each kind only where it is asked for.

use super::Kept;
use crate::harness::{post::Post, shop, site::Site};
use pd_runtime::{audit::AuditDetail, config::MetaTools};
use serde_json::{Value, json};

const SECRETS: [&str; 5] = [
    "alice-subject",
    "query-secret",
    "name-secret",
    "argument-secret",
    "ticket-secret",
];

/// Everything that happens when a caller writes secrets wherever one can write.
async fn events(detail: Option<AuditDetail>) -> Vec<Value> {
    let kept = Kept::new();
    let server = shop::server()
        .meta_tools(MetaTools::all())
        .ticket_key([7; 32])
        .audit(kept.clone());
    let server = detail
        .into_iter()
        .fold(server, |server, detail| server.audit_detail(detail));
    let site = Site::open(&server.build().unwrap(), true).await;
    let caller = Post::session(&site.url, Some("alice-subject shop:refund")).await;
    for (method, params) in [
        ("tools/list", json!({})),
        (
            "resources/read",
            json!({ "uri": "resource:///tool_descriptions?tools=greet,name-secret" }),
        ),
        ("tools/describe", json!({ "names": ["name-secret"] })),
        (
            "tools/call",
            json!({ "name": "name-secret", "arguments": { "a": "argument-secret" } }),
        ),
        (
            "tools/call",
            json!({ "name": "find_tools", "arguments": { "query": "query-secret" } }),
        ),
        (
            "tools/call",
            json!({ "name": "find_tools", "arguments": { "query": "greet query-secret" } }),
        ),
        (
            "tools/call",
            json!({ "name": "ship", "arguments": { "region": "argument-secret" } }),
        ),
        (
            "tools/call",
            json!({ "name": "greet", "arguments": {
                "name": "argument-secret", "disclosure_ticket": "ticket-secret",
            }}),
        ),
        (
            "tools/call",
            json!({ "name": "call_tool", "arguments": {
                "name": "greet", "arguments": { "nam": "argument-secret", "disclosure_ticket": "ticket-secret" },
            }}),
        ),
    ] {
        caller.send(method, params).await;
    }
    kept.take()
}

fn told(events: &[Value], secret: &str) -> bool {
    json!(events).to_string().contains(secret)
}

#[tokio::test]
async fn by_default_nothing_that_a_caller_wrote_is_told() {
    let events = events(None).await;
    assert!(events.len() > 9, "{events:?}");
    for secret in SECRETS {
        assert!(!told(&events, secret), "{secret}: {events:?}");
    }
    let principals: Vec<_> = events
        .iter()
        .map(|event| event["principal"].as_str().unwrap())
        .collect();
    assert!(
        principals
            .iter()
            .all(|principal| principal == &principals[0] && principal.starts_with("p-"))
    );
}

#[tokio::test]
async fn each_kind_is_told_only_where_it_is_asked_for() {
    for (detail, expected) in [
        (AuditDetail::NONE.with_subjects(), &["alice-subject"][..]),
        (
            AuditDetail::NONE.with_queries(),
            &["query-secret", "name-secret"],
        ),
        (AuditDetail::NONE.with_arguments(), &["argument-secret"]),
    ] {
        let events = events(Some(detail)).await;
        let told: Vec<_> = SECRETS
            .into_iter()
            .filter(|secret| told(&events, secret))
            .collect();
        assert_eq!(told, expected, "{detail:?}");
    }
}

#[tokio::test]
async fn a_pseudonym_is_the_same_under_one_key_on_every_server() {
    let (first, second) = (events(None).await, events(None).await);
    assert_eq!(first[0]["principal"], second[0]["principal"]);
    let kept = Kept::new();
    let server = shop::server()
        .ticket_key([8; 32])
        .audit(kept.clone())
        .build()
        .unwrap();
    let site = Site::open(&server, false).await;
    Post::inline(&site.url)
        .bearer("alice-subject")
        .result("tools/list", json!({}))
        .await;
    assert_ne!(
        kept.take()[0]["principal"],
        first[0]["principal"],
        "another key"
    );
}

#[tokio::test]
async fn what_is_told_of_a_query_is_bounded() {
    let kept = Kept::new();
    let server = shop::server()
        .meta_tools(MetaTools::all())
        .audit(kept.clone());
    let site = Site::open(
        &server
            .audit_detail(AuditDetail::NONE.with_queries())
            .build()
            .unwrap(),
        false,
    )
    .await;
    let caller = Post::inline(&site.url);
    let long = "é".repeat(5_000);
    caller
        .send(
            "tools/call",
            json!({ "name": "find_tools", "arguments": { "query": long } }),
        )
        .await;
    caller
        .send("tools/describe", json!({ "names": [long] }))
        .await;
    let events = kept.take();
    assert_eq!(events.len(), 2, "{events:?}");
    for event in events {
        assert!(
            event["text"]
                .as_str()
                .is_some_and(|text| text.chars().count() <= 200),
            "{event}"
        );
    }
}
