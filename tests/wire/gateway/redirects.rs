//! Redirects, and credentials that a server refuses.

use super::{lost_sessions::Forgetful, *};

#[tokio::test]
async fn redirects_within_the_origin_are_followed_and_others_are_named() {
    let upstream = Forgetful::start(400, "null_id").await;
    let url = &upstream.url;
    for (path, reason) in [
        ("moved", ""),
        ("again", "/mcp; write this URL in the entry"),
        ("found", "redirects to http://127.0.0.1"),
        ("away", "redirects to http://other.example/mcp; write"),
        ("denied?api_key=k", "check the query of `url`"),
    ] {
        let desk = Desk::new();
        let gateway = desk.gateway([("web".to_owned(), json!({ "url": format!("{url}/{path}") }))]);
        gateway.refresh().await;
        let status = gateway.status().remove(0);
        let error = status.last_error.unwrap_or_default();
        assert_eq!(
            (error.is_empty(), status.needs_login),
            (reason.is_empty(), false),
            "{path}: {error}"
        );
        assert!(
            error.contains(reason) && !error.contains("secret"),
            "{path}: {error}"
        );
        gateway.stop().await;
    }
}

/// Each hop could lead further away, so a second one is for the owner to look at.
#[tokio::test]
async fn a_second_redirect_is_not_followed() {
    let upstream = Forgetful::start(400, "null_id").await;
    let (_desk, gateway, _client) = upstream.behind_gateway("/again").await;
    let error = gateway.status().remove(0).last_error.unwrap();
    assert!(
        error.contains("redirects to http://127.0.0.1") && error.contains("/mcp; write"),
        "{error}"
    );
    assert_eq!(upstream.count("sessions").await, 0);
    gateway.stop().await;
}

/// The target of a 303 describes a result, so the tool has run, and a model must not repeat it.
#[tokio::test]
async fn after_a_redirect_to_a_result_it_is_unknown_whether_the_tool_ran() {
    for path in ["/mcp", "/moved", "/sse"] {
        let upstream = Forgetful::start(400, "null_id").await;
        let (_desk, gateway, client) = upstream.behind_gateway(path).await;
        let result = client.call("web__elsewhere", json!({})).await;
        let answer = text(&result);
        assert!(
            answer.contains("it is unknown whether the tool ran"),
            "{path}: {result}"
        );
        assert!(
            answer.contains("/results/1") && !answer.contains("did not run"),
            "{path}: {result}"
        );
        assert_eq!(upstream.count("elsewhere").await, 1, "{path}");
        gateway.stop().await;
    }
}
