//! Open streams: their limits and their lifetime.

use super::{
    super::{Authenticate, AuthenticationError, HttpOptions},
    site::{TestCaller, TestSite, answer, ends},
};
use crate::Principal;
use axum::body::{Body, BodyDataStream};
use futures::{
    FutureExt, StreamExt,
    future::{BoxFuture, ready},
};
use http::{Response, request::Parts};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::time::{sleep, timeout};

const EVERY: Duration = Duration::from_millis(50);

fn few(max_streams: usize, max_streams_per_caller: usize) -> HttpOptions {
    HttpOptions {
        max_streams,
        max_streams_per_caller,
        ..HttpOptions::default()
    }
}

async fn three<'a>(site: &'a TestSite, subject: &str) -> [TestCaller<'a>; 3] {
    [
        site.session(Some(subject)).await,
        site.session(Some(subject)).await,
        site.session(Some(subject)).await,
    ]
}

#[tokio::test]
async fn a_caller_holds_so_many_streams_and_all_callers_so_many() {
    let site = TestSite::open(few(3, 2));
    let alice = three(&site, "alice").await;
    let bob = three(&site, "bob").await;
    let held = [alice[0].get().await, alice[1].get().await];
    assert!(held.iter().all(|stream| stream.status() == 200));
    let refused = alice[2].get().await;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    let told = answer(refused).await;
    assert!(
        told["error"]["message"]
            .as_str()
            .unwrap()
            .contains("2 open streams"),
        "{told}"
    );
    let of_bob = bob[0].get().await;
    assert_eq!(
        (
            of_bob.status().as_u16(),
            bob[1].get().await.status().as_u16()
        ),
        (200, 503)
    );
    drop(held);
    assert_eq!(
        alice[2].get().await.status(),
        200,
        "a stream that ends leaves its place"
    );
    assert_eq!(bob[1].get().await.status(), 200);
}

#[tokio::test]
async fn a_long_answer_is_counted_and_not_refused() {
    let site = TestSite::open(few(100, 1));
    let alice = three(&site, "alice").await;
    let first = alice[0].call(json!(1)).await;
    let second = alice[1].call(json!(1)).await;
    site.running(2).await;
    assert_eq!(alice[2].get().await.status(), 429);
    site.release(2);
    assert_eq!(answer(first).await["result"]["content"][0]["text"], "true");
    assert_eq!(answer(second).await["result"]["content"][0]["text"], "true");
    assert_eq!(alice[2].get().await.status(), 200);
}

/// An authenticator whose answer can be switched.
#[derive(Default)]
struct Switch(AtomicUsize);

const ALICE: usize = 0;
const BOB: usize = 1;
const REFUSED: usize = 2;
const UNAVAILABLE: usize = 3;

impl Authenticate for Switch {
    fn authenticate<'a>(
        &'a self,
        _: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        let known = match self.0.load(SeqCst) {
            ALICE => Ok(Principal::new("alice")),
            BOB => Ok(Principal::new("bob")),
            REFUSED => Err(AuthenticationError::invalid_token("it was revoked")),
            _ => Err(AuthenticationError::unavailable("ask later")),
        };
        ready(known).boxed()
    }
}

fn guarded(switch: &Arc<Switch>, stream_check_interval: Option<Duration>) -> TestSite {
    let authenticate = Some(switch.clone() as Arc<dyn Authenticate>);
    TestSite::open(HttpOptions {
        authenticate,
        stream_check_interval,
        ..few(100, 1)
    })
}

fn stream(response: Response<Body>) -> BodyDataStream {
    assert_eq!(response.status(), 200);
    response.into_body().into_data_stream()
}

#[tokio::test]
async fn a_stream_ends_when_its_token_is_refused_or_is_anothers() {
    for verdict in [REFUSED, BOB] {
        let switch = Arc::new(Switch::default());
        let site = guarded(&switch, Some(EVERY));
        let session = site.session(None).await;
        let mut open = stream(session.get().await);
        assert!(open.next().await.is_some(), "its first event");
        assert!(
            timeout(6 * EVERY, open.next()).await.is_err(),
            "it goes on while the token is good"
        );
        switch.0.store(verdict, SeqCst);
        assert!(ends(open).await);
        switch.0.store(ALICE, SeqCst);
        assert_eq!(
            session.get().await.status(),
            200,
            "its place is free, and the session goes on"
        );
    }
}

#[tokio::test]
async fn the_stream_of_a_call_ends_with_its_token_too() {
    let switch = Arc::new(Switch::default());
    let site = guarded(&switch, Some(EVERY));
    let session = site.session(None).await;
    let call = session.call(json!(1)).await;
    site.running(1).await;
    switch.0.store(REFUSED, SeqCst);
    assert!(ends(call.into_body().into_data_stream()).await);
    site.release(1);
}

#[tokio::test]
async fn an_outage_of_the_authenticator_ends_no_stream_unless_it_lasts() {
    let switch = Arc::new(Switch::default());
    let site = guarded(&switch, Some(Duration::from_millis(200)));
    let session = site.session(None).await;
    let mut open = stream(session.get().await);
    assert!(open.next().await.is_some(), "its first event");
    switch.0.store(UNAVAILABLE, SeqCst);
    assert!(
        timeout(Duration::from_millis(500), open.next())
            .await
            .is_err()
    );
    switch.0.store(ALICE, SeqCst);
    assert!(
        timeout(Duration::from_millis(500), open.next())
            .await
            .is_err()
    );
    switch.0.store(UNAVAILABLE, SeqCst);
    assert!(
        timeout(Duration::from_millis(500), open.next())
            .await
            .is_err(),
        "the count begins anew"
    );
    assert!(
        timeout(Duration::from_secs(5), open.next())
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn without_an_interval_nobody_is_asked_again() {
    let switch = Arc::new(Switch::default());
    let site = guarded(&switch, None);
    let open = stream(site.session(None).await.get().await);
    switch.0.store(REFUSED, SeqCst);
    sleep(4 * EVERY).await;
    assert!(!ends(open).await);
}
