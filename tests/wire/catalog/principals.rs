//! Who may see which tools of a catalog.

use super::{Shelf, tools};
use crate::harness::{
    client::{Era, connect_to, error_of},
    names,
    post::Post,
};
use serde_json::{Value, json};

/// The rights that the file begins with.
fn rights() -> Value {
    json!({ "token-a": ["log", "blame"], "token-b": ["show"] })
}

fn shelf() -> Shelf {
    let shelf = Shelf::new(&tools(&["log", "blame", "show"]));
    shelf.write("tokens.json", &rights());
    shelf
}

async fn listed(caller: &Post) -> Vec<String> {
    let listed = caller.result("tools/list", json!({})).await;
    names(&listed["tools"])
        .into_iter()
        .filter(|name| *name != "describe_tools")
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn two_tokens_see_different_lists() {
    for more in [&[][..], &["--no-sessions"]] {
        let shelf = shelf();
        let (_process, url) = shelf.http(more).await;
        let (a, b) = (
            Post::inline(&url).bearer("token-a"),
            Post::stateless(&url).bearer("token-b"),
        );
        assert_eq!(listed(&a).await, ["log", "blame"]);
        assert_eq!(
            listed(&Post::inline(&url).bearer("token-b")).await,
            ["show"]
        );
        if !more.is_empty() {
            assert_eq!(listed(&b).await, ["show"]);
        }
        let described = a.describe("show,log").await;
        assert_eq!(
            described["show"]["available_tools"],
            json!(["log", "blame"]),
            "{described}"
        );
    }
}

#[tokio::test]
async fn a_caller_without_a_known_token_is_told_what_to_do() {
    let shelf = shelf();
    let (_process, url) = shelf.http(&[]).await;
    let client = reqwest::Client::new();
    for (token, challenge) in [
        (None, "Bearer"),
        (Some("token-c"), "Bearer error=\"invalid_token\""),
    ] {
        let mut request = client
            .post(&url)
            .json(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 401);
        assert!(
            answer.headers()["www-authenticate"]
                .to_str()
                .unwrap()
                .starts_with(challenge)
        );
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"], "invalid_token");
        assert!(
            body["error_description"]
                .as_str()
                .unwrap()
                .contains("send "),
            "{body}"
        );
    }
}

#[tokio::test]
async fn the_owner_sees_all() {
    let shelf = shelf();
    let (_process, mut line) = shelf.stdio();
    line.handshake(json!({})).await;
    let all = line.result("tools/list", json!({})).await;
    assert_eq!(
        names(&all["tools"]),
        ["log", "blame", "show", "describe_tools"]
    );
}

/// No wait for a watcher: the very next request has the new rights.
#[tokio::test]
async fn a_right_that_was_taken_away_is_gone_with_the_next_request() {
    let shelf = shelf();
    let (_process, url) = shelf.http(&[]).await;
    let (session, inline) = (
        Post::session(&url, Some("token-a")).await,
        Post::inline(&url).bearer("token-a"),
    );
    session.describe("log").await;
    for (round, caller) in [&session, &inline].into_iter().enumerate() {
        shelf.write("tokens.json", &rights());
        assert_eq!(listed(caller).await, ["log", "blame"], "{round}");
        shelf.write(
            "tokens.json",
            &json!({ "token-a": ["blame"], "token-b": ["show"] }),
        );
        let revoked = caller
            .send("tools/call", json!({ "name": "log", "arguments": {} }))
            .await;
        assert_eq!(revoked.body["error"]["code"], -32602, "{}", revoked.body);
        let unknown = caller
            .send("tools/call", json!({ "name": "lug", "arguments": {} }))
            .await;
        assert_eq!(
            revoked.body.to_string().replace("log", "lug"),
            unknown.body.to_string()
        );
    }
    shelf.write("tokens.json", &rights());
    assert_eq!(
        session.call("log", json!({ "a": 1 })).await["structuredContent"],
        json!({ "a": 1 }),
        "it was read"
    );
    shelf.write("tokens.json", &json!({}));
    assert_eq!(session.send("tools/list", json!({})).await.status, 401);
}

#[tokio::test]
async fn clients_hear_that_their_rights_changed() {
    let shelf = shelf();
    let (mut process, url) = shelf.http(&[]).await;
    let client = connect_to(Era::HttpSession, &url, Some("token-a"), json!({})).await;
    assert_eq!(
        names(&client.list().await["tools"]),
        ["log", "blame", "describe_tools"]
    );
    shelf.write("tokens.json", &json!({ "token-a": ["show"] }));
    // A request meets the new rights before the watcher does, and takes the news from nobody.
    assert_eq!(
        error_of(client.try_call("log", json!({})).await).code.0,
        -32602
    );
    client.hears_changes(1).await;
    process.says("tokens.json changed: 1 principals").await;
    assert_eq!(
        names(&client.list().await["tools"]),
        ["show", "describe_tools"]
    );
}

#[tokio::test]
async fn a_broken_file_keeps_the_old_rights_and_tells_no_token() {
    let shelf = shelf();
    let (mut process, url) = shelf.http(&[]).await;
    std::fs::write(shelf.path("tokens.json"), "{ \"token-a\": \"token-secret").unwrap();
    let told = process.says("is not an object of tokens").await;
    assert!(
        told.ends_with("; the old principals stay") && !told.contains("token-secret"),
        "{told}"
    );
    assert_eq!(
        listed(&Post::inline(&url).bearer("token-a")).await,
        ["log", "blame"]
    );
    shelf.write("tokens.json", &json!({ "token-a": ["show", "shw"] }));
    process.says("note: ").await;
    assert!(process.has_said("tokens.json names tools that the catalog lacks: shw"));
    assert_eq!(
        listed(&Post::inline(&url).bearer("token-a")).await,
        ["show"]
    );
    assert!(!process.has_said("token-a"));
}

/// Where both files change, the tools that come are seen by those who may.
#[tokio::test]
async fn both_files_are_followed() {
    let shelf = shelf();
    let (mut process, url) = shelf.http(&[]).await;
    shelf.write("tokens.json", &json!({ "token-a": ["log", "new"] }));
    process.says("the catalog lacks: new").await;
    shelf.write("tools.json", &tools(&["new", "log"]));
    process.says("the catalog changed: 2 tools").await;
    assert_eq!(
        listed(&Post::inline(&url).bearer("token-a")).await,
        ["new", "log"]
    );
}
