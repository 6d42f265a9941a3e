//! Subscriptions of 2026-07-28 over HTTP: how many a caller may hold, and for how long.

use crate::harness::{inline_meta, shop};
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use http::request::Parts;
use pd_runtime::{
    Principal,
    serve::{Authenticate, AuthenticationError, Http, HttpOptions, bearer},
};
use reqwest::Response;
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::time::timeout;

/// Every token names its bearer, until all are revoked.
#[derive(Default)]
struct Revocable(AtomicBool);

impl Authenticate for Revocable {
    fn authenticate<'a>(
        &'a self,
        request: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        let known = match self.0.load(SeqCst) {
            true => Err(AuthenticationError::invalid_token("it was revoked")),
            false => bearer(request).map(Principal::new),
        };
        ready(known).boxed()
    }
}

async fn open() -> (Arc<Revocable>, String) {
    let (server, tokens) = (
        shop::server().build().unwrap(),
        Arc::new(Revocable::default()),
    );
    let options = HttpOptions::new()
        .authenticate(tokens.clone())
        .max_streams_per_caller(2);
    let options = options.stream_check_interval(Duration::from_millis(100));
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    tokio::spawn(async move { http.serve(&server, options).await });
    (tokens, url)
}

async fn listen(url: &str, token: &str) -> Response {
    let params =
        json!({ "notifications": { "toolsListChanged": true }, "_meta": inline_meta(&json!({})) });
    let message =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params });
    let request = reqwest::Client::new()
        .post(url)
        .bearer_auth(token)
        .json(&message);
    let request = request.header("accept", "application/json, text/event-stream");
    let request = request
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "subscriptions/listen");
    request.send().await.unwrap()
}

/// Whether a stream ends within two seconds.
async fn ends(mut stream: Response) -> bool {
    timeout(Duration::from_secs(2), async {
        while let Ok(Some(_)) = stream.chunk().await {}
    })
    .await
    .is_ok()
}

#[tokio::test]
async fn a_caller_holds_so_many_subscriptions() {
    let (_, url) = open().await;
    let held = [listen(&url, "alice").await, listen(&url, "alice").await];
    assert!(
        held.iter()
            .all(|stream| stream.headers()["content-type"] == "text/event-stream")
    );
    let refused = listen(&url, "alice").await;
    assert_eq!(
        (refused.status().as_u16(), &refused.headers()["retry-after"]),
        (429, &"10".parse().unwrap())
    );
    let told = refused.text().await.unwrap();
    assert!(told.contains("2 open streams"), "{told}");
    assert_eq!(listen(&url, "bob").await.status(), 200);
    drop(held);
    let freed = async {
        while listen(&url, "alice").await.status() != 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(5), freed)
        .await
        .expect("its places are free again");
}

#[tokio::test]
async fn a_subscription_ends_with_its_token() {
    let (tokens, url) = open().await;
    let (revoked, kept) = (listen(&url, "alice").await, listen(&url, "alice").await);
    assert!(!ends(kept).await, "it goes on while the token is good");
    tokens.0.store(true, SeqCst);
    assert!(ends(revoked).await);
    assert_eq!(listen(&url, "alice").await.status(), 401);
}
