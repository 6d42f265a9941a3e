//! A resource server of OAuth 2.1: what it tells clients of tokens, and what tokens open, over HTTP.

use crate::harness::{
    issuer::{AUDIENCE, Issuer},
    names,
    post::Post,
    shop::{self, Shop},
    text,
};
use pd_runtime::{
    Listing, PdServer, Registry,
    config::MetaTools,
    serve::{Http, HttpOptions, Jwt, JwtKeys, ProtectedResource},
};
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

const METADATA: &str = "https://shop.example/.well-known/oauth-protected-resource/mcp";

/// A server that trusts an issuer.
struct Guarded {
    url: String,
    shared: PdServer<Shop>,
    issuer: Issuer,
}

impl Guarded {
    /// It looks for new keys as often as it is asked to.
    async fn open(change: impl FnOnce(ProtectedResource) -> ProtectedResource) -> Self {
        let issuer = Issuer::open().await;
        let keys = JwtKeys::from_issuer(&issuer.url)
            .unwrap()
            .refreshed(Duration::from_secs(60), Duration::ZERO);
        let jwt = Jwt::new(AUDIENCE, &issuer.url, keys);
        let resource = change(jwt.protected_resource());
        let options = HttpOptions::new()
            .protected_resource(resource)
            .authenticate(Arc::new(jwt));
        let shared = shop::server()
            .listing(Listing::Minimal)
            .meta_tools(MetaTools::all())
            .build()
            .unwrap();
        let http = Http::bind("127.0.0.1:0").await.unwrap();
        let (url, server) = (http.url(), shared.clone());
        tokio::spawn(async move { http.serve(&server, options).await });
        Self {
            url,
            shared,
            issuer,
        }
    }

    fn caller(&self, subject: &str, scope: &str) -> Post {
        Post::inline(&self.url).bearer(&self.issuer.token(subject, scope, "first"))
    }

    async fn status_by(&self, key: &str) -> u16 {
        let caller = Post::inline(&self.url).bearer(&self.issuer.token("alice", "", key));
        caller.send("tools/list", json!({})).await.status
    }

    async fn get(&self, path: &str) -> Response {
        reqwest::get(self.url.replace("/mcp", path)).await.unwrap()
    }

    async fn document(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(
            (answer.status(), &answer.headers()["content-type"]),
            (StatusCode::OK, &"application/json".parse().unwrap())
        );
        answer.json().await.unwrap()
    }

    async fn post(&self, token: Option<&str>) -> Response {
        let request = reqwest::Client::new().post(&self.url).body("{}");
        let authorized = token.map(|token| format!("Bearer {token}"));
        authorized
            .into_iter()
            .fold(request, |request, it| request.header("authorization", it))
            .send()
            .await
            .unwrap()
    }
}

fn challenge(answer: &Response) -> &str {
    answer.headers()["www-authenticate"].to_str().unwrap()
}

#[tokio::test]
async fn anybody_reads_where_to_get_a_token() {
    let guarded = Guarded::open(|resource| resource.named("The shop")).await;
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        let wanted = json!({
            "resource": AUDIENCE,
            "authorization_servers": [guarded.issuer.url],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["shop:refund"],
            "resource_name": "The shop",
        });
        assert_eq!(guarded.document(path).await, wanted);
    }
    for elsewhere in [
        "/.well-known/oauth-protected-resource/other",
        "/.well-known/openid-configuration",
        "/",
    ] {
        assert_eq!(guarded.get(elsewhere).await.status(), 404, "{elsewhere}");
    }
    assert_eq!(
        guarded.issuer.asked(),
        0,
        "nothing of it costs the issuer anything"
    );
}

#[tokio::test]
async fn the_scopes_are_those_of_the_tools_served_now() {
    let guarded = Guarded::open(|resource| resource).await;
    let tool = |name, scope| shop::saying(name, "open").scope(scope);
    let tools = Registry::builder()
        .tool(tool("b", "two"))
        .tool(tool("a", "two").scope("one"));
    guarded.shared.replace(tools.build().unwrap()).unwrap();
    let document = guarded
        .document("/.well-known/oauth-protected-resource")
        .await;
    assert_eq!(document["scopes_supported"], json!(["one", "two"]));
    assert!(
        challenge(&guarded.post(None).await)
            .starts_with("Bearer scope=\"one two\", resource_metadata=")
    );
    guarded.shared.replace(shop::unscoped()).unwrap();
    let document = guarded
        .document("/.well-known/oauth-protected-resource")
        .await;
    assert_eq!(document.get("scopes_supported"), None);
    assert_eq!(
        challenge(&guarded.post(None).await),
        format!("Bearer resource_metadata=\"{METADATA}\"")
    );
}

#[tokio::test]
async fn a_refusal_says_where_to_get_a_token_and_for_what() {
    let guarded = Guarded::open(|resource| resource.requires(["shop"])).await;
    let told = format!("scope=\"shop shop:refund\", resource_metadata=\"{METADATA}\"");
    let nobody = guarded.post(None).await;
    assert_eq!(
        (nobody.status(), challenge(&nobody)),
        (StatusCode::UNAUTHORIZED, format!("Bearer {told}").as_str())
    );
    let stranger = guarded.post(Some("garbage")).await;
    assert_eq!(stranger.status(), 401);
    assert!(challenge(&stranger).starts_with("Bearer error=\"invalid_token\", error_description="));
    assert!(
        challenge(&stranger).ends_with(&told),
        "{}",
        challenge(&stranger)
    );
    let poor = guarded
        .post(Some(&guarded.issuer.token("alice", "shop:refund", "first")))
        .await;
    assert_eq!(poor.status(), 403);
    assert!(
        challenge(&poor).starts_with("Bearer error=\"insufficient_scope\", "),
        "{}",
        challenge(&poor)
    );
    assert!(challenge(&poor).ends_with(&told), "{}", challenge(&poor));
    assert_eq!(
        poor.json::<Value>().await.unwrap()["error"],
        "insufficient_scope"
    );
    assert_eq!(
        guarded
            .caller("alice", "shop")
            .send("tools/list", json!({}))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_list_of_scopes_too_long_for_a_header_stands_in_the_document_only() {
    let many = (0..200).map(|number| format!("scope:{number}"));
    let guarded = Guarded::open(|resource| resource.scopes(many)).await;
    assert_eq!(
        challenge(&guarded.post(None).await),
        format!("Bearer resource_metadata=\"{METADATA}\"")
    );
    let document = guarded
        .document("/.well-known/oauth-protected-resource")
        .await;
    assert_eq!(document["scopes_supported"].as_array().unwrap().len(), 200);
}

#[tokio::test]
async fn the_body_of_a_refused_request_is_not_waited_for() {
    let guarded = Guarded::open(|resource| resource).await;
    let address = guarded
        .url
        .trim_start_matches("http://")
        .trim_end_matches("/mcp");
    let mut connection = TcpStream::connect(address).await.unwrap();
    let head = format!("POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-length: 1000000\r\n\r\n");
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    let answer = timeout(Duration::from_secs(5), connection.read_exact(&mut status)).await;
    answer.expect("an answer at once").unwrap();
    assert_eq!(&status, b"HTTP/1.1 401");
}

#[tokio::test]
async fn an_issuer_changes_its_keys_and_fails() {
    let guarded = Guarded::open(|resource| resource).await;
    guarded.issuer.fail();
    assert_eq!(
        guarded.status_by("first").await,
        503,
        "no keys yet: the token may be good"
    );
    guarded.issuer.publish(&["first"]);
    assert_eq!(guarded.status_by("first").await, 200);
    assert_eq!(guarded.status_by("second").await, 401);
    guarded.issuer.publish(&["first", "second"]);
    assert_eq!(guarded.status_by("second").await, 200);
    guarded.issuer.publish(&["second"]);
    assert_eq!(guarded.status_by("unknown").await, 401);
    assert_eq!(
        guarded.status_by("first").await,
        401,
        "its key was withdrawn"
    );
    guarded.issuer.fail();
    assert_eq!(guarded.status_by("unknown").await, 401);
    assert_eq!(
        guarded.status_by("second").await,
        200,
        "the last good keys stay"
    );
}

#[tokio::test]
async fn a_session_is_of_no_use_to_somebody_elses_good_token() {
    let guarded = Guarded::open(|resource| resource).await;
    let (alice, bob) = (
        guarded.issuer.token("alice", "", "first"),
        guarded.issuer.token("bob", "", "first"),
    );
    let alice = Post::session(&guarded.url, Some(&alice)).await;
    alice.describe("greet").await;
    let asked = json!({ "name": "greet", "arguments": { "name": "Ada" } });
    let greet = |caller: Post| {
        let asked = asked.clone();
        async move { caller.result("tools/call", asked).await }
    };
    assert_eq!(
        greet(alice.clone()).await["content"][0]["text"],
        "Welcome, Ada!"
    );
    assert_eq!(
        alice
            .bearer(&bob)
            .send("tools/call", asked.clone())
            .await
            .status,
        404,
        "as an id that there never was"
    );
    assert_eq!(guarded.shared.state().ran(), 1);
    // Another token of the same person is theirs.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let refreshed = guarded.issuer.token("alice", "shop:refund", "first");
    assert_eq!(
        greet(alice.bearer(&refreshed)).await["content"][0]["text"],
        "Welcome, Ada!"
    );
}

#[tokio::test]
async fn a_tool_is_gone_with_the_scope_in_the_middle_of_a_session() {
    let guarded = Guarded::open(|resource| resource).await;
    let token = |scope| guarded.issuer.token("carol", scope, "first");
    let cashier = Post::session(&guarded.url, Some(&token("shop:refund"))).await;
    let refund = json!({ "amount": 5 });
    assert!(sees(&cashier).await);
    assert_eq!(cashier.describe("refund").await["refund"]["name"], "refund");
    assert_eq!(
        cashier.call("refund", refund.clone()).await["content"][0]["text"],
        "5"
    );
    let dismissed = cashier.bearer(&token(""));
    assert!(!sees(&dismissed).await);
    let described = dismissed.describe("refund").await["refund"].take();
    assert_eq!(described["error"], "Tool 'refund' not found");
    assert!(
        !described["available_tools"].to_string().contains("refund"),
        "{described}"
    );
    let call = |name| {
        dismissed.send(
            "tools/call",
            json!({ "name": name, "arguments": refund.clone() }),
        )
    };
    let (hidden, absent) = (call("refund").await.body, call("refunt").await.body);
    assert_eq!(hidden["error"]["code"], -32602);
    assert_eq!(
        hidden.to_string().replace("refund", "refunt"),
        absent.to_string()
    );
    for (caller, sees) in [(&dismissed, false), (&cashier, true)] {
        let found = caller
            .call("find_tools", json!({ "query": "give a payment back" }))
            .await;
        assert_eq!(text(&found).contains("refund"), sees, "{found}");
    }
    assert!(sees(&cashier).await, "with the scope it is there again");
}

async fn sees(caller: &Post) -> bool {
    names(&caller.result("tools/list", json!({})).await["tools"]).contains(&"refund")
}
