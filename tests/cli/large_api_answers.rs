//! `pd-gateway` in front of an API that answers with a lot: the memory of the process.

use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// As for answers of MCP servers: the largest one takes eight times its 40 MiB.
const MEMORY_MAX: usize = 8 * 40;
const CALLS: usize = 8;

/// An API whose answer is `begin`, so many `part`s, and `end`. Returns the URL.
fn serve(
    media: &'static str,
    begin: &'static str,
    part: &'static str,
    count: usize,
    end: &'static str,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            thread::spawn(move || {
                let lines = BufReader::new(connection.try_clone().unwrap()).lines();
                lines
                    .map_while(Result::ok)
                    .take_while(|line| !line.is_empty())
                    .for_each(drop);
                let length = begin.len() + part.len() * count + end.len();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{begin}"
                );
                let piece = part.repeat(4096);
                let pieces = (0..count / 4096).map(|_| piece.as_bytes());
                let rest = part.repeat(count % 4096);
                // The client may end the connection.
                let _ = std::iter::once(head.as_bytes())
                    .chain(pieces)
                    .chain([rest.as_bytes(), end.as_bytes()])
                    .try_for_each(|bytes| connection.write_all(bytes));
            });
        }
    });
    format!("http://127.0.0.1:{port}")
}

/// A gateway in front of this API.
struct RunningGateway {
    _directory: TempDir,
    process: Child,
    answers: BufReader<ChildStdout>,
    requests: usize,
}

impl RunningGateway {
    fn start(url: &str) -> Self {
        let directory = TempDir::new().unwrap();
        let document = json!({ "openapi": "3.1.0", "paths": { "/x": { "get": { "operationId": "x", "responses": {} } } } });
        fs::write(directory.path().join("api.json"), document.to_string()).unwrap();
        let servers = json!({ "mcpServers": { "a": { "openapi": "api.json", "url": url } } });
        fs::write(directory.path().join("servers.json"), servers.to_string()).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_gateway"))
            .current_dir(directory.path())
            .args([
                "--config",
                "servers.json",
                "--cache",
                "cache",
                "serve",
                "--gate",
                "off",
                "--listing",
                "full",
            ])
            .env("XDG_STATE_HOME", directory.path().join("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut gateway = Self {
            _directory: directory,
            process,
            answers,
            requests: 0,
        };
        let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
        gateway.request("initialize", &client);
        gateway.answers(1);
        let began = Instant::now();
        loop {
            gateway.request("tools/list", &json!({}));
            if gateway.answers(1)[0].contains("a__x") {
                return gateway;
            }
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "the tool is listed"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn request(&mut self, method: &str, params: &Value) {
        self.requests += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params });
        writeln!(self.process.stdin.as_mut().unwrap(), "{request}").unwrap();
    }

    /// The next responses, as lines.
    fn answers(&mut self, count: usize) -> Vec<String> {
        let mut answers = Vec::new();
        while answers.len() < count {
            let mut line = String::new();
            self.answers.read_line(&mut line).unwrap();
            assert!(!line.is_empty(), "the gateway has ended");
            let is_response = !line.get(..200).unwrap_or(&line).contains(r#""method":"#);
            answers.extend(is_response.then_some(line));
        }
        answers
    }

    /// The most memory that the process has had, in MiB.
    fn memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
        kilobytes.parse::<usize>().unwrap() / 1024
    }
}

impl Drop for RunningGateway {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Calls that are made at once share the memory for large answers.
#[test]
fn many_large_answers_at_once_take_no_more_memory_than_the_bound() {
    for (media, begin, part, count, end) in [
        ("text/plain", "", "x", 30_000_000, ""),
        ("application/json", r#"{"a":""#, "x", 15_000_000, r#""}"#),
        ("application/json", "[", r#"{"":0},"#, 140_000, "0]"),
        // Too many values, so it is a text.
        ("application/json", "[", "0,", 5_000_000, "0]"),
        ("image/png", "", "\0", 20_000_000, ""),
    ] {
        let mut gateway = RunningGateway::start(&serve(media, begin, part, count, end));
        for _ in 0..CALLS {
            gateway.request("tools/call", &json!({ "name": "a__x", "arguments": {} }));
        }
        for _ in 0..CALLS {
            let answer = gateway.answers(1).remove(0);
            assert!(
                answer.len() > part.len() * count,
                "{media} {part:?}: {answer:.300}"
            );
        }
        let memory = gateway.memory();
        assert!(memory < MEMORY_MAX, "{media} {part:?}: {memory} MiB");
    }
}
