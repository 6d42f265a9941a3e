//! What answers in place of an MCP server, and servers of other versions: the error says what it is.

use super::{raw::RawUpstream, *};

/// Returns the error of a gateway in front of this address.
async fn error_of(entry: Value) -> String {
    let desk = Desk::new();
    let gateway = desk.gateway([("web".to_owned(), entry)]);
    gateway.refresh().await;
    let error = gateway.status().remove(0).last_error.unwrap_or_default();
    gateway.stop().await;
    error
}

/// Answers each request of HTTP with these bytes.
async fn address(answer: &'static str) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            tokio::spawn(async move {
                use tokio::io::{AsyncReadExt, AsyncWriteExt};
                let mut read = [0; 8_192];
                let _ = connection.read(&mut read).await;
                let _ = connection.write_all(answer.as_bytes()).await;
                let _ = connection.shutdown().await;
            });
        }
    });
    url
}

#[tokio::test]
async fn what_answers_in_place_of_a_server_is_named_with_advice() {
    let page =
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<!doctype html><title>Sign in</title>";
    let text = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nIt works!";
    let missing = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
    let refused = "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n";
    let busy = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 30\r\ncontent-length: 0\r\n\r\n";
    let path = "streamable HTTP is usually at `/mcp`, and HTTP+SSE at `/sse`";
    for (answer, parts) in [
        (
            page,
            ["with an HTML page", "Sign in", "a login page may answer"],
        ),
        (text, ["with text/plain", "It works!", path]),
        (
            missing,
            ["HTTP 404 Not Found", "check the path in `url`", path],
        ),
        (
            busy,
            [
                "HTTP 429 Too Many Requests",
                "it asks for a pause of 30 s",
                "",
            ],
        ),
        (
            refused,
            ["HTTP 405", "`\"type\": \"sse\"` in the entry", path],
        ),
    ] {
        for kind in ["http", "sse"] {
            let url = address(answer).await;
            let error = error_of(json!({ "url": format!("{url}/x"), "type": kind })).await;
            for part in parts {
                assert!(error.contains(part), "{kind}: {part}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn a_connection_that_breaks_within_a_response_is_called_so() {
    for (kind, content_type) in [
        ("http", "application/json"),
        ("http", "text/event-stream"),
        ("sse", "text/event-stream"),
    ] {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: 99\r\n\r\n: x"
        );
        let url = address(head.leak()).await;
        let error = error_of(json!({ "url": url, "type": kind })).await;
        assert!(
            error.contains("the connection broke within the response"),
            "{kind} {content_type}: {error}"
        );
    }
}

#[tokio::test]
async fn a_version_that_a_server_names_is_requested() {
    let refusal = |data: Value| {
        let error =
            json!({ "code": -32602, "message": "Unsupported protocol version", "data": data });
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{error}}}"#)
    };
    for (data, reason) in [
        (
            json!({ "supported": ["2099-01-01"] }),
            "it speaks MCP 2099-01-01, which this gateway does not",
        ),
        (
            json!({ "supportedVersions": "v9" }),
            "it speaks MCP v9, which",
        ),
        (json!({ "supported": [7] }), "Unsupported protocol version"),
    ] {
        for transport in ["stdio", "http"] {
            let fixed = json!({ "initialize": [refusal(data.clone())] });
            let upstream = RawUpstream::with(transport, json!({}), &fixed).await;
            let error = upstream.gateway.status().remove(0).last_error.unwrap();
            assert!(error.contains(reason), "{transport}: {error}");
        }
    }
    let desk = Desk::new();
    let gateway = desk.one(&["only_2024"], json!({})).await;
    let status = gateway.status().remove(0);
    assert_eq!(status.version.as_deref(), Some("2024-11-05"), "{status:?}");
    gateway.stop().await;
}
