//! Messages of a server over HTTP+SSE that need no answer: they cost no line of the log each.

use super::gateway::Project;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

#[test]
fn a_flood_of_odd_messages_over_sse_is_counted_in_the_log() {
    let project = Project::new();
    let log = project.0.path().join("raw.log");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/raw_upstream.py");
    let mut upstream = Command::new("python3")
        .args([script, "sse"])
        .arg(log)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut port = String::new();
    BufReader::new(upstream.stdout.take().unwrap())
        .read_line(&mut port)
        .unwrap();
    let url = format!("http://127.0.0.1:{}/sse", port.trim());
    project.write(&json!({ "mcpServers": { "s": { "url": url } } }).to_string());
    assert_eq!(project.run(&["doctor"]).code, Some(0));

    let serve = ["serve", "--listing", "full", "--gate", "off"];
    let pipes = || Stdio::piped();
    let mut gateway = project
        .command(&serve)
        .stdin(pipes())
        .stdout(pipes())
        .stderr(pipes())
        .spawn()
        .unwrap();
    let mut to = gateway.stdin.take().unwrap();
    let mut from = BufReader::new(gateway.stdout.take().unwrap()).lines();
    let odd = [
        "no JSON",
        r#"{"jsonrpc":"2.0","id":9,"method":"unknown/method"}"#,
    ];
    let mut flood: Vec<Value> = odd
        .iter()
        .cycle()
        .take(4_000)
        .map(|line| json!(line))
        .collect();
    flood.push(json!(r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"after the flood"}]}}"#));
    let client = json!({ "name": "c", "version": "1" });
    let initialize =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let call = json!({ "name": "s__raw", "arguments": { "lines": flood } });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }),
    ] {
        writeln!(to, "{message}").unwrap();
    }
    let answer = from
        .by_ref()
        .map(Result::unwrap)
        .find(|line| serde_json::from_str::<Value>(line).is_ok_and(|message| message["id"] == 2));
    assert!(answer.unwrap().contains("after the flood"));
    drop(to);
    let ended = gateway.wait_with_output().unwrap();
    upstream.kill().unwrap();
    upstream.wait().unwrap();
    let log = String::from_utf8(ended.stderr).unwrap();
    let lines = log.lines().count();
    assert!((1..40).contains(&lines), "{lines} lines: {log:.2000}");
    assert!(log.contains("left_out="), "{log:.2000}");
}
