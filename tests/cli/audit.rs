//! `serve --audit` and `serve --metrics`, and `audit`, which reads what was written.

use super::run;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
};

/// What a client sends, in order.
fn messages() -> Vec<Value> {
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
    let call = |id: u32, name: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
    vec![
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} }),
        call(3, "list", json!({ "limit": 3 })),
        call(4, "list", json!({ "limit": 3 })),
        call(5, "list", json!({ "limit": 0.5 })),
        call(6, "a-secret-name", json!({})),
        call(7, "describe_tools", json!({ "names": ["hours"] })),
    ]
}

/// Serves a client that sends one message after the other, with numbers; returns those.
fn serve(directory: &Path, flags: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .current_dir(directory)
        .args(["serve", "--no-state", "--metrics", "127.0.0.1:0"])
        .args(flags);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap()).lines();
    let url = said
        .find_map(|line| line.ok().filter(|line| line.starts_with("http://")))
        .unwrap();
    let (mut input, mut answers) = (
        server.stdin.take().unwrap(),
        BufReader::new(server.stdout.take().unwrap()).lines(),
    );
    for message in messages() {
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
        if message.get("id").is_some() {
            answers.next().unwrap().unwrap();
        }
    }
    let numbers = get(&url);
    drop(input);
    assert!(server.wait().unwrap().success());
    numbers
}

fn get(url: &str) -> String {
    let address = url
        .strip_prefix("http://")
        .and_then(|rest| rest.strip_suffix("/metrics"))
        .unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn what_happened_is_written_and_summed_up() {
    let directory = tempfile::tempdir().unwrap();
    let numbers = serve(directory.path(), &["--audit", "audit.jsonl"]);
    assert!(
        numbers.contains("200 OK") && numbers.contains("text/plain; version=0.0.4"),
        "{numbers}"
    );
    assert!(
        numbers.contains("pd_calls_total{tool=\"list\",outcome=\"done\"} 1"),
        "{numbers}"
    );
    let file = directory.path().join("audit.jsonl");
    let written = std::fs::read_to_string(&file).unwrap();
    let events: Vec<Value> = written
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let named: Vec<_> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        named,
        [
            "listed",
            "refused",
            "described",
            "called",
            "called",
            "missed",
            "described"
        ]
    );
    assert!(!written.contains("secret"), "{written}");

    let table = run(directory.path(), ["audit", "audit.jsonl"]);
    assert_eq!((table.code, table.stderr.as_str()), (Some(0), ""));
    let row = |name: &str| {
        let row = table
            .stdout
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap();
        row.split_whitespace()
            .skip(1)
            .map(|number| number.parse().unwrap())
            .collect::<Vec<usize>>()
    };
    assert_eq!(row("list"), [1, 0, 0, 0, 1, 1, 2, 1], "{}", table.stdout);
    assert_eq!(row("hours"), [1, 0, 0, 0, 1, 0, 0, 0], "{}", table.stdout);
    assert!(
        table.stdout.ends_with("1 event named an unknown tool\n"),
        "{}",
        table.stdout
    );

    let why = run(
        directory.path(),
        ["audit", "audit.jsonl", "--tool", "hours"],
    );
    let expected = "`hours` was listed once; never found by a search; described once; never called after it.\nIts description was read, but it was not called";
    assert!(why.stdout.starts_with(expected), "{}", why.stdout);
}

#[test]
fn a_second_start_writes_behind_the_first() {
    let directory = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        serve(
            directory.path(),
            &[
                "--audit",
                "audit.jsonl",
                "--audit-detail",
                "queries,arguments",
            ],
        );
    }
    let written = std::fs::read_to_string(directory.path().join("audit.jsonl")).unwrap();
    assert_eq!(written.lines().count(), 14);
    assert!(
        written.contains("a-secret-name") && written.contains("\"arguments\":{\"limit\":3}"),
        "{written}"
    );
}

#[test]
fn lines_that_are_no_events_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(
        directory.path().join("a"),
        "{\"event\":\"dropped\",\"count\":12}\nhalf a li",
    )
    .unwrap();
    let told = run(directory.path(), ["audit", "a"]);
    assert!(
        told.stdout.contains("12 events missing") && told.stdout.contains("1 event unreadable"),
        "{}",
        told.stdout
    );
    let missing = run(directory.path(), ["audit", "b"]);
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.stderr.starts_with("error: b cannot be read"),
        "{}",
        missing.stderr
    );
}
