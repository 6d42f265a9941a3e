//! The paths of the endpoint, and all others.

use super::{
    super::{HttpOptions, PATH, connection, http_routes, router},
    site::request,
};
use crate::{PdServer, Registry};

use serde_json::json;
use std::net::SocketAddr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_util::sync::CancellationToken;

fn server() -> PdServer<()> {
    PdServer::builder(Registry::builder().build().unwrap(), ())
        .build()
        .unwrap()
}

async fn bound() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// The beginning of the status line of an `initialize` at this path.
async fn status(address: SocketAddr, path: &str) -> String {
    let client = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "0" },
    });
    let body = request(json!(0), "initialize", client).to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream
        .write_all(format!("{head}{body}").as_bytes())
        .await
        .unwrap();
    let mut line = [0; "HTTP/1.1 200".len()];
    stream.read_exact(&mut line).await.unwrap();
    String::from_utf8(line.to_vec()).unwrap()
}

#[tokio::test]
async fn the_endpoint_has_one_path_with_a_slash_behind_it_or_without() {
    let ((own, ours), (routed, theirs)) = (bound().await, bound().await);
    tokio::spawn(async move {
        let options = HttpOptions::default();
        let stop = CancellationToken::new();
        connection::serve(
            own,
            http_routes(server().host(), &options, PATH, stop.clone()).unwrap(),
            &options,
            stop,
        )
        .await
    });
    tokio::spawn(async move {
        let router = router(&server(), &HttpOptions::default(), CancellationToken::new()).unwrap();
        axum::serve(routed, router).await
    });
    for address in [ours, theirs] {
        for path in ["/mcp", "/mcp/", "/mcp?a=b"] {
            assert_eq!(status(address, path).await, "HTTP/1.1 200", "{path}");
        }
        for path in ["/mcp/x", "//mcp", "/mcp//", "/mcpx", "/"] {
            assert_eq!(status(address, path).await, "HTTP/1.1 404", "{path}");
        }
    }
}
