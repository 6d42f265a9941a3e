//! Real requests: without a token, with a token that lacks a scope, and with all scopes.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::{AUDIENCE, ISSUER, options, server};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, get_current_timestamp, jwk::Jwk};
use pd_runtime::serve::{
    Http, JwtKeys,
    axum::{self, Router, routing::get},
};
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use std::{fs, path::Path};
use tokio::process::Command;

#[allow(dead_code, reason = "the tokens need one of the keys")]
#[path = "../../pd-runtime/src/serve/http/oauth/jwt/tests/curve_keys.rs"]
mod test_keys;

const PUBLIC_KEY: &str =
    include_str!("../../pd-runtime/src/serve/http/oauth/jwt/fixtures/ed25519.pub.pem");

/// Returns a token with these claims beside those that all tokens here have.
fn token(claims: Value) -> String {
    let mut all = json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": get_current_timestamp() + 300 });
    all.as_object_mut()
        .unwrap()
        .extend(claims.as_object().unwrap().clone());
    let key = EncodingKey::from_ed_der(&test_keys::ed25519());
    encode(&Header::new(Algorithm::EdDSA), &all, &key).unwrap()
}

/// Serves on a free port until the test ends.
async fn serve(keys: JwtKeys) -> String {
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    tokio::spawn(async move { http.serve(&server().unwrap(), options(keys)).await });
    url
}

/// Sends one request of MCP 2026-07-28, which needs no session.
async fn send(url: &str, token: Option<&str>, method: &str, mut params: Value) -> Response {
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = reqwest::Client::new()
        .post(url)
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method)
        .header("mcp-name", name)
        .json(&message);
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    request.send().await.unwrap()
}

/// Returns the names that `tools/list` contains, without meta-tools.
async fn listed(url: &str, token: &str) -> Vec<String> {
    let answer: Value = send(url, Some(token), "tools/list", json!({}))
        .await
        .json()
        .await
        .unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    let names = tools.map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| name != "describe_tools").collect()
}

/// Calls a tool. The list has it in full, so the call needs no description.
async fn call(url: &str, token: &str, name: &str) -> Value {
    let params = json!({ "name": name, "arguments": { "number": 7 } });
    send(url, Some(token), "tools/call", params)
        .await
        .json()
        .await
        .unwrap()
}

fn challenge(answer: &Response) -> &str {
    answer.headers()["www-authenticate"].to_str().unwrap()
}

#[tokio::test]
async fn without_a_token_the_answer_says_where_to_get_one() {
    let url = serve(JwtKeys::from_pem(PUBLIC_KEY).unwrap()).await;
    let answer = send(&url, None, "tools/list", json!({})).await;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(
        challenge(&answer),
        "Bearer scope=\"orders:refund shop\", \
         resource_metadata=\"https://shop.example/.well-known/oauth-protected-resource/mcp\""
    );
    let metadata = url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp");
    let metadata: Value = reqwest::get(metadata).await.unwrap().json().await.unwrap();
    let expected = json!({
        "resource": "https://shop.example/mcp",
        "authorization_servers": ["https://id.example"],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["orders:refund", "shop"],
        "resource_name": "The shop",
    });
    assert_eq!(metadata, expected);
}

#[tokio::test]
async fn a_token_that_is_not_valid_gets_401_and_one_without_a_required_scope_403() {
    let url = serve(JwtKeys::from_pem(PUBLIC_KEY).unwrap()).await;
    let other_audience = json!({ "scope": "shop", "aud": "https://other.example/mcp" });
    let expired = json!({ "scope": "shop", "exp": get_current_timestamp() - 3_600 });
    for claims in [
        other_audience,
        expired,
        json!({ "scope": "shop", "iss": "https://other.example" }),
    ] {
        let answer = send(&url, Some(&token(claims.clone())), "tools/list", json!({})).await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{claims}");
        assert!(
            challenge(&answer).starts_with("Bearer error=\"invalid_token\", "),
            "{}",
            challenge(&answer)
        );
    }
    let answer = send(
        &url,
        Some(&token(json!({ "scope": "orders:refund" }))),
        "tools/list",
        json!({}),
    )
    .await;
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
    assert!(
        challenge(&answer).starts_with("Bearer error=\"insufficient_scope\", "),
        "{}",
        challenge(&answer)
    );
}

#[tokio::test]
async fn a_tool_whose_scope_is_missing_is_unknown() {
    let url = serve(JwtKeys::from_pem(PUBLIC_KEY).unwrap()).await;
    let visitor = token(json!({ "scope": "shop" }));
    assert_eq!(listed(&url, &visitor).await, ["order"]);
    let (hidden, absent) = (
        call(&url, &visitor, "refund").await,
        call(&url, &visitor, "refunt").await,
    );
    assert_eq!(hidden["error"]["code"], -32602);
    assert_eq!(
        hidden.to_string().replace("refund", "refunt"),
        absent.to_string()
    );
}

#[tokio::test]
async fn a_token_with_the_scope_lists_and_calls_the_tool() {
    let url = serve(JwtKeys::from_pem(PUBLIC_KEY).unwrap()).await;
    let clerk = token(json!({ "scope": "shop orders:refund" }));
    assert_eq!(listed(&url, &clerk).await, ["order", "refund"]);
    let answer = call(&url, &clerk, "refund").await;
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "Order 7 was refunded by alice."
    );
}

/// Publishes the public key of these tests, as issuers do.
async fn issuer() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let issuer = format!("http://{}", listener.local_addr().unwrap());
    let metadata = json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/keys") }).to_string();
    let key = EncodingKey::from_ed_der(&test_keys::ed25519());
    let keys =
        json!({ "keys": [Jwk::from_encoding_key(&key, Algorithm::EdDSA).unwrap()] }).to_string();
    let router = Router::new()
        .route(
            "/.well-known/openid-configuration",
            get(move || async move { metadata }),
        )
        .route("/keys", get(move || async move { keys }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    issuer
}

#[tokio::test]
async fn keys_are_fetched_from_the_issuer() {
    let url = serve(JwtKeys::from_issuer(&issuer().await).unwrap()).await;
    assert_eq!(
        listed(&url, &token(json!({ "scope": "shop" }))).await,
        ["order"]
    );
}

/// Runs a script of the page, and returns what it printed. `None` if this machine lacks its program.
async fn script(folder: &Path, name: &str, arguments: &[&str]) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("authentication")
        .join(name);
    let ran = Command::new("sh")
        .current_dir(folder)
        .arg(path)
        .args(arguments)
        .output()
        .await
        .unwrap();
    let report = String::from_utf8(ran.stderr).unwrap();
    if report.contains("not found") {
        println!("skipped: {report}");
        return None;
    }
    assert!(ran.status.success(), "{report}");
    Some(String::from_utf8(ran.stdout).unwrap().trim().to_owned())
}

#[tokio::test]
async fn the_scripts_of_the_page_make_tokens_and_use_them() {
    let folder = tempfile::tempdir().unwrap();
    let Some(visitor) = script(folder.path(), "token.sh", &["bob", "shop"]).await else {
        return;
    };
    let clerk = script(folder.path(), "token.sh", &["bob", "shop orders:refund"])
        .await
        .unwrap();
    let public_key = fs::read_to_string(folder.path().join("issuer.pub.pem")).unwrap();
    let url = serve(JwtKeys::from_pem(&public_key).unwrap()).await;
    let answer = call(&url, &clerk, "refund").await;
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "Order 7 was refunded by bob."
    );
    for (token, sees_refund) in [(visitor, false), (clerk, true)] {
        let Some(list) = script(folder.path(), "list.sh", &[&url, &token]).await else {
            return;
        };
        assert!(
            list.contains("\"order\"") && list.contains("\"refund\"") == sees_refund,
            "{list}"
        );
    }
}
