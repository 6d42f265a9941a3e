//! Tickets in sessions that do not last.

use super::{WELCOME, ada, all_texts, assert_refused, builder, listed};
use crate::harness::{client::ticket, post::Post, site::Site, text, told};
use pd_runtime::config::{Refusal, SessionPerCall};
use serde_json::{Value, json};

const ARGUMENT: &str = "disclosure_ticket";

async fn site(setting: SessionPerCall) -> Site {
    let server = builder()
        .session_per_call(setting)
        .refusal(Refusal::WithDescription);
    Site::open(&server.build().unwrap(), true).await
}

/// The ticket in the description of a refusal.
fn ticket_in(refused: &Value) -> Option<String> {
    assert_refused(refused);
    ticket(&told(refused)["tool_description"]).map(str::to_owned)
}

fn with_ticket(name: &str, ticket: &str) -> Value {
    json!({ "name": name, ARGUMENT: ticket })
}

#[tokio::test]
async fn a_second_refusal_of_a_tool_names_a_ticket_which_admits_in_any_session_of_the_principal() {
    for setting in [SessionPerCall::Admit, SessionPerCall::Ticket] {
        let site = site(setting).await;
        let first = listed(&site.url, "alice").await.call("greet", ada()).await;
        assert_eq!(ticket_in(&first), None, "a session that lasts needs none");
        assert!(!first.to_string().contains(ARGUMENT), "{first}");
        let second = listed(&site.url, "alice")
            .await
            .call("greet", json!({ "name": "Bob" }))
            .await;
        let ticket = ticket_in(&second).unwrap();
        assert!(
            all_texts(&second).ends_with(&format!("\"{ARGUMENT}\": \"{ticket}\"}}}}")),
            "{second}"
        );
        let called = listed(&site.url, "alice")
            .await
            .call("greet", with_ticket("Eve", &ticket))
            .await;
        assert_eq!(text(&called), "Welcome, Eve!");
        assert!(
            called
                .pointer("/_meta/dev.pd-runtime~1undisclosed")
                .is_none(),
            "the ticket proves it: {called}"
        );
        let meta = json!({ "name": "greet", "arguments": ada(), "_meta": { "dev.pd-runtime/ticket": ticket } });
        assert_eq!(
            text(
                &listed(&site.url, "alice")
                    .await
                    .result("tools/call", meta)
                    .await
            ),
            WELCOME
        );
        let foreign = listed(&site.url, "mallory")
            .await
            .call("greet", with_ticket("Eve", &ticket))
            .await;
        assert_refused(&foreign);
        assert!(
            told(&foreign)["error"]["reason"]
                .as_str()
                .unwrap()
                .starts_with("the ticket is not good"),
            "{foreign}"
        );
        let other = listed(&site.url, "alice")
            .await
            .call("stock", json!({ ARGUMENT: ticket }))
            .await;
        assert_refused(&other);
    }
}

#[tokio::test]
async fn with_the_setting_the_gate_stays_and_a_ticket_replaces_the_session() {
    let site = site(SessionPerCall::Ticket).await;
    let session = async || Post::session(&site.url, Some("alice")).await;
    let refused = session().await.call("greet", ada()).await;
    let ticket = ticket_in(&refused).unwrap();
    assert_refused(&session().await.call("greet", ada()).await);
    assert_eq!(
        text(
            &session()
                .await
                .call("greet", with_ticket("Ada", &ticket))
                .await
        ),
        WELCOME
    );
    let described = told(
        &session()
            .await
            .call("describe_tools", json!({ "names": ["stock"] }))
            .await,
    );
    let ticket = crate::harness::client::ticket(&described["stock"]).unwrap();
    let called = session()
        .await
        .call("stock", json!({ ARGUMENT: ticket }))
        .await;
    assert_ne!(called["isError"], true, "{called}");
}

#[tokio::test]
async fn a_session_that_lasts_reads_of_no_ticket() {
    for setting in [
        SessionPerCall::Admit,
        SessionPerCall::Ticket,
        SessionPerCall::Refuse,
    ] {
        let site = site(setting).await;
        let post = listed(&site.url, "alice").await;
        let refused = post.call("greet", ada()).await;
        let described = post
            .call("describe_tools", json!({ "names": ["greet", "stock"] }))
            .await;
        assert!(
            !format!("{refused}{described}").contains(ARGUMENT),
            "{setting:?}: {refused} {described}"
        );
        assert_eq!(
            text(&post.call("greet", ada()).await),
            WELCOME,
            "{setting:?}"
        );
    }
}

#[tokio::test]
async fn where_sessions_are_literal_no_ticket_counts() {
    let server = |setting| {
        builder()
            .session_per_call(setting)
            .ticket_key([7; 32])
            .build()
            .unwrap()
    };
    let inline = Site::open(&server(SessionPerCall::Admit), true).await;
    let described = Post::inline(&inline.url)
        .bearer("alice")
        .describe("greet")
        .await;
    let ticket = ticket(&described["greet"]).unwrap();
    for (setting, is_admitted) in [
        (SessionPerCall::Admit, true),
        (SessionPerCall::Refuse, false),
    ] {
        let site = Site::open(&server(setting), true).await;
        let called = listed(&site.url, "alice")
            .await
            .call("greet", with_ticket("Ada", ticket))
            .await;
        assert_eq!(
            called["isError"] != true,
            is_admitted,
            "{setting:?}: {called}"
        );
    }
}

#[tokio::test]
async fn a_ticket_that_is_not_good_does_no_harm_in_a_session_that_has_read() {
    let site = site(SessionPerCall::Admit).await;
    let post = listed(&site.url, "alice").await;
    assert_refused(
        &post
            .call("greet", with_ticket("Ada", "000000000000000000"))
            .await,
    );
    assert_eq!(
        text(
            &post
                .call("greet", with_ticket("Ada", "000000000000000000"))
                .await
        ),
        WELCOME
    );
}
