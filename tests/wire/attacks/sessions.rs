//! Sessions: how many one address may have, and how much memory each costs.

use super::{MIB, Process, client_from, initialize, post, whole};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Capabilities of about this many bytes, in the form that costs most memory when it is parsed: many small objects.
fn capabilities(bytes: usize) -> Value {
    let entries: Map<_, _> = (0..bytes / 11)
        .map(|number| (format!("{number:05}"), json!({})))
        .collect();
    json!({ "extensions": entries })
}

/// Sends these bytes on a connection of its own; returns all of the answer.
async fn raw(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may refuse before it has read everything.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

fn head(length: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{length}\r\n\r\n"
    )
}

fn with_length(body: &str) -> Vec<u8> {
    format!("{}{body}", head(&format!("content-length: {}", body.len()))).into_bytes()
}

fn in_chunks(body: &str) -> Vec<u8> {
    let chunks = body.as_bytes().chunks(1_000).map(|chunk| {
        let text = std::str::from_utf8(chunk).unwrap();
        format!("{:x}\r\n{text}\r\n", text.len())
    });
    format!(
        "{}{}0\r\n\r\n",
        head("transfer-encoding: chunked"),
        chunks.collect::<String>()
    )
    .into_bytes()
}

/// The resident memory that each of 150 sessions costs which are opened like this.
async fn cost(capabilities: &Value) -> usize {
    let server = Process::start(&[]);
    let (client, message) = (client_from("127.0.0.1"), initialize(capabilities));
    let open = async |sessions: usize| {
        for _ in 0..sessions {
            assert_eq!(
                whole(post(&client, &server.url, &message).await).await.0,
                200
            );
        }
    };
    // Parsing takes memory that the allocator keeps.
    open(20).await;
    let before = server.resident();
    open(150).await;
    server.resident().saturating_sub(before) / 150
}

#[tokio::test]
async fn a_large_initialize_leaves_little_behind() {
    let large = capabilities(60 * 1024);
    assert!(initialize(&large).to_string().len() < 64 * 1024);
    let (plain, large) = (cost(&json!({})).await, cost(&large).await);
    // The allocator keeps some of what parsing took; before parameters were bounded this was over a megabyte.
    assert!(
        large < plain + 96 * 1024,
        "a session holds {large} bytes, and {plain} with nothing declared"
    );
}

#[tokio::test]
async fn an_initialize_over_64_kib_is_refused_however_it_is_sent() {
    let server = Process::start(&[]);
    let small = initialize(&capabilities(60 * 1024)).to_string();
    let large = initialize(&capabilities(70 * 1024)).to_string();
    let escaped = large.replace("\"initialize\"", "\"initi\\u0061lize\"");
    let spaced = format!("{small}{}", " ".repeat(64 * 1024));
    for body in [&large, &escaped, &spaced] {
        for bytes in [with_length(body), in_chunks(body)] {
            let answer = raw(server.address(), &bytes).await;
            assert!(answer.starts_with("HTTP/1.1 413 "), "{answer:.200}");
            let (_, told) = answer.split_once("\r\n\r\n").unwrap();
            let told: Value = serde_json::from_str(told).unwrap();
            let message = told["error"]["message"].as_str().unwrap();
            assert!(
                message.contains("65536 bytes") && message.contains("capabilities"),
                "{message}"
            );
        }
    }
    for bytes in [with_length(&small), in_chunks(&small)] {
        let answer = raw(server.address(), &bytes).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer:.200}");
    }
    let other = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "initialize": "a".repeat(MIB) } });
    let answer = raw(server.address(), &with_length(&other.to_string())).await;
    assert!(
        answer.starts_with("HTTP/1.1 400 "),
        "another method has no such limit: {answer:.200}"
    );
}

#[tokio::test]
async fn one_address_does_not_take_the_sessions_of_others() {
    let server = Process::start(&[]);
    let client = client_from("127.0.0.1");
    let message = initialize(&json!({}));
    let mut refused = Vec::new();
    for _ in 0..1_100 {
        let answer = whole(post(&client, &server.url, &message).await).await;
        if answer.0 != 200 {
            refused.push(answer);
        }
    }
    assert_eq!(refused.len(), 100, "1,000 sessions by default");
    let (status, headers, told) = refused.remove(0);
    assert_eq!(status, 429, "{told}");
    assert!(headers.contains_key("retry-after"));
    let told: Value = serde_json::from_str(&told).unwrap();
    assert!(
        told["error"]["message"]
            .as_str()
            .unwrap()
            .contains("1000 open sessions"),
        "{told}"
    );
    let other = whole(post(&client_from("127.0.0.2"), &server.url, &message).await).await;
    assert_eq!(other.0, 200, "{}", other.2);
}

#[tokio::test]
async fn flags_set_what_an_address_may_open_and_whom_to_trust() {
    let flags = [
        "--trust-proxy",
        "127.0.0.1",
        "--max-sessions-per-address",
        "2",
        "--max-initialize-per-minute",
        "4",
    ];
    let server = Process::start(&flags);
    let client = client_from("127.0.0.1");
    let open = async |client_address: &str| {
        let request = client
            .post(&server.url)
            .header("accept", "application/json, text/event-stream");
        let request = request
            .header("x-forwarded-for", client_address)
            .json(&initialize(&json!({})));
        whole(request.send().await.unwrap()).await
    };
    for address in ["198.51.100.1", "198.51.100.2"] {
        let mut answers = Vec::new();
        for _ in 0..5 {
            answers.push(open(address).await);
        }
        let statuses: Vec<_> = answers.iter().map(|(status, ..)| *status).collect();
        assert_eq!(statuses, [200, 200, 429, 429, 429]);
        assert!(
            answers[2].2.contains("2 open sessions") && answers[4].2.contains("in a short time")
        );
    }
}
