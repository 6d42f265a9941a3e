//! Incomplete bodies, and the limit on their bytes.

use super::{
    super::HttpOptions,
    site::{TestSite, answer, request},
};
use axum::body::{Body, Bytes};
use futures::{StreamExt, future::poll_immediate, stream};
use http::{Method, Request, Response};
use serde_json::json;
use std::{io, pin::Pin, time::Duration};
use tokio::time::sleep;

const KIB: usize = 1_024;

/// A caller's bodies may hold 192 KiB, all of them 384 KiB, and large ones three quarters of that.
fn site() -> TestSite {
    TestSite::open(HttpOptions {
        max_request_bytes: 64 * KIB,
        max_pending_body_bytes: 384 * KIB,
        max_pending_body_bytes_per_caller: 192 * KIB,
        ..HttpOptions::default()
    })
}

/// A ping of this many bytes.
fn ping(bytes: usize) -> Vec<u8> {
    let ping = request(json!(1), "ping", json!({})).to_string();
    format!("{ping}{}", " ".repeat(bytes - ping.len())).into_bytes()
}

async fn post(site: &TestSite, subject: &str, body: Body) -> Response<Body> {
    let caller = site.session(Some(subject)).await;
    let request: Request<Body> = caller.request(Method::POST, body);
    site.send(request).await
}

/// A request of which this many bytes arrive, and no more. Returns `Err` if it was answered at
/// once.
async fn stall<'a>(
    site: &'a TestSite,
    subject: &'a str,
    bytes: usize,
) -> Result<Pin<Box<dyn Future<Output = Response<Body>> + 'a>>, Response<Body>> {
    let caller = site.session(Some(subject)).await;
    let body =
        stream::iter([Ok::<_, io::Error>(Bytes::from(ping(bytes)))]).chain(stream::pending());
    let request = caller.request(Method::POST, Body::from_stream(body));
    let mut sending = Box::pin(site.send(request));
    match poll_immediate(&mut sending).await {
        None => Ok(sending),
        Some(answered) => Err(answered),
    }
}

/// A body in two parts, of which the second arrives a little later.
fn in_parts(bytes: usize) -> Body {
    let parts = ping(bytes)
        .chunks(bytes / 2)
        .map(Bytes::copy_from_slice)
        .collect::<Vec<_>>();
    Body::from_stream(stream::iter(parts).then(async |part| {
        sleep(Duration::from_millis(5)).await;
        Ok::<_, io::Error>(part)
    }))
}

#[tokio::test]
async fn what_is_over_a_callers_share_or_the_total_is_refused() {
    let site = site();
    let stalled = async |subject| stall(&site, subject, 60 * KIB).await.ok();
    let alice = [
        stalled("alice").await.unwrap(),
        stalled("alice").await.unwrap(),
    ];
    let refused = stall(&site, "alice", 60 * KIB).await.err().unwrap();
    assert_eq!(
        (refused.status().as_u16(), &refused.headers()["connection"]),
        (429, &"close".parse().unwrap())
    );
    assert!(refused.headers().contains_key("retry-after"));
    let told = answer(refused).await;
    assert!(
        told["error"]["message"]
            .as_str()
            .unwrap()
            .contains("send this request again"),
        "{told}"
    );
    let bob = [stalled("bob").await.unwrap(), stalled("bob").await.unwrap()];
    let refused = stall(&site, "carol", 60 * KIB).await.err().unwrap();
    assert_eq!(refused.status(), 503);
    assert_eq!(answer(refused).await["error"]["code"], -32000);
    drop((alice, bob));
    assert!(
        stalled("alice").await.is_some(),
        "a client that leaves gives its bytes back"
    );
    assert!(stalled("carol").await.is_some());
}

#[tokio::test]
async fn small_requests_go_on_while_large_ones_stall() {
    let site = site();
    let mut stalled = Vec::new();
    for (who, kib) in [
        ("alice", 60),
        ("alice", 60),
        ("alice", 24),
        ("bob", 60),
        ("bob", 60),
        ("carol", 24),
    ] {
        stalled.push(stall(&site, who, kib * KIB).await.ok().unwrap());
    }
    assert_eq!(
        stall(&site, "carol", 17 * KIB)
            .await
            .err()
            .unwrap()
            .status(),
        503,
        "large ones have their share"
    );
    for who in ["alice", "bob", "carol", "dan"] {
        let answered = answer(post(&site, who, in_parts(4 * KIB)).await).await;
        assert!(answered["result"].is_object(), "{who}: {answered}");
        let whole = answer(post(&site, who, Body::from(ping(60 * KIB))).await).await;
        assert!(
            whole["result"].is_object(),
            "a body that is there at once holds nothing up: {who}: {whole}"
        );
    }
}

/// An operator who allows large bodies need not raise the other limits for one of them to fit.
#[tokio::test]
async fn one_body_always_fits() {
    let site = TestSite::open(HttpOptions {
        max_request_bytes: 512 * KIB,
        max_pending_body_bytes: 1,
        max_pending_body_bytes_per_caller: 1,
        ..HttpOptions::default()
    });
    let answered = answer(post(&site, "alice", in_parts(512 * KIB)).await).await;
    assert!(answered["result"].is_object(), "{answered}");
}

#[tokio::test]
async fn every_end_of_a_body_gives_its_bytes_back() {
    let site = site();
    let broken = || {
        let parts = [
            Ok(Bytes::from(ping(30 * KIB))),
            Err(io::Error::other("gone")),
        ];
        Body::from_stream(stream::iter(parts).then(async |part| {
            sleep(Duration::from_millis(1)).await;
            part
        }))
    };
    for _ in 0..10 {
        assert!(answer(post(&site, "alice", in_parts(20 * KIB)).await).await["result"].is_object());
        assert_eq!(post(&site, "alice", broken()).await.status(), 400);
    }
    let mut stalled = Vec::new();
    for kib in [60, 60, 24] {
        stalled.push(
            stall(&site, "alice", kib * KIB)
                .await
                .unwrap_or_else(|answer| panic!("all of the share is free: {answer:?}")),
        );
    }
}
