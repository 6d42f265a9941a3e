//! The owner of a session: to all other callers it is unknown.

use super::{
    super::HttpOptions,
    site::{TestCaller, TestSite, ends, text},
};
use axum::body::Body;
use http::{Response, StatusCode};
use serde_json::json;

/// A whole response as text.
async fn told(response: Response<Body>) -> (StatusCode, Vec<(String, Vec<u8>)>, String) {
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
        .collect();
    (response.status(), headers, text(response).await)
}

/// The answers to this caller's requests of every kind in the session.
async fn all_told(caller: &TestCaller<'_>) -> Vec<(StatusCode, Vec<(String, Vec<u8>)>, String)> {
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let reply = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
    vec![
        told(caller.call(json!(7)).await).await,
        told(caller.post(&cancel).await).await,
        told(caller.post(&reply).await).await,
        told(caller.get().await).await,
        told(caller.resume("0").await).await,
        told(caller.resume("0/0").await).await,
        told(caller.delete().await).await,
    ]
}

#[tokio::test]
async fn a_foreign_session_is_as_unknown_as_any() {
    let site = TestSite::open(HttpOptions::default());
    for (owner, thief) in [
        (Some("alice"), Some("mallory")),
        (Some("alice"), None),
        (None, Some("mallory")),
    ] {
        let owner = site.session(owner).await;
        let stream = owner.get().await;
        let call = owner.call(json!(1)).await;
        site.running(1).await;
        let thief = owner.stolen_by(thief);
        let foreign = all_told(&thief).await;
        assert!(
            foreign.iter().all(|(status, ..)| *status == 404),
            "{foreign:?}"
        );
        assert_eq!(
            foreign,
            all_told(&thief.naming("00000000000000000000000000000000")).await
        );
        assert_eq!(
            site.server
                .state()
                .running
                .load(std::sync::atomic::Ordering::SeqCst),
            1,
            "nothing else ran"
        );
        site.release(1);
        assert!(
            text(call).await.contains("\"result\""),
            "the call was not cancelled"
        );
        assert!(owner.lives().await);
        assert!(
            !ends(stream.into_body().into_data_stream()).await,
            "nor did the stream end"
        );
        assert_eq!(owner.delete().await.status(), 204);
        assert_eq!(owner.delete().await.status(), 404, "it is gone");
    }
}

#[tokio::test]
async fn a_request_without_a_session_is_none_to_end() {
    let site = TestSite::open(HttpOptions::default());
    let mut caller = site.session(Some("alice")).await;
    caller.session = None;
    assert_eq!(caller.delete().await.status(), 400);
    assert_eq!(site.sessions.counts(), (1, 1));
}
