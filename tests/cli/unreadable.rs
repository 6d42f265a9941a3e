//! Messages on standard input that are not valid JSON: each is repaired or answered, and those after it
//! are read.

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

/// The parts of a line around an argument.
const HEAD: &str =
    r#"{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"hours","arguments":{"a":"#;

/// Sends the lines to a new server with the arguments, and returns as many messages as are expected.
fn answers(program: &str, arguments: &[&str], lines: &[Vec<u8>], expected: usize) -> Vec<Value> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let output = BufReader::new(server.stdout.take().unwrap());
    let (sender, answers) = mpsc::channel();
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let _ = sender.send(serde_json::from_str(&line).unwrap());
        }
    });
    for line in lines {
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }
    let wait = Duration::from_secs(20);
    let found = (0..expected)
        .map_while(|_| answers.recv_timeout(wait).ok())
        .collect();
    server.kill().unwrap();
    server.wait().unwrap();
    found
}

fn line(message: Value) -> Vec<u8> {
    message.to_string().into_bytes()
}

fn initialize() -> Vec<u8> {
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
    line(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client }))
}

/// A call with this value of an argument.
fn call(value: &[u8]) -> Vec<u8> {
    [HEAD.as_bytes(), value, b"}}}"].concat()
}

/// Sends a request between others, and returns its answer.
fn answer(request: &[u8]) -> Value {
    let said = String::from_utf8_lossy(request).into_owned();
    let initialized = line(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let ping = line(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
    let lines = [initialize(), initialized, request.to_vec(), ping];
    let mut found = answers(env!("CARGO_BIN_EXE_library"), &["serve"], &lines, 3);
    // The answers are written by tasks of their own.
    found.sort_by_key(|answer| answer["id"].as_i64());
    let ids: Vec<_> = found.iter().map(|answer| answer["id"].as_i64()).collect();
    assert_eq!(ids, [Some(0), Some(1), Some(20)], "{said}: {found:?}");
    found[2].take()
}

#[test]
fn what_other_servers_read_is_repaired() {
    for value in [&br#""cut \ud83d""#[..], b"1e400", b"NaN", b"\"\xff\xfe\""] {
        let answer = answer(&call(value));
        assert!(answer["result"].is_object(), "{answer}");
    }
}

#[test]
fn other_requests_are_answered_with_their_ids() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let long = format!("\"{}\"\t0", "a".repeat(100_000));
    let mut requests = ["01", &deep, "\"a\tb\"", &long]
        .map(|value| call(value.as_bytes()))
        .to_vec();
    // The client broke off.
    requests.push(HEAD.as_bytes().to_vec());
    for request in requests {
        let answer = answer(&request);
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("not valid JSON"), "{message}");
    }
}

/// Before `initialize`, and from a client that sends none.
#[test]
fn it_is_answered_as_the_first_message_and_without_a_session() {
    let library = env!("CARGO_BIN_EXE_library");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "cli", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let list =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    let found_by = json!({ "name": "find_tools", "arguments": { "query": "?" }, "_meta": meta });
    let cut = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": found_by });
    let cut = cut.to_string().replace('?', "\\ud83d").into_bytes();
    for lines in [
        [call(b"01"), initialize()],
        [initialize(), call(b"01")],
        [call(b"01"), line(list.clone())],
        [line(list), call(b"01")],
    ] {
        let found = answers(library, &["serve"], &lines, 2);
        let failed = found.iter().find(|answer| answer["id"] == 20);
        let code = failed.map(|answer| &answer["error"]["code"]);
        assert_eq!(code, Some(&json!(-32700)), "{found:?}");
        assert!(
            found.iter().any(|answer| answer["result"].is_object()),
            "{found:?}"
        );
    }
    let found = answers(library, &["serve", "--listing", "grouped"], &[cut], 1);
    assert_eq!(found[0]["id"], 2, "{found:?}");
    assert!(found[0]["result"].is_object(), "{found:?}");
}

/// What has its id at the end gets no answer, because the end is not kept.
#[test]
fn a_request_that_is_too_long_is_answered_with_its_id() {
    let long = format!("\"{}\"", "a".repeat(17 << 20));
    let answer = answer(&call(long.as_bytes()));
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("longer than"), "{message}");
}

/// All in one write, so that the server reads several lines at once.
#[test]
fn many_at_once_are_answered_each() {
    let bad = |id: u32| HEAD.replace("20", &id.to_string()) + "01}}}";
    let mut lines = vec![initialize()];
    for id in 1..=200 {
        lines.push(match id % 3 {
            0 => line(json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })),
            _ => bad(id).into_bytes(),
        });
    }
    let lines = [lines.join(&b'\n')];
    let found = answers(env!("CARGO_BIN_EXE_library"), &["serve"], &lines, 201);
    let mut ids: Vec<_> = found
        .iter()
        .filter_map(|answer| answer["id"].as_i64())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..=200).collect::<Vec<_>>());
    let failed = found
        .iter()
        .filter(|answer| answer["error"]["code"] == -32700);
    assert_eq!(failed.count(), 134);
}

/// A parse error without an id could start a storm: the other end may answer it with another one.
#[test]
fn what_is_no_request_gets_no_answer() {
    let response = br#"{"jsonrpc":"2.0","id":5,"result":{"a":01}}"#.to_vec();
    let notification =
        br#"{"jsonrpc":"2.0","method":"notifications/x","params":{"a":01}}"#.to_vec();
    let lines = [initialize(), b"nonsense".to_vec(), response, notification];
    let ping = line(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
    let lines = [&lines[..], &[ping]].concat();
    let found = answers(env!("CARGO_BIN_EXE_library"), &["serve"], &lines, 2);
    let ids: Vec<_> = found.iter().map(|answer| answer["id"].as_i64()).collect();
    assert_eq!(ids, [Some(0), Some(1)]);
}
