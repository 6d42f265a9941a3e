//! A document that changes between its list and a call.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::*;
use crate::message::wire::MessageMemory;
use std::{collections::BTreeMap, fs};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
    sync::mpsc,
};

/// Answers each request with its path, and returns the URL.
async fn serve_paths() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let mut lines = BufReader::new(&mut connection).lines();
            let first = lines.next_line().await.unwrap().unwrap();
            while !lines.next_line().await.unwrap().unwrap().is_empty() {}
            let path = first.split(' ').nth(1).unwrap();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{path}",
                path.len()
            );
            connection.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    url
}

fn document(url: &str, path: &str) -> String {
    json!({
        "openapi": "3.1.0", "servers": [{ "url": url }],
        "paths": { path: { "get": { "operationId": "read", "responses": {} } } },
    })
    .to_string()
}

/// Between the new document and its list, nobody has compared the two.
#[tokio::test]
async fn calls_run_the_version_of_the_document_that_was_listed() {
    let url = serve_paths().await;
    let directory = std::env::temp_dir().join(format!("pd-openapi-link-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("api.json");
    fs::write(&file, document(&url, "/kept")).unwrap();
    let server = OpenApiServer {
        document: OpenApiSource::File(file.clone()),
        url: None,
        headers: BTreeMap::new(),
        auth: BTreeMap::new(),
    };
    let (events, mut queue) = mpsc::channel(16);
    let bounds = MessageBounds::new(None, Arc::new(MessageMemory::default()));
    let link = OpenApiLink::start(&server, Arc::default(), events, bounds)
        .await
        .unwrap();
    let mut next = async || match queue.recv().await.unwrap() {
        LinkEvent::Message { value, .. } => value,
        other => panic!("{other:?}"),
    };
    let call = |id: u64| json!({ "id": id, "method": "tools/call", "params": { "name": "read" } });
    fs::write(&file, document(&url, "/admin/all")).unwrap();
    assert_eq!(next().await["method"], "notifications/tools/list_changed");
    link.send(call(1)).unwrap();
    assert_eq!(next().await["result"]["content"][0]["text"], "/kept");
    link.send(json!({ "id": 2, "method": "tools/list" }))
        .unwrap();
    let listed = next().await;
    let tool = &listed["result"]["tools"][0];
    assert_eq!(tool["_meta"]["dev.pd-runtime/server"], url, "{tool}");
    assert!(tool["description"].as_str().unwrap().contains("/admin/all"));
    link.send(call(3)).unwrap();
    assert_eq!(next().await["result"]["content"][0]["text"], "/admin/all");
    fs::remove_dir_all(directory).unwrap();
}
