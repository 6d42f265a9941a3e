//! The end of sessions, and of everything in them.

use super::{
    super::HttpOptions,
    site::{TestSite, answer, ends, text, until, wait},
};
use crate::Registry;
use serde_json::json;
use std::time::Duration;
use tokio::{runtime::Handle, time::sleep};

fn idle(millis: u64) -> HttpOptions {
    HttpOptions {
        session_idle: Duration::from_millis(millis),
        ..HttpOptions::default()
    }
}

#[tokio::test]
async fn a_session_in_which_nothing_is_asked_ends() {
    let site = TestSite::open(idle(300));
    let (idle, used) = (
        site.session(Some("alice")).await,
        site.session(Some("bob")).await,
    );
    for _ in 0..6 {
        sleep(Duration::from_millis(100)).await;
        assert!(used.lives().await);
    }
    assert!(!idle.lives().await);
    assert_eq!(site.sessions.counts(), (1, 1));
    until(|| site.sessions.counts() == (0, 0)).await;
}

/// rmcp counts what the server sends as activity: a list that changes would keep the sessions of
/// clients that have gone.
#[tokio::test]
async fn being_told_of_changes_is_no_life() {
    let site = TestSite::open(idle(300));
    let session = site.session(None).await;
    let stream = session.get().await;
    for round in 0..40 {
        let tool = wait().description(format!("Round {round}."));
        site.server
            .replace(Registry::builder().tool(tool).build().unwrap())
            .unwrap();
        sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(site.sessions.counts(), (0, 0));
    assert!(
        text(stream).await.contains("list_changed"),
        "it was told, and the stream has ended"
    );
}

#[tokio::test]
async fn a_long_call_is_life_and_its_session_rests_from_its_end() {
    let site = TestSite::open(idle(300));
    let session = site.session(None).await;
    let call = session.call(json!(1)).await;
    sleep(Duration::from_millis(600)).await;
    site.release(1);
    assert_eq!(answer(call).await["result"]["content"][0]["text"], "true");
    sleep(Duration::from_millis(150)).await;
    assert!(session.lives().await);
}

#[tokio::test]
async fn a_deleted_session_ends_its_streams_at_once_and_its_calls_leave_nothing() {
    let site = TestSite::open(HttpOptions::default());
    let session = site.session(Some("alice")).await;
    let stream = session.get().await;
    let call = session.call(json!(1)).await;
    site.running(1).await;
    assert_eq!(session.delete().await.status(), 204);
    assert_eq!(site.sessions.counts(), (0, 0));
    assert!(ends(stream.into_body().into_data_stream()).await);
    assert!(ends(call.into_body().into_data_stream()).await);
    assert!(!session.lives().await);
    site.release(1);
    site.running(0).await;
    // What watches for idle sessions stays.
    until(|| Handle::current().metrics().num_alive_tasks() == 1).await;
}

#[tokio::test]
async fn what_watches_ends_with_the_endpoint() {
    let site = TestSite::open(idle(100));
    site.session(None).await.delete().await;
    drop(site);
    until(|| Handle::current().metrics().num_alive_tasks() == 0).await;
}
