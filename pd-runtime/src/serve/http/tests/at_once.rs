//! Answers that are ready soon, and those that are not.

use super::{
    super::HttpOptions,
    site::{TestSite, request, text},
};
use axum::body::HttpBody;
use futures::StreamExt;
use http::{Response, header::CONTENT_TYPE};
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, timeout};

fn is_whole(response: &Response<impl HttpBody>) -> bool {
    response
        .body()
        .size_hint()
        .exact()
        .is_some_and(|bytes| bytes > 0)
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_there_leaves_in_one_piece_with_the_event_before_it() {
    let site = TestSite::open(HttpOptions::default());
    let session = site.session(None).await;
    let response = session.post(&request(json!(1), "ping", json!({}))).await;
    assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
    assert!(is_whole(&response));
    let text = text(response).await;
    let (before, answer) = text.split_once("\n\n").unwrap();
    assert!(
        before.contains("retry: ") && answer.contains("\"result\""),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_there_holds_up_nothing_before_it() {
    let site = TestSite::open(HttpOptions::default());
    let session = site.session(None).await;
    let begun = Instant::now();
    let response = session.call(json!(1)).await;
    assert!(
        begun.elapsed() <= Duration::from_millis(5),
        "{:?}",
        begun.elapsed()
    );
    assert!(!is_whole(&response));
    let mut body = response.into_body().into_data_stream();
    let first = String::from_utf8(body.next().await.unwrap().unwrap().to_vec()).unwrap();
    assert!(
        first.contains("retry: ") && !first.contains("\"result\""),
        "{first}"
    );
    site.release(1);
    let rest: Vec<_> = body.map(Result::unwrap).collect().await;
    assert!(String::from_utf8_lossy(&rest.concat()).contains("\"result\""));
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_its_own_is_not_held_back() {
    let site = TestSite::open(HttpOptions::default());
    let response = site.session(None).await.get().await;
    assert!(!is_whole(&response));
    let mut body = response.into_body().into_data_stream();
    let first = String::from_utf8(body.next().await.unwrap().unwrap().to_vec()).unwrap();
    assert!(first.contains("retry: "), "{first}");
    assert!(
        timeout(Duration::from_millis(20), body.next())
            .await
            .is_err(),
        "it stays open"
    );
}

/// Clients of older versions read the data of each event as JSON.
#[tokio::test(start_paused = true)]
async fn an_older_client_gets_no_event_without_data() {
    let site = TestSite::open(HttpOptions::default());
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let session = site.session(None).await.in_version(version);
        let answered = text(session.post(&request(json!(1), "ping", json!({}))).await).await;
        let late = session.call(json!(2)).await;
        site.release(1);
        for answer in [answered, text(late).await] {
            let data: Vec<_> = answer
                .lines()
                .filter_map(|line| line.strip_prefix("data:"))
                .collect();
            assert!(
                !data.is_empty() && data.iter().all(|data| data.contains("jsonrpc")),
                "{version}: {answer}"
            );
        }
        let mut standing = session.get().await.into_body().into_data_stream();
        assert!(
            timeout(Duration::from_millis(20), standing.next())
                .await
                .is_err(),
            "{version}: nothing is sent yet"
        );
        let mut resumed = session.resume("0").await.into_body().into_data_stream();
        assert!(
            timeout(Duration::from_millis(20), resumed.next())
                .await
                .is_err(),
            "{version}: nothing was missed"
        );
    }
}
