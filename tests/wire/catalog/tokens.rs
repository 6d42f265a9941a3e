//! `serve --jwt-issuer`: nobody gets in without a token, whatever else a binary does before it
//! serves.

use super::{CATALOG, Shelf, process::Process, tools};
use serde_json::{Value, json};
use std::{fs, path::Path};

const LIBRARY: &str = env!("CARGO_BIN_EXE_library");

/// A key with which no token of these tests is signed.
const KEY: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEB3lUXsBU899Or8LGZO25iuv8c1ol
ScjvrmLn/XrKGnqTjcc9wmUktLpKBWYZniKijIKA9UsCsIdGIVxc6wO3BA==
-----END PUBLIC KEY-----
";

fn flags(shelf: &Shelf) -> Vec<String> {
    let key = shelf.path("issuer.pem");
    fs::write(&key, KEY).unwrap();
    let key = key.to_string_lossy().into_owned();
    let fixed = [
        "--jwt-issuer",
        "https://id.example",
        "--jwt-audience",
        "https://tools.example/mcp",
        "--jwt-keys",
    ];
    fixed
        .iter()
        .map(|flag| (*flag).to_owned())
        .chain([key])
        .collect()
}

/// Asks for the tools without a token, with one that is none, and in each generation of the
/// protocol.
async fn lets_nobody_in(url: &str) {
    let client = reqwest::Client::new();
    let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "0" } });
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} });
    for token in [None, Some("not.a.token")] {
        for (method, params) in [
            ("initialize", initialize.clone()),
            ("tools/list", json!({})),
            ("tools/list", json!({ "_meta": meta })),
            (
                "resources/read",
                json!({ "uri": "resource:///tool_descriptions?tools=log", "_meta": meta }),
            ),
            (
                "tools/call",
                json!({ "name": "log", "arguments": {}, "_meta": meta }),
            ),
        ] {
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
            let mut request = client
                .post(url)
                .json(&body)
                .header("accept", "application/json, text/event-stream");
            if params.get("_meta").is_some() {
                request = request
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", method);
            }
            if let Some(token) = token {
                request = request.bearer_auth(token);
            }
            let answer = request.send().await.unwrap();
            let (status, challenge) = (
                answer.status(),
                answer.headers().get("www-authenticate").cloned(),
            );
            let text = answer.text().await.unwrap();
            assert_eq!(status, 401, "{method} {token:?}: {text}");
            assert!(
                challenge.unwrap().to_str().unwrap().starts_with("Bearer"),
                "{method}"
            );
            assert!(
                !text.contains("inputSchema") && !text.contains("serverInfo"),
                "{text}"
            );
        }
    }
    let origin = url.strip_suffix("/mcp").unwrap();
    let metadata = client
        .get(format!("{origin}/.well-known/oauth-protected-resource/mcp"))
        .send()
        .await
        .unwrap();
    assert_eq!(
        metadata.json::<Value>().await.unwrap()["authorization_servers"],
        json!(["https://id.example"])
    );
}

#[tokio::test]
async fn a_catalog_lets_nobody_in_without_a_token() {
    let shelf = Shelf::new(&tools(&["log"]));
    for more in [&[][..], &["--no-sessions"]] {
        let flags = flags(&shelf);
        let flags: Vec<&str> = flags
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect();
        let (_process, url) = shelf.http(&flags).await;
        lets_nobody_in(&url).await;
    }
}

#[tokio::test]
async fn a_server_of_the_command_line_lets_nobody_in_without_a_token() {
    let shelf = Shelf::new(&json!([]));
    let flags = flags(&shelf);
    let arguments = ["serve", "--http", "127.0.0.1:0"]
        .into_iter()
        .chain(flags.iter().map(String::as_str));
    let (_process, url) = Process::http(LIBRARY, arguments).await;
    lets_nobody_in(&url).await;
}

/// Either would let in whom the other does not know.
#[tokio::test]
async fn principals_and_an_issuer_are_not_both_asked() {
    let shelf = Shelf::new(&tools(&["log"]));
    shelf.write("tokens.json", &json!({ "token-a": ["log"] }));
    let arguments = shelf.arguments(&["--http", "127.0.0.1:0"]);
    let ended = tokio::process::Command::new(CATALOG)
        .args(arguments)
        .args(flags(&shelf))
        .kill_on_drop(true)
        .output();
    let ended = tokio::time::timeout(std::time::Duration::from_secs(20), ended)
        .await
        .expect("it ends")
        .unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(
        told.contains("`--principals` and `--jwt-issuer` both authenticate callers"),
        "{told}"
    );
    assert!(
        Path::new(CATALOG).exists() && !told.contains("http://"),
        "nothing was served: {told}"
    );
}
