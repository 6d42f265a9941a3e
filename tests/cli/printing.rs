//! Tools that print, and that read standard input: the protocol keeps both for itself.
#![cfg(unix)]

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
};

#[test]
fn what_tools_print_reaches_no_client() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .args(["serve", "--no-state"])
        .env("LIBRARY_PRINTS", "1");
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines();
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
    writeln!(
        input,
        "{}",
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client })
    )
    .unwrap();
    lines.next().unwrap().unwrap();
    writeln!(
        input,
        "{}",
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
    )
    .unwrap();
    for (name, answer) in [
        ("print", "printed"),
        ("child", "exit status: 0"),
        ("device", "written"),
        ("read", "0 bytes"),
        ("print", "printed"),
    ] {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name } });
        writeln!(input, "{call}").unwrap();
        let line = lines.next().unwrap().unwrap();
        let parsed: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(
            parsed["result"]["content"][0]["text"], answer,
            "{name}: {line}"
        );
    }
    drop(input);
    assert!(server.wait().unwrap().success());
    assert!(lines.next().is_none(), "nothing follows the last answer");
    let mut errors = String::new();
    server
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    for printed in ["half of a line", "of a child", "to the device"] {
        assert!(errors.contains(printed), "{printed}: {errors}");
    }
}
