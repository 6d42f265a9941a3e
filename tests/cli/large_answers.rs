//! `pd-gateway` in front of servers that answer with a lot: the memory of the process, and its log.

use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

const MIB: usize = 1 << 20;
/// The largest message that is admitted is 40 MiB: a result of 32 MiB, and room for escapes.
const MEMORY_MAX: usize = 8 * 40;
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/raw_upstream.py");

/// A gateway in front of two scripts, on pipes.
struct RunningGateway {
    directory: TempDir,
    process: Child,
    answers: BufReader<ChildStdout>,
    scripts: Vec<Child>,
    calls: usize,
}

impl RunningGateway {
    fn spawn(transport: &str, flags: &[&str]) -> Self {
        let directory = TempDir::new().unwrap();
        let mut scripts = Vec::new();
        let servers: serde_json::Map<_, _> = ["a", "b"]
            .into_iter()
            .map(|name| {
                let log = directory.path().join(name);
                if transport == "stdio" {
                    return (
                        name.to_owned(),
                        json!({ "command": "python3", "args": [SCRIPT, transport, log] }),
                    );
                }
                let mut script = Command::new("python3");
                let mut script = script
                    .arg(SCRIPT)
                    .arg(transport)
                    .arg(log)
                    .stdout(Stdio::piped())
                    .spawn()
                    .unwrap();
                let mut port = String::new();
                BufReader::new(script.stdout.as_mut().unwrap())
                    .read_line(&mut port)
                    .unwrap();
                scripts.push(script);
                (
                    name.to_owned(),
                    json!({ "url": format!("http://127.0.0.1:{}/mcp", port.trim()) }),
                )
            })
            .collect();
        let config = directory.path().join("servers.json");
        fs::write(&config, json!({ "mcpServers": servers }).to_string()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
        command.current_dir(directory.path()).args([
            "--config",
            "servers.json",
            "--cache",
            "cache",
            "serve",
        ]);
        command
            .args(["--gate", "off", "--listing", "full"])
            .args(flags);
        command.env("XDG_STATE_HOME", directory.path().join("state"));
        let log = fs::File::create(directory.path().join("stderr")).unwrap();
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self {
            directory,
            process,
            answers,
            scripts,
            calls: 0,
        }
    }

    fn start(transport: &str) -> Self {
        let mut gateway = Self::spawn(transport, &[]);
        let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
        gateway
            .send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client }));
        gateway.answer();
        gateway.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let began = Instant::now();
        while !["a__raw", "b__raw"]
            .iter()
            .all(|tool| gateway.list().contains(tool))
        {
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "the tools are listed"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        gateway
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The next response.
    fn answer(&mut self) -> Value {
        loop {
            let mut line = String::new();
            self.answers.read_line(&mut line).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message.get("method").is_none() {
                return message;
            }
        }
    }

    fn list(&mut self) -> String {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
        self.answer().to_string()
    }

    fn call(&mut self, server: &str, arguments: &Value) {
        let params = json!({ "name": format!("{server}__raw"), "arguments": arguments });
        self.calls += 1;
        let id = format!("call {}", self.calls);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }

    /// The address of a gateway that serves HTTP.
    fn address(&self) -> String {
        let began = Instant::now();
        loop {
            let log = self.log();
            if let Some((address, _)) = log
                .split_once("http://")
                .and_then(|(_, rest)| rest.split_once("/mcp"))
            {
                return address.to_owned();
            }
            assert!(began.elapsed() < Duration::from_secs(30), "it serves");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The most memory that the process has had, in MiB.
    fn memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        line.trim()
            .trim_end_matches(" kB")
            .parse::<usize>()
            .unwrap()
            / 1024
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("stderr")).unwrap()
    }
}

impl Drop for RunningGateway {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        if self.calls == 0 {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
        for script in &mut self.scripts {
            let _ = script.kill();
            let _ = script.wait();
        }
    }
}

/// The arguments of a call that is answered with this result: its beginning, a part many times, and its end.
fn result(transport: &str, begin: &str, part: &str, count: usize, end: &str) -> Value {
    let line = json!([
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{{begin}"#),
        [part, count],
        format!("{end}}}}}")
    ]);
    if transport == "stdio" {
        json!({ "lines": [line] })
    } else {
        json!({ "body": line })
    }
}

#[test]
fn results_up_to_32_mib_pass_and_larger_ones_are_refused() {
    for transport in ["stdio", "http"] {
        let mut gateway = RunningGateway::start(transport);
        let mut answer = |bytes| {
            let text = r#""content":[{"type":"text","text":""#;
            gateway.call("a", &result(transport, text, "x", bytes, r#""}]"#));
            gateway.answer()["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        assert_eq!(answer(31 * MIB).len(), 31 * MIB, "{transport}");
        for bytes in [33 * MIB, 50 * MIB] {
            assert!(answer(bytes).contains("RESPONSE_TOO_LARGE"), "{transport}");
        }
        assert!(gateway.memory() < MEMORY_MAX, "{} MiB", gateway.memory());
    }
}

/// Values take 70 to 90 times the memory of their bytes.
#[test]
fn many_small_values_take_no_more_memory_than_the_bound() {
    let structured = (r#""content":[],"structuredContent":{"a":["#, "0]}");
    for transport in ["stdio", "http"] {
        let mut gateway = RunningGateway::start(transport);
        for (part, (begin, end)) in [
            (r#"{"":0},"#, structured),
            ("0,", structured),
            (r#"{"":0},"#, (r#""content":["#, "0]")),
        ] {
            let arguments = result(transport, begin, part, 30_000_000 / part.len(), end);
            ["a", "b", "a", "b"]
                .iter()
                .for_each(|server| gateway.call(server, &arguments));
            for _ in 0..4 {
                let answer = gateway.answer().to_string();
                assert!(
                    answer.contains("RESPONSE_TOO_LARGE"),
                    "{transport}: {answer:.300}"
                );
            }
        }
        // Those that are admitted take no more, also several at once.
        let dense = result(transport, structured.0, r#"{"":0},"#, 200_000, structured.1);
        let image = result(
            transport,
            r#""content":[{"type":"image","mimeType":"a/b","data":""#,
            "x",
            30_000_000,
            r#""}]"#,
        );
        let unknown_key = result(
            transport,
            r#""content":[{"type":"text","new":1,"text":""#,
            "x",
            30_000_000,
            r#""}]"#,
        );
        for arguments in [dense, image, unknown_key] {
            ["a", "b"]
                .iter()
                .for_each(|server| gateway.call(server, &arguments));
            for _ in 0..2 {
                let answer = gateway.answer();
                assert_ne!(
                    answer["result"]["isError"],
                    true,
                    "{transport}: {:.300}",
                    answer.to_string()
                );
            }
        }
        assert!(
            gateway.memory() < MEMORY_MAX,
            "{transport}: {} MiB",
            gateway.memory()
        );
    }
}

/// Sends a request of 2026-07-28, and returns the answer. The client reads nothing for a while.
fn post(address: &str, method: &str, name: &str, arguments: &Value, pause: Duration) -> String {
    let mut stream = begin_post(address, method, name, arguments);
    std::thread::sleep(pause);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn begin_post(address: &str, method: &str, name: &str, arguments: &Value) -> TcpStream {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "cli", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": name, "arguments": arguments, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\naccept: \
         application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\nmcp-name: \
         {name}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(format!("{head}{body}").as_bytes())
        .unwrap();
    stream
}

#[test]
fn answers_that_http_clients_read_late_take_no_more_memory_than_the_bound() {
    let gateway = RunningGateway::spawn("http", &["--http", "127.0.0.1:0"]);
    let address = gateway.address();
    let is_listed =
        |tool| post(&address, "tools/list", "", &json!({}), Duration::ZERO).contains(tool);
    let began = Instant::now();
    while !["a__raw", "b__raw"].into_iter().all(is_listed) {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "the tools are listed"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let image = r#""content":[{"type":"image","mimeType":"a/b","data":""#;
    let unknown_key = r#""content":[{"type":"text","new":1,"text":""#;
    for begin in [image, unknown_key] {
        let arguments = result("http", begin, "x", 30_000_000, r#""}]"#);
        std::thread::scope(|scope| {
            let call = |tool| {
                let (address, arguments) = (&address, &arguments);
                scope.spawn(move || {
                    post(
                        address,
                        "tools/call",
                        tool,
                        arguments,
                        Duration::from_millis(300),
                    )
                    .len()
                })
            };
            let calls = ["a__raw", "b__raw", "a__raw", "b__raw"].map(call);
            assert!(
                calls
                    .into_iter()
                    .all(|call| call.join().unwrap() > 30_000_000)
            );
        });
    }
    assert!(gateway.memory() < MEMORY_MAX, "{} MiB", gateway.memory());
}

#[test]
fn small_answers_do_not_wait_for_clients_that_read_large_ones_slowly() {
    let gateway = RunningGateway::spawn("stdio", &["--http", "127.0.0.1:0"]);
    let address = gateway.address();
    let began = Instant::now();
    while !post(&address, "tools/list", "", &json!({}), Duration::ZERO).contains("a__raw") {
        assert!(began.elapsed() < Duration::from_secs(30), "it is listed");
        std::thread::sleep(Duration::from_millis(50));
    }
    let text = r#""content":[{"type":"text","text":""#;
    let large = result("stdio", text, "x", 20_000_000, r#""}]"#);
    // Each reads nothing, and is not closed before the end of the test.
    let slow: Vec<_> = (0..4)
        .map(|_| begin_post(&address, "tools/call", "a__raw", &large))
        .collect();
    // Until the first of them has an answer that it does not read.
    slow[0].peek(&mut [0]).unwrap();
    let began = Instant::now();
    let small = post(&address, "tools/call", "a__raw", &json!({}), Duration::ZERO);
    assert!(small.contains("ok"), "{small}");
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn messages_that_cannot_be_answered_are_counted_and_not_logged() {
    let mut gateway = RunningGateway::start("stdio");
    let ok = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#;
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":1}"#,
        "{ garbage",
        "[]",
        "7",
    ] {
        // The script reads no answer meanwhile, so the queue to it is full.
        gateway.call(
            "a",
            &json!({ "lines": [[[format!("{line}\n"), 100_000], "7"], ok] }),
        );
        gateway.answer();
    }
    // A count is written with the first line after a second, and a fast machine is done before that.
    let began = Instant::now();
    while !gateway.log().contains("left_out=") {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "{}",
            gateway.log()
        );
        std::thread::sleep(Duration::from_millis(100));
        gateway.call("a", &json!({ "lines": [["{ garbage"], ok] }));
        gateway.answer();
    }
    let log = gateway.log();
    assert!(log.len() < 20_000, "{} bytes: {log:.2000}", log.len());
}
