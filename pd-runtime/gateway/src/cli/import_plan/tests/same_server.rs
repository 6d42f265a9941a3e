//! Entries that mean the same are one server, whichever keys their clients have.

use super::*;

/// Returns what an import does with the second of two entries.
fn second(folder: &Folder, one: &Value, other: &Value) -> String {
    let [one, other] =
        [one, other].map(|entry| json!({ "mcpServers": { "gh": entry } }).to_string());
    let plan = folder.plan(&[
        (ClientKind::ClaudeCode, ".claude.json", &one),
        (ClientKind::Cursor, "mcp.json", &other),
    ]);
    actions(&plan).pop().unwrap()
}

#[test]
fn entries_that_mean_the_same_are_one_server() {
    let folder = Folder::new("same");
    let url = "https://x.example/mcp";
    for (one, other) in [
        (
            json!({ "type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {} }),
            json!({ "command": "npx", "args": ["-y", "x"] }),
        ),
        (
            json!({ "command": "x", "args": [], "env": null }),
            json!({ "command": "x", "transport": "stdio", "headers": {} }),
        ),
        (
            json!({ "command": "x", "args": [1, true], "env": { "A": 1, "B": null } }),
            json!({ "command": "x", "args": ["1", "true"], "env": { "A": "1" } }),
        ),
        (
            json!({ "command": "x", "env": { "A": "${env:A}" } }),
            json!({ "command": "x", "env": { "A": "${A}" }, "autoApprove": [], "disabled": false }),
        ),
        (json!({ "url": url }), json!({ "serverUrl": url })),
        (
            json!({ "type": "http", "url": url, "headers": {} }),
            json!({ "httpUrl": url }),
        ),
        (
            json!({ "type": "streamable-http", "url": url, "headers": { "x-key": "k" } }),
            json!({ "url": url, "http_headers": { "X-Key": "k" } }),
        ),
        (
            json!({ "url": url, "headers": { "Authorization": "Bearer ${TOKEN}", "X": "${env:Y}" } }),
            json!({ "url": url, "bearer_token_env_var": "TOKEN", "env_http_headers": { "X": "Y" } }),
        ),
        (
            json!({ "type": "sse", "url": "https://x.example/sse" }),
            json!({ "url": "https://x.example/sse", "description": "X" }),
        ),
        (
            json!({ "command": { "path": "x", "args": ["a"] } }),
            json!({ "command": "x", "args": ["a"], "enabled": true }),
        ),
        (
            json!({ "openapi": "https://x.example/api.json", "auth": {} }),
            json!({ "openapi": "https://x.example/api.json" }),
        ),
    ] {
        assert_eq!(second(&folder, &one, &other), "known gh", "{one} {other}");
        assert_eq!(second(&folder, &other, &one), "known gh", "{one} {other}");
    }
}

#[test]
fn entries_that_differ_in_one_thing_are_two_servers() {
    let folder = Folder::new("differ");
    let url = "https://x.example/mcp";
    for (one, other) in [
        (
            json!({ "command": "x" }),
            json!({ "command": "x", "args": ["a"] }),
        ),
        (
            json!({ "command": "x", "env": { "A": "1" } }),
            json!({ "command": "x", "env": { "A": "2" } }),
        ),
        (
            json!({ "command": "x", "env": { "A": "${A}" } }),
            json!({ "command": "x", "env": { "A": "${B}" } }),
        ),
        (
            json!({ "command": "x" }),
            json!({ "command": "x", "envFile": "${workspaceFolder}/.env" }),
        ),
        (
            json!({ "command": "x" }),
            json!({ "command": "x", "disabledTools": ["a"] }),
        ),
        (
            json!({ "command": "x", "cwd": "/a" }),
            json!({ "command": "x", "cwd": "/b" }),
        ),
        (json!({ "url": url }), json!({ "type": "sse", "url": url })),
        (
            json!({ "url": url, "headers": { "X": "1" } }),
            json!({ "url": url, "headers": { "X": "2" } }),
        ),
        (
            json!({ "url": url }),
            json!({ "url": url, "bearer_token_env_var": "TOKEN" }),
        ),
        (json!({ "url": url }), json!({ "openapi": url })),
    ] {
        assert_eq!(
            second(&folder, &one, &other),
            "copy gh-cursor",
            "{one} {other}"
        );
    }
}

#[test]
fn a_server_that_does_not_run_is_no_other_one() {
    let folder = Folder::new("idle");
    for own in [
        json!({ "command": "x", "disabled": true }),
        json!({ "command": "x", "args": "a b" }),
    ] {
        let text = json!({ "mcpServers": { "gh": own } }).to_string();
        folder.write("own/servers.json", &text);
        let plan = folder.plan(&[(
            ClientKind::Cursor,
            "mcp.json",
            r#"{"mcpServers": {"gh": {"command": "x"}}}"#,
        )]);
        assert_eq!(actions(&plan), ["copy gh-cursor"], "{own}");
    }
}
