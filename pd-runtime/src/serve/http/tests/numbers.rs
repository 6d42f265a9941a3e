//! The limits on sessions.

use super::{
    super::HttpOptions,
    site::{TestSite, answer, request, until},
};
use futures::future::join_all;
use serde_json::json;
use std::time::Duration;
use tokio::{runtime::Handle, time::sleep};

fn few(max_sessions: usize, max_sessions_per_principal: usize) -> HttpOptions {
    HttpOptions {
        max_sessions,
        max_sessions_per_principal,
        ..HttpOptions::default()
    }
}

#[tokio::test]
async fn a_principal_with_too_many_sessions_loses_the_one_idle_longest() {
    let site = TestSite::open(few(100, 3));
    let bob = site.session(Some("bob")).await;
    let alices = [
        site.session(Some("alice")).await,
        site.session(Some("alice")).await,
        site.session(Some("alice")).await,
    ];
    assert!(
        alices[0].lives().await,
        "used again, so it is not the one that is idle longest"
    );
    let fourth = site.session(Some("alice")).await;
    assert!(
        alices[0].lives().await
            && !alices[1].lives().await
            && alices[2].lives().await
            && fourth.lives().await
    );
    assert!(bob.lives().await, "nobody else is harmed");
    assert_eq!(site.sessions.counts(), (4, 2));
}

#[tokio::test]
async fn a_session_with_a_call_under_way_is_not_idle() {
    let site = TestSite::open(few(100, 2));
    let (busy, idle) = (
        site.session(Some("alice")).await,
        site.session(Some("alice")).await,
    );
    let call = busy.call(json!(1)).await;
    site.running(1).await;
    assert!(idle.lives().await);
    site.session(Some("alice")).await;
    assert!(!idle.lives().await);
    site.release(1);
    assert_eq!(answer(call).await["result"]["content"][0]["text"], "true");
}

#[tokio::test]
async fn over_the_total_initialize_is_told_to_come_again() {
    let site = TestSite::open(few(2, 256));
    let one = site.session(Some("alice")).await;
    let two = site.session(None).await;
    assert!(
        one.lives().await && two.lives().await,
        "something was asked in them, so they do not yield"
    );
    let refused = site
        .initialize(Some("bob"))
        .await
        .err()
        .expect("there is no room");
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "10");
    assert_eq!(refused.headers()["content-type"], "application/json");
    let told = answer(refused).await;
    assert_eq!(told["error"]["code"], -32000, "{told}");
    assert!(
        told["error"]["message"]
            .as_str()
            .unwrap()
            .contains("try again"),
        "{told}"
    );
    assert!(one.lives().await && two.lives().await);
    assert_eq!(one.delete().await.status(), 204);
    assert!(site.session(Some("bob")).await.lives().await);
}

#[tokio::test]
async fn those_whom_nobody_knows_share_the_total_alone() {
    let site = TestSite::open(few(4, 1));
    let nobody = [
        site.session(None).await,
        site.session(None).await,
        site.session(None).await,
    ];
    for one in &nobody {
        assert!(one.lives().await);
    }
    assert_eq!(site.sessions.counts(), (3, 0));
}

#[tokio::test]
async fn concurrent_openers_do_not_pass_the_caps() {
    let site = TestSite::open(few(20, 5));
    let who = ["alice", "bob", "carol", "dan", "eve", "fay"];
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "0" },
    });
    let initialize = request(json!(0), "initialize", params);
    let callers: Vec<_> = (0..120)
        .map(|number| site.stranger(Some(who[number % who.len()])))
        .collect();
    // Those that come later may end those that came before, in which nothing was asked.
    let opened = join_all(callers.iter().map(|caller| caller.post(&initialize))).await;
    assert!(
        opened
            .iter()
            .filter(|opened| opened.status() == 200)
            .count()
            >= 20
    );
    let (sessions, people) = site.sessions.counts();
    assert!(sessions <= 20 && people <= 6, "{sessions} {people}");
}

#[tokio::test]
async fn what_two_thousand_sessions_took_is_given_back() {
    let site = TestSite::open(few(5_000, 5_000));
    site.session(None).await.delete().await;
    // What watches for idle sessions stays.
    until(|| {
        site.sessions.counts() == (0, 0) && Handle::current().metrics().num_alive_tasks() == 1
    })
    .await;
    for round in 0..20 {
        let who = format!("alice {}", round % 3);
        let opening = (0..100).map(|_| site.session(Some(&who)));
        for session in join_all(opening).await {
            assert_eq!(session.delete().await.status(), 204);
        }
    }
    assert_eq!(site.sessions.counts(), (0, 0));
    until(|| Handle::current().metrics().num_alive_tasks() == 1).await;
    sleep(Duration::from_millis(10)).await;
    assert_eq!(site.sessions.counts(), (0, 0));
}
