//! Bodies that are large, slow or broken.

use super::{
    super::HttpOptions,
    site::{TestSite, answer, request, text},
};
use axum::body::{Body, Bytes};
use futures::{StreamExt, stream};
use http::{Method, Response};
use serde_json::json;
use std::{io, time::Duration};
use tokio::time::{Instant, sleep};

const MAX: usize = 1_000;
const TIME: Duration = Duration::from_millis(300);

fn small() -> HttpOptions {
    HttpOptions {
        max_request_bytes: MAX,
        body_timeout: TIME,
        ..HttpOptions::default()
    }
}

async fn send(body: Body) -> Response<Body> {
    let site = TestSite::open(small());
    let session = site.session(None).await;
    site.send(session.request(Method::POST, body)).await
}

/// A ping of this many bytes.
fn ping(bytes: usize) -> String {
    let ping = request(json!(1), "ping", json!({})).to_string();
    format!("{ping}{}", " ".repeat(bytes - ping.len()))
}

#[tokio::test]
async fn a_body_has_so_many_bytes_at_most() {
    assert!(answer(send(Body::from(ping(MAX))).await).await["result"].is_object());
    for whole in [true, false] {
        let parts = ping(MAX + 1)
            .into_bytes()
            .chunks(100)
            .map(Bytes::copy_from_slice)
            .map(Ok::<_, io::Error>)
            .collect::<Vec<_>>();
        let body = if whole {
            Body::from(ping(MAX + 1))
        } else {
            Body::from_stream(stream::iter(parts))
        };
        let refused = send(body).await;
        assert_eq!(
            (refused.status().as_u16(), &refused.headers()["connection"]),
            (413, &"close".parse().unwrap())
        );
        assert!(text(refused).await.contains("1000 bytes"));
    }
}

#[tokio::test]
async fn a_body_may_come_in_parts() {
    let parts = ping(500)
        .into_bytes()
        .chunks(7)
        .map(Bytes::copy_from_slice)
        .map(Ok::<_, io::Error>)
        .collect::<Vec<_>>();
    assert!(answer(send(Body::from_stream(stream::iter(parts))).await).await["result"].is_object());
}

#[tokio::test]
async fn a_body_that_trickles_in_is_given_up() {
    let bytes = stream::iter(ping(500).into_bytes()).then(async |byte| {
        sleep(Duration::from_millis(20)).await;
        Ok::<_, io::Error>(Bytes::copy_from_slice(&[byte]))
    });
    let began = Instant::now();
    let refused = send(Body::from_stream(bytes)).await;
    assert_eq!(refused.status(), 408);
    assert!(
        (TIME..TIME * 3).contains(&began.elapsed()),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_defect_of_the_server() {
    let broken = stream::iter([Ok(Bytes::from_static(b"{")), Err(io::Error::other("gone"))]);
    assert_eq!(send(Body::from_stream(broken)).await.status(), 400);
}
