//! A session for each batch of calls, which lists first: the call that another session was refused is admitted.

use super::{WELCOME, ada, all_texts, assert_refused, builder, listed, listed_line};
use crate::harness::{client::Era, line::Line, post::Post, raw::Raw, shop::Shop, site::Site, text};
use pd_runtime::{Listing, PdServer, config::Refusal};
use serde_json::{Value, json};

async fn site() -> Site {
    Site::open(&builder().build().unwrap(), true).await
}

#[tokio::test]
async fn the_same_call_runs_in_the_next_session() {
    let site = site().await;
    assert_refused(&listed(&site.url, "alice").await.call("greet", ada()).await);
    let called = listed(&site.url, "alice").await.call("greet", ada()).await;
    assert_eq!(text(&called), WELCOME);
    assert!(
        called
            .pointer("/_meta/dev.pd-runtime~1undisclosed")
            .is_some(),
        "{called}"
    );
    // From now on, the sessions of this principal are known not to last.
    let other = listed(&site.url, "alice")
        .await
        .call("greet", json!({ "name": "Bob" }))
        .await;
    assert_eq!(text(&other), "Welcome, Bob!");
    assert_refused(
        &listed(&site.url, "alice")
            .await
            .call("stock", json!({}))
            .await,
    );
}

#[tokio::test]
async fn over_standard_input_the_same_call_runs_on_the_next_connection() {
    let server = builder().build().unwrap();
    assert_refused(&listed_line(&server).await.call("greet", ada()).await);
    assert_eq!(
        text(&listed_line(&server).await.call("greet", ada()).await),
        WELCOME
    );
}

#[tokio::test]
async fn members_in_another_order_and_numbers_in_another_form_are_the_same_call() {
    let site = site().await;
    let call = async |text: &str| {
        let arguments: Value = serde_json::from_str(text).unwrap();
        listed(&site.url, "alice")
            .await
            .call("search", arguments)
            .await
    };
    assert_refused(&call(r#"{"word": "tea", "limit": 5}"#).await);
    assert_ne!(
        call(r#"{"limit": 5.0, "word": "tea"}"#).await["isError"],
        true
    );
}

#[tokio::test]
async fn other_arguments_and_other_principals_are_refused() {
    let site = site().await;
    assert_refused(&listed(&site.url, "alice").await.call("greet", ada()).await);
    assert_refused(
        &listed(&site.url, "alice")
            .await
            .call("greet", json!({ "name": "Bob" }))
            .await,
    );
    assert_refused(
        &listed(&site.url, "mallory")
            .await
            .call("greet", ada())
            .await,
    );
    assert_refused(
        &listed(&site.url, "alice admin")
            .await
            .call("order", json!({ "article": "tea" }))
            .await,
    );
    assert_eq!(
        text(
            &listed(&site.url, "alice admin")
                .await
                .call("greet", ada())
                .await
        ),
        WELCOME,
        "scopes do not matter"
    );
}

#[tokio::test]
async fn anonymous_callers_are_told_apart_by_their_programs() {
    let site = site().await;
    let call = async |agent: &str| {
        let post = Post::session(&site.url, None)
            .await
            .header("user-agent", agent);
        post.result("tools/list", json!({})).await;
        post.call("greet", ada()).await
    };
    assert_refused(&call("one/1.0").await);
    assert_refused(&call("other/1.0").await);
    assert_eq!(text(&call("one/1.0").await), WELCOME);
}

#[tokio::test]
async fn clients_of_other_names_do_not_share_a_refusal_over_standard_input() {
    let server = builder().build().unwrap();
    let call = async |name: &str| {
        let mut line = Line::open(&server);
        let info = json!({ "name": name, "version": "0" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        line.handshake_with(params).await;
        line.result("tools/list", json!({})).await;
        line.call("greet", ada()).await
    };
    assert_refused(&call("one").await);
    assert_refused(&call("other").await);
    assert_eq!(text(&call("one").await), WELCOME);
}

#[tokio::test]
async fn the_call_that_the_refusal_says_to_send_runs_in_the_next_session() {
    let site = site().await;
    let refused = listed(&site.url, "alice")
        .await
        .call("search", json!({ "wrod": "tea", "limit": "5" }))
        .await;
    assert_refused(&refused);
    let texts = all_texts(&refused);
    let call: Value = serde_json::from_str(texts.lines().last().unwrap()).unwrap();
    assert_eq!(
        call["arguments"],
        json!({ "word": "tea", "limit": 5 }),
        "{texts}"
    );
    let called = listed(&site.url, "alice")
        .await
        .call("search", call["arguments"].clone())
        .await;
    assert_ne!(called["isError"], true, "{called}");
}

#[tokio::test]
async fn without_a_session_each_request_is_one() {
    for era in [Era::HttpInline, Era::HttpStateless, Era::Inline] {
        let mut client = Raw::connect_as(era, &builder().build().unwrap(), "alice").await;
        client.result("tools/list", json!({})).await;
        let call = json!({ "name": "greet", "arguments": ada() });
        assert_refused(&client.result("tools/call", call.clone()).await);
        assert_eq!(
            text(&client.result("tools/call", call.clone()).await),
            WELCOME,
            "{era:?}"
        );
        client.become_bearer("mallory");
        if era.is_http() {
            assert_refused(&client.result("tools/call", call).await);
        }
    }
}

#[tokio::test]
async fn a_bare_refusal_in_the_same_session_is_repeated() {
    let server = builder().refusal(Refusal::Bare).build().unwrap();
    let mut line = listed_line(&server).await;
    for _ in 0..3 {
        assert_refused(&line.call("greet", ada()).await);
    }
    assert_eq!(
        text(&listed_line(&server).await.call("greet", ada()).await),
        WELCOME,
        "another session"
    );
    for era in [Era::Inline, Era::HttpInline] {
        let mut client =
            Raw::connect(era, &builder().refusal(Refusal::Bare).build().unwrap()).await;
        client.result("tools/list", json!({})).await;
        for _ in 0..3 {
            assert_refused(
                &client
                    .result("tools/call", json!({ "name": "greet", "arguments": ada() }))
                    .await,
            );
        }
    }
}

#[tokio::test]
async fn calls_through_a_meta_tool_are_repeated_too() {
    let site = Site::open(&builder().listing(Listing::Grouped).build().unwrap(), true).await;
    let call = async || {
        let arguments = json!({ "name": "prices", "arguments": {} });
        listed(&site.url, "alice")
            .await
            .call("call_tool", arguments)
            .await
    };
    assert_refused(&call().await);
    assert_ne!(call().await["isError"], true);
}

#[tokio::test]
async fn a_description_that_changed_since_the_refusal_is_refused() {
    let note = |text| {
        let tool = crate::harness::shop::saying("note", text).description(text);
        pd_runtime::Registry::builder().tool(tool).build().unwrap()
    };
    let server: PdServer<Shop> = PdServer::builder(note("old"), Shop::default())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    assert_refused(&listed_line(&server).await.call("note", json!({})).await);
    server.replace(note("new")).unwrap();
    assert_refused(&listed_line(&server).await.call("note", json!({})).await);
    assert_eq!(
        text(&listed_line(&server).await.call("note", json!({})).await),
        "new"
    );
}

#[tokio::test]
async fn a_directory_keeps_refusals_and_tickets_for_the_next_process() {
    let directory = tempfile::tempdir().unwrap();
    let process = || {
        builder()
            .state_directory(directory.path().join("state"))
            .build()
            .unwrap()
    };
    assert_refused(&listed_line(&process()).await.call("greet", ada()).await);
    assert_eq!(
        text(&listed_line(&process()).await.call("greet", ada()).await),
        WELCOME
    );
    let mut line = Line::inline(&process(), json!({}));
    let described =
        crate::harness::told(&line.read("resource:///tool_descriptions?tools=stock").await);
    let ticket = crate::harness::client::ticket(&described["stock"])
        .unwrap()
        .to_owned();
    let mut line = Line::inline(&process(), json!({}));
    line.result("tools/list", json!({})).await;
    let called = line
        .call("stock", json!({ "disclosure_ticket": ticket }))
        .await;
    assert!(
        called
            .pointer("/_meta/dev.pd-runtime~1undisclosed")
            .is_none()
            && called["isError"] != true,
        "{called}"
    );
    let other = builder().build().unwrap();
    assert_refused(&listed_line(&other).await.call("greet", ada()).await);
}

#[tokio::test]
async fn a_directory_that_cannot_be_written_changes_nothing() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let server = builder()
        .state_directory(file.path().join("state"))
        .build()
        .unwrap();
    assert_refused(&listed_line(&server).await.call("greet", ada()).await);
    assert_eq!(
        text(&listed_line(&server).await.call("greet", ada()).await),
        WELCOME
    );
}
