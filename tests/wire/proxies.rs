//! Callers behind a proxy: whom limits count.

use crate::harness::{post::Post, shop};
use pd_runtime::{
    Limits,
    config::Rate,
    serve::{Http, HttpOptions},
};
use serde_json::{Value, json};

/// A server that allows two calls a minute, and one session for each address.
async fn open(trusts_loopback: bool) -> String {
    let limits = Limits::default().calls(Rate::per_minute(2));
    let server = shop::server().limits(limits).build().unwrap();
    let proxies = trusts_loopback.then(|| "127.0.0.1".parse().unwrap());
    let options = HttpOptions::new()
        .max_sessions_per_address(1)
        .trusted_proxies(proxies);
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    tokio::spawn(async move { http.serve(&server, options).await });
    url
}

/// What becomes of a call that comes by these hops.
async fn call(url: &str, hops: &str) -> Value {
    let caller = Post::inline(url).header("x-forwarded-for", hops);
    caller.call("greet", json!({ "name": "Ada" })).await
}

async fn is_limited(url: &str, hops: &str) -> bool {
    call(url, hops).await.to_string().contains("RATE_LIMITED")
}

async fn initialize(url: &str, hops: &str) -> u16 {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "wire", "version": "0" },
    });
    Post::stateless(url)
        .header("x-forwarded-for", hops)
        .send("initialize", params)
        .await
        .status
}

#[tokio::test]
async fn a_trusted_proxy_tells_callers_apart() {
    let url = open(true).await;
    for client in ["198.51.100.1", "198.51.100.2"] {
        for _ in 0..2 {
            assert!(!is_limited(&url, &format!("203.0.113.9, {client}")).await);
        }
        assert!(
            is_limited(&url, &format!("192.0.2.77, {client}")).await,
            "what stands before it is invented"
        );
        assert_eq!(initialize(&url, client).await, 200);
        assert_eq!(initialize(&url, client).await, 429);
    }
}

#[tokio::test]
async fn nobody_else_is_taken_at_their_word() {
    let url = open(false).await;
    assert!(!is_limited(&url, "198.51.100.1").await && !is_limited(&url, "198.51.100.2").await);
    assert!(is_limited(&url, "198.51.100.3").await);
    assert_eq!(initialize(&url, "198.51.100.1").await, 200);
    assert_eq!(initialize(&url, "198.51.100.2").await, 429);
}
