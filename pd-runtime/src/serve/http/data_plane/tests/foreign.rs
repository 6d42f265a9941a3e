//! The data plane under a foreign HTTP server, which does not report what it wrote; and many
//! consumers at once.

use super::*;
use crate::serve::router;
use axum::{Router, body::Body};
use futures::{StreamExt, future::join_all};
use http::{Request, Response};
use tokio_util::sync::CancellationToken;
use tower_service::Service;

/// A router, and the path of stored rows.
async fn open(table: Table) -> (Router, PdServer<()>, String) {
    let server = server(large().public_url("https://data.example.com/"));
    let app = router(&server, &HttpOptions::default(), CancellationToken::new()).unwrap();
    let url = server.store_rows(table).await.unwrap();
    let path = url
        .strip_prefix("https://data.example.com")
        .unwrap()
        .to_owned();
    (app, server, path)
}

async fn fetch(app: &Router, path: &str) -> Response<Body> {
    let request = Request::post(path).body(Body::from("{}")).unwrap();
    app.clone()
        .call(request)
        .await
        .unwrap_or_else(|never| match never {})
}

#[tokio::test]
async fn a_router_has_to_be_told_its_address() {
    let server = server(DataPlane::default());
    let _app = router(&server, &HttpOptions::default(), CancellationToken::new()).unwrap();
    assert_eq!(
        server.store_rows(days()).await.unwrap_err().code,
        "NO_DATA_PLANE"
    );
}

#[tokio::test]
async fn an_answer_that_was_asked_for_to_its_end_counts_as_written() {
    let (app, _server, path) = open(megabytes(2)).await;
    let dropped = fetch(&app, &path).await;
    assert_eq!(dropped.status(), 200);
    let mut parts = dropped.into_body().into_data_stream();
    parts.next().await.unwrap().unwrap();
    assert_eq!(fetch(&app, &path).await.status(), 409);
    drop(parts);
    let whole = fetch(&app, &path).await;
    assert!(
        axum::body::to_bytes(whole.into_body(), usize::MAX)
            .await
            .unwrap()
            .len()
            > 2 << 20
    );
    assert_eq!(fetch(&app, &path).await.status(), 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_thousand_at_once_one_has_the_rows() {
    let (app, _server, path) = open(megabytes(1)).await;
    let one = |_| {
        let app = app.clone();
        let path = path.clone();
        tokio::spawn(async move {
            let response = fetch(&app, &path).await;
            let status = response.status().as_u16();
            let body = axum::body::to_bytes(response.into_body(), usize::MAX)
                .await
                .unwrap();
            (status, body.len() > 1 << 20)
        })
    };
    let answers = join_all((0..1_000).map(one))
        .await
        .into_iter()
        .map(Result::unwrap);
    let (had, others): (Vec<_>, Vec<_>) = answers.partition(|(_, all)| *all);
    assert_eq!(had, [(200, true)]);
    assert!(others.iter().all(|(status, _)| [404, 409].contains(status)));
}

/// The same over sockets, whose connections report what was written.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_connections_one_has_the_rows() {
    let site = std::sync::Arc::new(TestDataPlane::open(DataPlane::default()).await);
    let path = site.keep(megabytes(1)).await;
    let one = |_| {
        let site = site.clone();
        let path = path.clone();
        tokio::spawn(async move { site.fetch(&path, "{}").await.status })
    };
    let answers: Vec<_> = join_all((0..200).map(one))
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        answers.iter().filter(|status| **status == 200).count(),
        1,
        "{answers:?}"
    );
    assert!(
        answers
            .iter()
            .all(|status| [200, 404, 409].contains(status)),
        "{answers:?}"
    );
}
