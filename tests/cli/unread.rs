//! A client on standard input and output that sends requests and reads no answers: the server's memory stays bounded.

use serde_json::json;
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Requests for a few kilobytes each: the server reads some thousand before it stops.
const REQUESTS: usize = 10_000;

/// The memory of a process, in MB.
fn memory(server: &Child) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim()
        .trim_end_matches(" kB")
        .parse::<usize>()
        .unwrap()
        / 1024
}

#[test]
fn a_client_that_reads_nothing_fills_no_memory_and_loses_nothing() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let (mut input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
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
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    let sending = std::thread::spawn(move || {
        let uri = "resource:///tool_descriptions?tools=list,hours";
        for id in 1..=REQUESTS {
            let read = json!({ "jsonrpc": "2.0", "id": id, "method": "resources/read", "params": { "uri": uri } });
            writeln!(input, "{read}").unwrap();
            counted.fetch_add(1, Relaxed);
        }
    });
    // Until the server reads no more, or everything was read.
    let (begun, mut before) = (Instant::now(), 0);
    while begun.elapsed() < Duration::from_secs(40) {
        std::thread::sleep(Duration::from_millis(1_000));
        let now = sent.load(Relaxed);
        if now == before {
            break;
        }
        before = now;
        assert!(
            memory(&server) < 120,
            "{} MB after {now} requests",
            memory(&server)
        );
    }
    assert!(before < REQUESTS, "the server stops reading");
    assert!(
        memory(&server) < 120,
        "{} MB after {before} requests",
        memory(&server)
    );
    let answers = BufReader::new(output).lines().take(1 + REQUESTS);
    let ids = answers
        .filter(|line| line.as_ref().unwrap().contains("\"id\":"))
        .count();
    assert_eq!(ids, 1 + REQUESTS, "each is answered once the client reads");
    sending.join().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
}

/// The client keeps the input open, so its end says nothing.
#[test]
fn a_server_ends_when_its_client_has_closed_the_output() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let (mut input, mut output) = (
        server.stdin.take().unwrap(),
        BufReader::new(server.stdout.take().unwrap()),
    );
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
    writeln!(
        input,
        "{}",
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client })
    )
    .unwrap();
    output.read_line(&mut String::new()).unwrap();
    drop(output);
    writeln!(
        input,
        "{}",
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })
    )
    .unwrap();
    let began = Instant::now();
    while server.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(15), "the server ends");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(input);
}
