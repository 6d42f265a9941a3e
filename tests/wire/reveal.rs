//! `Listing::Reveal`: what a session was given a description of is listed in full from then on.

use crate::harness::{
    client::{Era, connect},
    code, shop, with_extension,
};
use pd_runtime::{Listing, PdServer};
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

fn shared() -> PdServer<shop::Shop> {
    shop::server().listing(Listing::Reveal).build().unwrap()
}

fn schema(listed: &Value, name: &str) -> Value {
    let tools = listed["tools"].as_array().unwrap();
    tools
        .iter()
        .find(|tool| tool["name"] == name)
        .unwrap_or_else(|| panic!("no {name}"))["inputSchema"]
        .clone()
}

#[tokio::test]
async fn a_disclosed_tool_stands_in_full_and_the_client_hears_of_it() {
    for era in [Era::Session, Era::HttpSession] {
        let client = connect(era, &shared()).await;
        assert_eq!(
            schema(&client.list().await, "greet"),
            json!({ "type": "object", "additionalProperties": true })
        );
        client.describe("greet").await;
        let heard = async {
            while client.noticed.list_changes.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(3), heard)
            .await
            .expect("list_changed in time");
        let listed = client.list().await;
        assert!(
            schema(&listed, "greet")["properties"].is_object(),
            "{era:?}: {listed}"
        );
        assert!(
            schema(&listed, "order").get("properties").is_none(),
            "{era:?}: only what was disclosed"
        );
    }
}

#[tokio::test]
async fn a_refusal_reveals_too_and_a_second_disclosure_changes_nothing() {
    let client = connect(Era::Session, &shared()).await;
    assert_eq!(
        code(&client.call("greet", json!({})).await),
        "TOOL_DESCRIPTION_REQUIRED"
    );
    assert!(schema(&client.list().await, "greet")["properties"].is_object());
    client.describe("greet").await;
    client.describe("greet").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(client.noticed.list_changes.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn without_a_session_lists_do_not_depend_on_other_requests() {
    for era in [Era::Inline, Era::HttpInline, Era::HttpStateless] {
        let client = connect(era, &shared()).await;
        client.describe("greet").await;
        assert!(
            schema(&client.list().await, "greet")
                .get("properties")
                .is_none(),
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn one_session_reveals_nothing_to_another() {
    let shared = shared();
    let reader =
        crate::harness::client::connect_with(Era::Session, &shared, with_extension()).await;
    let other = connect(Era::Session, &shared).await;
    reader.describe("greet").await;
    assert!(schema(&reader.list().await, "greet")["properties"].is_object());
    assert!(
        schema(&other.list().await, "greet")
            .get("properties")
            .is_none()
    );
    assert_eq!(other.noticed.list_changes.load(Ordering::SeqCst), 0);
}
