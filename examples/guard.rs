//! A test of every server here: `serve --jwt-issuer` lets nobody in without a token, whatever the
//! binary does before it serves.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::{future::Future, net::TcpListener, process::ExitCode, time::Duration};

/// A key with which no token of these tests is signed.
const KEY: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEB3lUXsBU899Or8LGZO25iuv8c1ol
ScjvrmLn/XrKGnqTjcc9wmUktLpKBWYZniKijIKA9UsCsIdGIVxc6wO3BA==
-----END PUBLIC KEY-----
";

/// Serves by `run`, which takes the arguments behind the program's name, and asks without a token.
pub(crate) async fn lets_nobody_in<F: Future<Output = ExitCode>>(
    run: impl FnOnce(Vec<String>) -> F,
) {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("issuer.pem");
    std::fs::write(&key, KEY).unwrap();
    // Free a moment ago, and the system gives out others first.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let (address, key) = (
        format!("127.0.0.1:{port}"),
        key.to_string_lossy().into_owned(),
    );
    let arguments = [
        "serve",
        "--http",
        &address,
        "--jwt-issuer",
        "https://id.example",
        "--jwt-audience",
    ];
    let arguments = arguments
        .into_iter()
        .chain(["https://tools.example/mcp", "--jwt-keys", &key]);
    let served = run(arguments.map(str::to_owned).collect());
    let url = format!("http://{address}/mcp");
    tokio::select! {
        code = served => panic!("it ended: {code:?}"),
        () = ask(&url) => {}
    }
}

async fn ask(url: &str) {
    let client = reqwest::Client::new();
    let list =
        serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    for token in ["", "not.a.token"] {
        let request = || {
            let request = client
                .post(url)
                .json(&list)
                .header("accept", "application/json, text/event-stream");
            if token.is_empty() {
                request
            } else {
                request.bearer_auth(token)
            }
        };
        let answer = loop {
            match request().send().await {
                Ok(answer) => break answer,
                Err(error) if error.is_connect() => {
                    tokio::time::sleep(Duration::from_millis(20)).await
                }
                Err(error) => panic!("{error}"),
            }
        };
        assert_eq!(answer.status(), 401, "{token}");
        assert!(answer.headers().contains_key("www-authenticate"));
        assert!(!answer.text().await.unwrap().contains("inputSchema"));
    }
}
