//! `cli::main_with`: a tool that changes the tools of its server, in a binary without a parser of its own.

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

#[test]
fn a_tool_replaces_the_tools_of_its_server() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .args(["serve", "--no-state", "--gate", "off"])
        .env("LIBRARY_CHANGES", "1");
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let mut messages = BufReader::new(output)
        .lines()
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
    writeln!(
        input,
        "{}",
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client })
    )
    .unwrap();
    writeln!(
        input,
        "{}",
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
    )
    .unwrap();
    let mut call = |id: u32, name: &str| {
        let params = json!({ "name": name, "arguments": {} });
        writeln!(
            input,
            "{}",
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
        )
        .unwrap();
        let answer = messages
            .by_ref()
            .find(|message| message["id"] == id)
            .unwrap();
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_ne!(call(1, "read_archive"), "It is empty.");
    assert_eq!(call(2, "open_archive"), "open");
    assert_eq!(call(3, "read_archive"), "It is empty.");
    drop(input);
    assert!(server.wait().unwrap().success());
}

/// Other commands build the server without a call of `prepare`.
#[test]
fn other_commands_do_not_prepare_the_server() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    let called = command
        .args(["call", "open_archive"])
        .env("LIBRARY_CHANGES", "1")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(called.stdout).unwrap(), "no server\n");
}
