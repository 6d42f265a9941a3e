//! `serve --http`: addresses, what is printed, both transports at once.

use crate::run;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Lines, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// A server as a process that ends with the test.
pub(super) struct Server {
    pub(super) process: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    stderr: Lines<BufReader<ChildStderr>>,
}

impl Server {
    pub(super) fn start(flags: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
        command.arg("serve").args(flags).env_remove("RUST_LOG");
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take().unwrap());
        let stderr = BufReader::new(process.stderr.take().unwrap()).lines();
        Self {
            process,
            stdin,
            stdout: BufReader::new(stdout).lines(),
            stderr,
        }
    }

    /// The next line of standard error that is not of the log.
    pub(super) fn printed(&mut self) -> String {
        self.stderr
            .by_ref()
            .map(Result::unwrap)
            .find(|line| !line.contains(" INFO "))
            .unwrap()
    }

    /// Sends a message over standard input, and returns the answer if there is one.
    fn ask(&mut self, message: &Value) -> Option<Value> {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
        message
            .get("id")
            .map(|_| serde_json::from_str(&self.stdout.next().unwrap().unwrap()).unwrap())
    }

    #[cfg(unix)]
    pub(super) fn terminate(&mut self) -> Option<i32> {
        let id = nix::unistd::Pid::from_raw(self.process.id().try_into().unwrap());
        nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGTERM).unwrap();
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status.code();
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// All of the answer to a request at a URL. Its head is the method, and a header on each further line.
pub(super) fn fetch(url: &str, head: &str, body: &str) -> String {
    let (address, path) = url
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    let mut lines = head.lines();
    let method = lines.next().unwrap();
    let mut headers: String = lines.map(|line| format!("{line}\r\n")).collect();
    if !headers.contains("host: ") {
        headers += &format!("host: {address}\r\n");
    }
    let request = format!(
        "{method} /{path} HTTP/1.1\r\n{headers}connection: close\r\ncontent-length: {}\r\n\
         content-type: application/json\r\naccept: application/json, text/event-stream\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

pub(super) fn initialize() -> Value {
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client })
}

fn opens_session(url: &str) -> bool {
    let answer = fetch(url, "POST", &initialize().to_string());
    answer.starts_with("HTTP/1.1 200") && answer.contains("mcp-session-id")
}

#[test]
fn an_address_is_taken_as_people_write_it_and_its_url_answers() {
    for (address, host) in [
        ("0", "127.0.0.1"),
        (":0", "127.0.0.1"),
        ("localhost:0", "127.0.0.1"),
        ("127.0.0.1:0", "127.0.0.1"),
        ("0.0.0.0:0", "127.0.0.1"),
        ("127.0.0.2:0", "127.0.0.2"),
    ] {
        let mut server = Server::start(&["--http", address]);
        let url = server.printed();
        assert!(
            url.starts_with(&format!("http://{host}:")) && url.ends_with("/mcp"),
            "{address}: {url}"
        );
        assert!(opens_session(&url), "{address}: {url}");
        assert!(
            fetch(&url.replace("/mcp", "/health"), "GET", "").ends_with("{\"status\":\"ok\"}"),
            "{url}"
        );
    }
    // Where the system has IPv6.
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        let mut server = Server::start(&["--http", "[::]:0"]);
        let url = server.printed();
        assert!(
            url.starts_with("http://[::1]:") && opens_session(&url),
            "{url}"
        );
    }
}

#[test]
fn a_server_that_others_can_reach_names_the_hosts_that_are_allowed() {
    let mut server = Server::start(&["--http", "0.0.0.0:0", "--allow-host", "mcp.example.com"]);
    let (url, hosts) = (server.printed(), server.printed());
    let expected = "requests may name the hosts localhost, 127.0.0.1, [::1], mcp.example.com; allow others with --allow-host";
    assert!(hosts.contains(expected), "{hosts}");
    let allowed = fetch(
        &url,
        "POST\nhost: mcp.example.com",
        &initialize().to_string(),
    );
    assert!(allowed.starts_with("HTTP/1.1 200"), "{allowed}");
    let refused = fetch(&url, "POST\nhost: evil.example", &initialize().to_string());
    assert!(
        refused.starts_with("HTTP/1.1 403") && refused.contains("--allow-host evil.example"),
        "{refused}"
    );
}

#[test]
fn what_cannot_be_served_is_answered_with_what_to_write() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    for (flags, code, advice) in [
        (
            &["--http", "127.0.0.1"][..],
            2,
            "`127.0.0.1` has no port; write e.g. `127.0.0.1:8000`",
        ),
        (
            &["--http", "http://127.0.0.1:8000/mcp"],
            2,
            "without a scheme and a path, e.g. `127.0.0.1:8000`",
        ),
        (
            &["--http", &taken],
            1,
            "choose another port (0 takes a free one)",
        ),
        (
            &["--metrics", &taken],
            1,
            "choose another port (0 takes a free one)",
        ),
        (
            &["--data", &taken],
            1,
            "choose another port (0 takes a free one)",
        ),
        (
            &["--http", "192.0.2.1:0"],
            1,
            "use 127.0.0.1 to serve this machine alone",
        ),
        (
            &["--http", "no-such-host.invalid:80"],
            1,
            "write an IP address instead of the name",
        ),
        (
            &["--http", "0", "--allow-host", "*"],
            1,
            "`*` is not a valid host to allow; write a full name",
        ),
        (
            &["--http", "0", "--allow-host", "https://a.example"],
            1,
            "`https://a.example` is not a valid host to allow",
        ),
        (
            &["--http", "0", "--allow-origin", "*"],
            1,
            "`*` is not a valid origin to allow; write a scheme and a host",
        ),
        (
            &["--http", "0", "--allow-origin", "app.example"],
            1,
            "`app.example` is not a valid origin to allow",
        ),
        (
            &["--allow-origin", "https://app.example"],
            2,
            "--http <ADDR>",
        ),
        (
            &["--port", "8000"],
            2,
            "write `--http 8000`, or `--http 0.0.0.0:8000` for clients on other machines",
        ),
        (&["-p", "8000"], 2, "write `--http 8000`"),
        (
            &["--host", "0.0.0.0", "--port", "8000"],
            2,
            "write the host and the port as one address",
        ),
        (
            &["--http", "0", "--cors"],
            2,
            "e.g. `--allow-origin https://app.example.com`",
        ),
        (
            &["--http", "0", "--trust-proxy", "10.0.0.0/8"],
            2,
            "write the IP address of one proxy",
        ),
        (
            &["--ticket-key-file", "no-such-file"],
            1,
            "make one with `openssl rand -hex 32`",
        ),
    ] {
        let refused = run(Path::new("."), ["serve"].iter().chain(flags));
        assert_eq!(refused.code, Some(code), "{flags:?}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(advice),
            "{flags:?}: {}",
            refused.stderr
        );
    }
}

/// The server serves without Redis, so that an outage ends nothing. It must not do so silently.
#[test]
fn a_redis_server_that_cannot_be_reached_is_reported_at_the_start() {
    let mut server = Server::start(&["--http", "0", "--redis", "redis://127.0.0.1:1/"]);
    // The address, and two warnings: Redis cannot be reached, and there is no key for tickets. The
    // server connects beside its start, so the order differs.
    let printed = [server.printed(), server.printed(), server.printed()].concat();
    assert!(printed.contains("redis cannot be reached"), "{printed}");
    assert!(printed.contains("/mcp"), "{printed}");
}

/// Reads a description over one transport after the other, in sessions of their own.
#[cfg(unix)]
#[test]
fn both_transports_serve_until_a_signal_and_the_end_of_input_ends_one() {
    let mut server = Server::start(&["--stdio", "--http", "0"]);
    let url = server.printed();
    let opened = server.ask(&initialize()).unwrap();
    assert_eq!(opened["result"]["serverInfo"]["name"], "library");
    server.ask(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let read = json!({ "uri": "resource:///tool_descriptions?tools=list" });
    server
        .ask(&json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": read }))
        .unwrap();
    let call = json!({ "name": "list", "arguments": { "limit": 3 } });
    let answer = server
        .ask(&json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call }))
        .unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "3", "{answer}");
    assert!(opens_session(&url));
    drop(server.stdin.take());
    std::thread::sleep(Duration::from_millis(200));
    assert!(opens_session(&url), "HTTP goes on");
    assert_eq!(server.terminate(), Some(0));
    assert!(
        TcpStream::connect(
            url.strip_prefix("http://")
                .unwrap()
                .strip_suffix("/mcp")
                .unwrap()
        )
        .is_err()
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_both_transports() {
    let mut server = Server::start(&["--stdio", "--http", "0"]);
    let url = server.printed();
    server.ask(&initialize()).unwrap();
    assert!(opens_session(&url));
    assert_eq!(server.terminate(), Some(0));
    assert!(server.stdout.next().is_none());
}

#[test]
fn the_page_about_containers_shows_the_file_that_is_there() {
    let (page, file) = (
        include_str!("../../pd-runtime/docs/serving.md"),
        include_str!("../../examples/Dockerfile"),
    );
    assert!(
        page.contains(&format!("```dockerfile\n{file}```")),
        "docs/serving.md differs from examples/Dockerfile"
    );
}
