//! A server that takes messages and never ends their POSTs.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::*;
use serde_json::json;
use std::collections::BTreeMap;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::yield_now,
    time,
};

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: endpoint\ndata: /messages\n\n";

/// Starts the server. Returns its URL, and a receiver of the ids that it gets.
async fn hanging_server() -> (String, mpsc::UnboundedReceiver<u64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/sse", listener.local_addr().unwrap());
    let (posted, ids) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(hold(connection, posted.clone()));
        }
    });
    (url, ids)
}

async fn hold(mut connection: TcpStream, posted: mpsc::UnboundedSender<u64>) {
    let mut request = Vec::new();
    while connection
        .read_buf(&mut request)
        .await
        .is_ok_and(|length| length > 0)
    {
        let text = String::from_utf8_lossy(&request);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        if head.starts_with("GET ") {
            connection.write_all(STREAM.as_bytes()).await.unwrap();
        } else if let Ok(message) = serde_json::from_str::<Value>(body) {
            posted.send(message["id"].as_u64().unwrap()).unwrap();
        }
    }
}

/// Lets this time pass for the link, and waits until its tasks have noticed.
async fn pass(duration: Duration) {
    time::pause();
    time::advance(duration * 2).await;
    time::resume();
    run_tasks().await;
}

async fn run_tasks() {
    for _ in 0..10 {
        yield_now().await;
    }
}

#[tokio::test]
async fn posts_that_never_end_are_bounded_and_end_with_their_requests() {
    let (url, mut ids) = hanging_server().await;
    let server = HttpServer {
        url,
        headers: BTreeMap::new(),
        bearer_token: None,
    };
    let (events, _events) = mpsc::channel(QUEUE);
    let link = SseLink::start(
        &SharedClients::default(),
        &server,
        None,
        Arc::default(),
        events,
        MessageBounds::new(None, Arc::default()),
    )
    .unwrap();
    let send = |id| link.send(message::request(id, "ping", JsonObject::new()));
    let full = IN_FLIGHT_MAX as u64;
    for id in 0..full {
        send(id).unwrap();
        assert_eq!(ids.recv().await, Some(id));
        pass(ORDER_TIMEOUT).await;
    }
    send(full).unwrap();
    run_tasks().await;
    assert_eq!(
        link.outbox.capacity(),
        QUEUE - 1,
        "the message waits in the queue"
    );
    let queued = (full + 1..).take_while(|id| send(*id).is_ok()).count();
    assert_eq!(queued, QUEUE - 1);
    assert!(matches!(send(0), Err(RequestError::InputFull)));

    link.cancel(full, false);
    link.cancel(0, false);
    assert_eq!(
        after_settling(&mut ids).await,
        full + 1,
        "a request that was canceled while it waited is not posted"
    );
    let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
    link.shared
        .settle_answered(&ReceivedMessage::Json(answer, Default::default()));
    assert_eq!(
        after_settling(&mut ids).await,
        full + 2,
        "a request that was answered on the stream gives way"
    );
}

/// Returns the id that is posted once the POST of a settled request has ended.
async fn after_settling(ids: &mut mpsc::UnboundedReceiver<u64>) -> u64 {
    run_tasks().await;
    pass(SETTLED_TIMEOUT).await;
    timeout(Duration::from_secs(10), ids.recv())
        .await
        .unwrap()
        .unwrap()
}
