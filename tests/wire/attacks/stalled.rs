//! Bodies that never end.

use super::{MIB, Process, client_from, post, whole};
use serde_json::json;
use std::time::Duration;
use tokio::{io::AsyncWriteExt, net::TcpStream, task::JoinSet, time::timeout};

/// How many bodies stall.
const BODIES: usize = 150;

/// Sends all of a body of 4 MiB but the last byte; gives up where the server does not take it.
async fn stall(address: String) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n\
                content-type: application/json\r\ncontent-length: 4194304\r\n\r\n";
    stream.write_all(head.as_bytes()).await.ok()?;
    let body = vec![b' '; 4 * MIB - 1];
    timeout(Duration::from_secs(20), stream.write_all(&body))
        .await
        .ok()?
        .ok()?;
    Some(stream)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stalled_bodies_hold_little_and_harm_nobody() {
    let server = Process::start(&[]);
    let before = server.resident();
    let mut stalling = JoinSet::new();
    for _ in 0..BODIES {
        stalling.spawn(stall(server.address().to_owned()));
    }
    let held = stalling.join_all().await;
    let grown = server.resident().saturating_sub(before);
    assert!(
        grown < 128 * MIB,
        "{BODIES} bodies hold {} MiB",
        grown / MIB
    );
    // Whoever stalls may still ask for little, and others for as much as ever.
    for (address, bytes) in [("127.0.0.1", 0), ("127.0.0.2", 3 * MIB)] {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "wire", "version": "0" },
        });
        let mut message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        if bytes > 0 {
            message = json!({ "jsonrpc": "2.0", "method": "notifications/none", "params": { "a": "a".repeat(bytes) } });
        }
        let (status, _, told) =
            whole(post(&client_from(address), &server.url, &message).await).await;
        assert!(status != 429 && status != 503, "{address}: {status} {told}");
    }
    drop(held);
}
