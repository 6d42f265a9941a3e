//! `HttpOptions::authenticate`: asked once a request, before MCP; nobody else gets in.

use crate::harness::{names, post::Post, shop};
use futures::{FutureExt, future::BoxFuture};
use http::request::Parts;
use pd_runtime::{
    Principal,
    serve::{Authenticate, AuthenticationError, Http, HttpOptions, bearer},
};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Asks elsewhere, as one who checks a signature with keys that it fetches does.
#[derive(Default)]
struct Elsewhere {
    asked: AtomicUsize,
}

impl Authenticate for Elsewhere {
    fn authenticate<'a>(
        &'a self,
        request: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        async move {
            self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(1)).await;
            match bearer(request)
                .map_err(|error| error.with("resource_metadata", "https://shop.example/meta"))?
            {
                "carol" => Ok(Principal::new("carol").with_scopes(["shop:refund"])),
                "alice" => Ok(Principal::new("alice")),
                _ => Err(AuthenticationError::invalid_token(
                    "this token has expired; log in again",
                )),
            }
        }
        .boxed()
    }
}

async fn open(who: Arc<Elsewhere>) -> String {
    let server = shop::server()
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap();
    let options = HttpOptions::new().authenticate(who);
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    tokio::spawn(async move { http.serve(&server, options).await });
    url
}

#[tokio::test]
async fn a_principal_sees_what_its_scopes_say() {
    let who = Arc::new(Elsewhere::default());
    let url = open(who.clone()).await;
    for (token, sees) in [("alice", false), ("carol", true)] {
        for caller in [
            Post::inline(&url).bearer(token),
            Post::session(&url, Some(token)).await,
        ] {
            let listed = caller.result("tools/list", json!({})).await;
            assert_eq!(names(&listed["tools"]).contains(&"refund"), sees, "{token}");
        }
    }
    assert_eq!(
        who.asked.load(Ordering::SeqCst),
        8,
        "once a request: two lists, and `initialize` with its notification"
    );
}

#[tokio::test]
async fn nobody_else_gets_in_by_any_method() {
    let url = open(Arc::default()).await;
    let without = "Bearer resource_metadata=\"https://shop.example/meta\"";
    let unknown = "Bearer error=\"invalid_token\", error_description=\"this token has expired; log in again\"";
    let client = reqwest::Client::new();
    let send = "send a token that this server accepts, as the header `Authorization: Bearer TOKEN`";
    for (token, challenge, advice) in [
        (None, without, send),
        (Some("Basic alice"), without, send),
        (
            Some("Bearer mallory"),
            unknown,
            "this token has expired; log in again",
        ),
    ] {
        for method in
            ["POST", "GET", "DELETE"].map(|method| reqwest::Method::try_from(method).unwrap())
        {
            let mut request = client.request(method, &url).body("{}");
            if let Some(token) = token {
                request = request.header("authorization", token);
            }
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), 401);
            assert_eq!(answer.headers()["www-authenticate"], challenge);
            assert_eq!(answer.headers()["content-type"], "application/json");
            let body: Value = answer.json().await.unwrap();
            assert_eq!(body["error"], "invalid_token");
            assert_eq!(body["error_description"], advice);
        }
    }
}

#[tokio::test]
async fn a_session_is_of_no_use_to_nobody() {
    let url = open(Arc::default()).await;
    let alice = Post::session(&url, Some("alice")).await;
    alice.result("tools/list", json!({})).await;
    let nobody = Post::stateless(&url).header("mcp-session-id", alice.session_id());
    assert_eq!(nobody.send("tools/list", json!({})).await.status, 401);
}
