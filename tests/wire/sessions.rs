//! Sessions over HTTP, as clients that are not ours meet them: whose they are, how many there are, how they end.

use crate::harness::{post::Post, shop};
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use http::request::Parts;
use pd_runtime::{
    Limits, Principal,
    audit::{Audit, AuditEventKind, Event},
    config::Rate,
    serve::{Authenticate, AuthenticationError, Http, HttpOptions, bearer},
};
use rmcp::{
    ServiceExt,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Every token names its bearer.
struct Anyone;

impl Authenticate for Anyone {
    fn authenticate<'a>(
        &'a self,
        request: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        ready(bearer(request).map(Principal::new)).boxed()
    }
}

async fn open(set: impl FnOnce(HttpOptions) -> HttpOptions) -> String {
    let server = shop::server().build().unwrap();
    let options = set(HttpOptions::new());
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    tokio::spawn(async move { http.serve(&server, options).await });
    url
}

async fn open_to_anyone(set: impl FnOnce(HttpOptions) -> HttpOptions) -> String {
    open(|options| set(options.authenticate(Arc::new(Anyone)))).await
}

async fn lives(session: &Post) -> bool {
    session.send("ping", json!({})).await.status == 200
}

/// Reads or ends a session, as this bearer; says what the status was.
async fn status(method: &str, session: &Post, url: &str, token: &str) -> u16 {
    let request = reqwest::Client::new()
        .request(method.parse().unwrap(), url)
        .bearer_auth(token);
    let request = request
        .header("accept", "text/event-stream")
        .header("mcp-session-id", session.session_id());
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn nobody_reads_or_ends_the_session_of_another() {
    let url = open_to_anyone(|options| options).await;
    let alice = Post::session(&url, Some("alice")).await;
    for method in ["GET", "DELETE"] {
        assert_eq!(status(method, &alice, &url, "mallory").await, 404);
    }
    assert_eq!(
        alice
            .bearer("mallory")
            .send("tools/list", json!({}))
            .await
            .status,
        404
    );
    assert!(lives(&alice).await);
    assert_eq!(status("GET", &alice, &url, "alice").await, 200);
    assert_eq!(status("DELETE", &alice, &url, "alice").await, 204);
    assert_eq!(status("DELETE", &alice, &url, "alice").await, 404);
    assert!(!lives(&alice).await);
}

#[tokio::test]
async fn a_client_that_leaks_sessions_harms_itself() {
    let url = open_to_anyone(|options| options.max_sessions_per_principal(2)).await;
    let bob = Post::session(&url, Some("bob")).await;
    let mut leaked = Vec::new();
    for _ in 0..5 {
        leaked.push(Post::session(&url, Some("alice")).await);
    }
    assert!(lives(&bob).await);
    assert!(!lives(&leaked[2]).await && lives(&leaked[3]).await && lives(&leaked[4]).await);
}

#[tokio::test]
async fn a_full_server_says_when_to_come_again() {
    let url = open(|options| options.max_sessions(1)).await;
    let one = Post::session(&url, None).await;
    assert!(
        lives(&one).await,
        "something was asked in it, so it does not yield"
    );
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "wire", "version": "0" },
    });
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let request = reqwest::Client::new()
        .post(&url)
        .header("accept", "application/json, text/event-stream");
    let refused = request.json(&initialize).send().await.unwrap();
    assert_eq!(
        (refused.status().as_u16(), &refused.headers()["retry-after"]),
        (503, &"10".parse().unwrap())
    );
    let told: Value = refused.json().await.unwrap();
    assert_eq!(told["error"]["code"], -32000, "{told}");
    assert!(lives(&one).await);
    let inline = Post::inline(&url).send("tools/list", json!({})).await;
    assert_eq!(inline.status, 200, "2026-07-28 needs no session");
}

/// rmcp's own client closes its session when it ends, and opens another where one has gone.
#[tokio::test]
async fn a_client_opens_its_session_again() {
    let url = open_to_anyone(|options| options.max_sessions_per_principal(1)).await;
    let config = StreamableHttpClientTransportConfig::with_uri(url.clone()).auth_header("alice");
    let client = ().serve(StreamableHttpClientTransport::from_config(config)).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    Post::session(&url, Some("alice")).await;
    assert_eq!(client.list_all_tools().await.unwrap(), tools);
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let url = open(|options| options.body_timeout(Duration::from_millis(200))).await;
    let address = url
        .strip_prefix("http://")
        .and_then(|url| url.strip_suffix("/mcp"))
        .unwrap();
    let mut client = TcpStream::connect(address).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n\
                content-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    client.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    tokio::time::timeout(Duration::from_secs(5), client.read_to_string(&mut answer))
        .await
        .unwrap()
        .unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"),
        "{answer}"
    );
}

/// Takes the limits that were reached.
#[derive(Default)]
struct Limited(Mutex<Vec<String>>);

impl Audit for Limited {
    fn record(&self, event: &Event<'_>) {
        if let AuditEventKind::Limited { limit } = event.kind {
            let era = serde_json::to_value(event).unwrap()["era"].clone();
            self.0.lock().unwrap().push(format!(
                "{limit} {} {era} {}",
                event.surface,
                event.principal.is_some()
            ));
        }
    }
}

#[tokio::test]
async fn a_session_counts_as_a_call_of_its_principal() {
    let limited = Arc::new(Limited::default());
    let server = shop::server()
        .limits(Limits::default().calls(Rate::per_minute(2)))
        .audit(limited.clone());
    let server = server.build().unwrap();
    let options = HttpOptions::new().authenticate(Arc::new(Anyone));
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    tokio::spawn(async move { http.serve(&server, options).await });
    for _ in 0..2 {
        Post::session(&url, Some("alice")).await;
    }
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "wire", "version": "0" },
    });
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let request = reqwest::Client::new().post(&url).bearer_auth("alice");
    let request = request
        .header("accept", "application/json, text/event-stream")
        .json(&initialize);
    let refused = request.send().await.unwrap();
    assert_eq!(refused.status(), 429);
    let retry_after: u64 = refused.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    let told: Value = refused.json().await.unwrap();
    assert_eq!(
        (&told["error"]["code"], &told["error"]["data"]["retryAfter"]),
        (&json!(429), &json!(retry_after))
    );
    assert_eq!(
        *limited.0.lock().unwrap(),
        ["sessions initialize \"session\" true"]
    );
    assert_eq!(
        Post::inline(&url)
            .bearer("alice")
            .send("tools/list", json!({}))
            .await
            .status,
        200,
        "no call"
    );
    Post::session(&url, Some("bob")).await;
}
