//! Input that upstreams require of a client: by a request before 2026-07-28, and by a result since then.

use super::*;
use crate::harness::client::connect_with;

async fn asking(mode: &str) -> (Desk, Gateway) {
    let desk = Desk::new();
    let gateway = desk.one(&["input", mode], json!({})).await;
    (desk, gateway)
}

#[tokio::test]
async fn a_client_before_2026_07_28_answers_upstreams_of_both_generations() {
    for mode in ["legacy", "modern"] {
        let (_desk, gateway) = asking(mode).await;
        let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
        for era in [Era::Session, Era::HttpSession] {
            let client = connect(era, &server).await;
            let result = client.call_described("s__ask", json!({})).await;
            assert!(text(&result).contains("Ada"), "{mode} {era:?}: {result}");
            if mode == "modern" {
                let told = told(&result);
                assert_eq!(told[1], "round 1");
                let relay = json!({ "dev.pd-runtime/disclosure": { "version": 1, "relay": true } });
                let expected = json!({ "elicitation": {}, "extensions": relay });
                assert_eq!(
                    told[2], expected,
                    "what the client can do, and what the gateway is"
                );
            }
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_modern_client_answers_a_modern_upstream_alone() {
    let (_desk, gateway) = asking("modern").await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    for era in [Era::Inline, Era::HttpInline] {
        let result = connect(era, &server)
            .await
            .call_described("s__ask", json!({}))
            .await;
        assert!(text(&result).contains("Ada"), "{era:?}: {result}");
    }
    let (_desk, gateway) = asking("legacy").await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    for era in [Era::Inline, Era::HttpInline] {
        let result = connect(era, &server)
            .await
            .call_described("s__ask", json!({}))
            .await;
        assert!(
            text(&result).contains("cannot request input of it"),
            "{era:?}: {result}"
        );
    }
}

#[tokio::test]
async fn a_client_that_cannot_answer_is_not_asked() {
    for (mode, reason) in [
        ("legacy", "the client does not support it"),
        ("modern", "UPSTREAM_REQUIRES_INPUT"),
    ] {
        let (_desk, gateway) = asking(mode).await;
        let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
        let result = connect_with(Era::Session, &server, json!({}))
            .await
            .call_described("s__ask", json!({}))
            .await;
        assert!(text(&result).contains(reason), "{mode}: {result}");
    }
}

/// A child's request names no call. With calls of two clients in progress nobody knows whom to ask.
#[tokio::test]
async fn a_request_during_calls_of_several_clients_is_refused() {
    let (desk, gateway) = asking("legacy").await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    let (one, other) = (
        connect(Era::Session, &server).await,
        connect(Era::Session, &server).await,
    );
    one.describe("s__wait").await;
    let call = one.start("s__wait").await;
    until("the call", || desk.log("s").contains(r#""name":"wait""#)).await;
    let result = other.call_described("s__ask", json!({})).await;
    assert!(
        text(&result).contains("set `share` in the server's `pd` object"),
        "{result}"
    );
    assert!(
        text(&one.call_described("s__ask", json!({})).await).contains("Ada"),
        "all calls are of one client"
    );
    call.cancel(None).await.unwrap();
}
