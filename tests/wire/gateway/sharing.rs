//! Connections that a session or a principal has for itself.

use super::*;
use crate::harness::client::{connect_to, connect_with};

fn started(desk: &Desk) -> usize {
    desk.log("s")
        .lines()
        .filter(|line| *line == "started")
        .count()
}

async fn remember(client: &Client) -> Value {
    told(&client.call_described("s__remember", json!({})).await)
}

#[tokio::test]
async fn each_session_has_its_own_process_which_ends_with_it() {
    let desk = Desk::new();
    let gateway = desk.one(&["notifies"], json!({ "share": "session" })).await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    let (one, other) = (
        connect(Era::Session, &server).await,
        connect(Era::HttpSession, &server).await,
    );
    assert_eq!(
        (remember(&one).await, remember(&one).await),
        (json!(1), json!(2))
    );
    assert_eq!(remember(&other).await, json!(1));
    assert_eq!(
        started(&desk),
        3,
        "one to read the lists, and one for each session"
    );
    one.running.cancel().await.unwrap();
    until("the end of its process", || {
        desk.log("s").lines().any(|line| line == "ended")
    })
    .await;
    assert_eq!(remember(&other).await, json!(2));
    gateway.stop().await;
    assert_eq!(
        desk.log("s")
            .lines()
            .filter(|line| *line == "ended")
            .count(),
        3
    );
}

#[tokio::test]
async fn clients_of_one_principal_share_a_process() {
    let desk = Desk::new();
    let gateway = desk
        .one(&["notifies"], json!({ "share": "principal" }))
        .await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    let site = Site::open(&server, true).await;
    for (era, counts) in [(Era::HttpSession, [1, 1, 2]), (Era::HttpInline, [2, 3, 4])] {
        let alice = connect_to(era, &site.url, Some("alice"), json!({})).await;
        let bob = connect_to(era, &site.url, Some("bob"), json!({})).await;
        let again = connect_to(era, &site.url, Some("alice"), json!({})).await;
        let counted = [
            remember(&alice).await,
            remember(&bob).await,
            remember(&again).await,
        ];
        let expected = if era == Era::HttpSession {
            counts
        } else {
            [3, 2, 4]
        };
        assert_eq!(counted, expected.map(|count| json!(count)), "{era:?}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn roots_are_those_of_the_session() {
    let desk = Desk::new();
    let gateway = desk.one(&["notifies"], json!({ "share": "session" })).await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    let roots = json!({ "roots": { "listChanged": true } });
    let client = connect_with(Era::Session, &server, roots.clone()).await;
    let result = client.call_described("s__roots", json!({})).await;
    assert!(text(&result).contains("file:///home/ada"), "{result}");
    client.running.notify_roots_list_changed().await.unwrap();
    until("the notification", || {
        desk.log("s").contains("notifications/roots/list_changed")
    })
    .await;
    // A process that clients share has no roots.
    let desk = Desk::new();
    let gateway = desk.one(&["notifies"], json!({})).await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    let client = connect_with(Era::Session, &server, roots).await;
    let result = client.call_described("s__roots", json!({})).await;
    assert!(
        text(&result).contains("set `share` in the server's `pd` object"),
        "{result}"
    );
}

#[tokio::test]
async fn a_connection_in_use_is_not_taken_from_its_session() {
    let desk = Desk::new();
    let gateway = desk
        .one(
            &["notifies"],
            json!({ "share": "session", "connections": 1 }),
        )
        .await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    let (one, other) = (
        connect(Era::Session, &server).await,
        connect(Era::Session, &server).await,
    );
    assert_eq!(remember(&one).await, json!(1));
    one.describe("s__wait").await;
    let call = one.start("s__wait").await;
    until("the call", || desk.log("s").contains(r#""name":"wait""#)).await;
    let refused = other.call_described("s__remember", json!({})).await;
    assert!(
        text(&refused).contains("all 1 connections to it are in use"),
        "{refused}"
    );
    assert!(text(&refused).contains("UPSTREAM_UNAVAILABLE"), "{refused}");
    call.cancel(None).await.unwrap();
    until("the cancellation", || {
        desk.log("s").contains("notifications/cancelled")
    })
    .await;
    assert_eq!(
        remember(&other).await,
        json!(1),
        "the connection that was unused for longest has ended"
    );
}
