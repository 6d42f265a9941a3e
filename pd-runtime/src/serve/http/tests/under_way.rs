//! Requests in flight in one session.

use super::{
    super::HttpOptions,
    site::{TestCaller, TestSite, answer, request},
};
use axum::body::Body;
use futures::{FutureExt, future::join_all};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{sleep, timeout};

const BUSY: i64 = -32000;
const INVALID_REQUEST: i64 = -32600;

fn few() -> HttpOptions {
    HttpOptions {
        max_requests_per_session: 2,
        ..HttpOptions::default()
    }
}

async fn code(caller: &TestCaller<'_>, id: Value) -> Option<i64> {
    let answer = caller.ping(id.clone()).await;
    assert_eq!(answer["id"], id, "{answer}");
    answer.pointer("/error/code").and_then(Value::as_i64)
}

/// Waits until the session accepts another request.
async fn frees_up(session: &TestCaller<'_>) {
    let waiting = async {
        while code(session, json!("next")).await.is_some() {
            sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(Duration::from_secs(5), waiting)
        .await
        .expect("it never frees up");
}

#[tokio::test]
async fn one_request_too_many_is_told_so_and_the_others_go_on() {
    let site = TestSite::open(few());
    let session = site.session(None).await;
    let calls = [
        session.call(json!(1)).await,
        session.call(json!("two")).await,
    ];
    site.running(2).await;
    assert_eq!(code(&session, json!(3)).await, Some(BUSY));
    let other = site.session(None).await;
    assert_eq!(
        code(&other, json!(3)).await,
        None,
        "each session for itself"
    );
    site.release(2);
    for call in calls {
        assert_eq!(answer(call).await["result"]["content"][0]["text"], "true");
    }
    assert_eq!(code(&session, json!(3)).await, None);
}

/// The client has gone, but the call goes on.
#[tokio::test]
async fn a_call_whose_client_left_still_counts() {
    let site = TestSite::open(few());
    let session = site.session(None).await;
    drop(session.call(json!(1)).await);
    drop(session.call(json!(2)).await);
    site.running(2).await;
    assert_eq!(code(&session, json!(3)).await, Some(BUSY));
    site.release(2);
    site.running(0).await;
    frees_up(&session).await;
}

/// rmcp does not answer a cancelled request, but its handler must end all the same.
#[tokio::test]
async fn a_cancelled_call_counts_until_it_is_through() {
    let site = TestSite::open(few());
    let session = site.session(None).await;
    let _calls = [session.call(json!(1)).await, session.call(json!(2)).await];
    site.running(2).await;
    for id in [1, 2] {
        assert_eq!(
            session
                .say("notifications/cancelled", json!({ "requestId": id }))
                .await,
            202
        );
    }
    assert_eq!(code(&session, json!(3)).await, Some(BUSY));
    site.release(2);
    site.running(0).await;
    frees_up(&session).await;
}

#[tokio::test]
async fn no_two_requests_of_one_id_are_under_way() {
    let site = TestSite::open(HttpOptions::default());
    let session = site.session(None).await;
    let call = session.call(json!(1)).await;
    site.running(1).await;
    assert_eq!(code(&session, json!(1)).await, Some(INVALID_REQUEST));
    assert_eq!(code(&session, json!("1")).await, None, "text is no number");
    site.release(1);
    assert_eq!(
        answer(call).await["result"]["content"][0]["text"],
        "true",
        "the first was not mixed up with the second"
    );
    for _ in 0..200 {
        assert_eq!(
            code(&session, json!(1)).await,
            None,
            "answered, so it may be used again"
        );
    }
}

#[tokio::test]
async fn many_at_once_are_all_answered() {
    let site = TestSite::open(HttpOptions {
        max_requests_per_session: 1_000,
        ..HttpOptions::default()
    });
    let session = site.session(None).await;
    let codes = join_all((0..500).map(|id| code(&session, json!(id)))).await;
    assert!(codes.iter().all(Option::is_none));
}

/// The client may leave at any point. Then nothing is left of the request, and the session goes on.
#[tokio::test]
async fn a_request_whose_client_leaves_while_it_is_handed_over_is_not_lost() {
    let site = TestSite::open(few());
    let session = site.session(None).await;
    for number in 0..16 {
        let message = request(json!(number), "ping", json!({})).to_string();
        let mut leaving =
            Box::pin(site.send(session.request(http::Method::POST, Body::from(message))));
        for _ in 0..number % 4 {
            if leaving.as_mut().now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(leaving);
        frees_up(&session).await;
    }
}
