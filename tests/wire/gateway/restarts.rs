//! Servers that end or begin anew between two calls, and sessions that were never theirs.

use super::{lists::odd, *};

#[tokio::test]
async fn a_session_that_a_refusal_of_discover_names_is_not_used() {
    let (_upstream, url) = http_script("http_upstream.py", &[]).await;
    let desk = Desk::new();
    let gateway = desk.gateway([(
        "web".to_owned(),
        json!({ "url": format!("{url}/ended-session/mcp") }),
    )]);
    gateway.refresh().await;
    assert_eq!(
        gateway.status()[0].version.as_deref(),
        Some("2025-11-25"),
        "{:?}",
        gateway.status()
    );
    let client = connect(Era::Session, &serve(&gateway)).await;
    assert_eq!(
        text(&client.call_described("web__count", json!({})).await),
        "1"
    );
    gateway.stop().await;
}

/// The end of the stream of HTTP+SSE is that of the session.
#[tokio::test]
async fn a_call_after_the_end_of_a_stream_begins_another() {
    let (_upstream, url) = http_script("http_upstream.py", &[]).await;
    let desk = Desk::new();
    let gateway = desk.gateway([("web".to_owned(), json!({ "url": format!("{url}/sse") }))]);
    gateway.refresh().await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    assert_eq!(
        text(&client.call_described("web__count", json!({})).await),
        "1"
    );
    reqwest::Client::new()
        .post(format!("{url}/end"))
        .body("{}")
        .send()
        .await
        .unwrap();
    until("the end", || !gateway.status()[0].is_running).await;
    let result = client.call("web__count", json!({})).await;
    assert_eq!(text(&result), "2", "{result}");
    gateway.stop().await;
}

/// Its output can end before its process, while its lists are still read.
#[tokio::test]
async fn a_process_that_exits_after_each_call_has_not_failed() {
    for mode in ["exits", "lingers"] {
        let desk = Desk::new();
        let gateway = desk.gateway([odd(mode)]);
        gateway.refresh().await;
        let client = connect(Era::Session, &serve(&gateway)).await;
        for _ in 0..4 {
            assert_succeeded(&client.call_described("s__t0", json!({})).await);
        }
        assert!(
            gateway.status()[0].last_error.is_none(),
            "{mode}: {:?}",
            gateway.status()
        );
        gateway.stop().await;
    }
}
