//! `serve`: what its flags set, seen by a client on standard input and output.

use crate::run;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
};

/// The answer to a request under these flags.
fn answered(flags: &[&str], method: &str, params: &Value) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    // Other runs of the tests must not have a part in this one.
    command.args(["serve", "--no-state"]).args(flags);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params }),
    ];
    let lines: String = messages
        .iter()
        .map(|message| format!("{message}\n"))
        .collect();
    server
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let ended = server.wait_with_output().unwrap();
    let answers = String::from_utf8(ended.stdout).unwrap();
    let answers = answers
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    answers
        .into_iter()
        .find(|answer| answer["id"] == 2)
        .unwrap()
}

/// The tools that the server lists under these flags.
fn listed(flags: &[&str]) -> Vec<String> {
    let list = answered(flags, "tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// What the server answers to these requests of 2026-07-28 on one connection, each with its metadata.
fn answers_inline(flags: &[&str], requests: &[(&str, Value)]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .args(["serve", "--no-state", "--listing", "minimal"])
        .args(flags);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let (mut stdin, stdout) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let mut lines = BufReader::new(stdout).lines();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "cli", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut answer = |(method, params): &(&str, Value)| {
        let mut params = params.clone();
        params["_meta"] = meta.clone();
        writeln!(
            stdin,
            "{}",
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
        )
        .unwrap();
        serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap()["result"].take()
    };
    let answers = requests.iter().map(&mut answer).collect();
    drop(stdin);
    assert!(server.wait().unwrap().success());
    answers
}

#[test]
fn a_remembered_connection_calls_what_it_has_read() {
    let requests = [
        (
            "resources/read",
            json!({ "uri": "resource:///tool_descriptions?tools=list" }),
        ),
        (
            "tools/call",
            json!({ "name": "list", "arguments": { "limit": 3 } }),
        ),
        ("tools/call", json!({ "name": "hours", "arguments": {} })),
    ];
    let failed = |flags: &[&str]| {
        answers_inline(flags, &requests)
            .iter()
            .map(|it| it["isError"] == true)
            .collect()
    };
    let remembered: Vec<bool> = failed(&["--remember-connection"]);
    assert_eq!(
        remembered,
        [false, false, true],
        "what was read runs, and nothing else"
    );
    let not_remembered: Vec<bool> = failed(&[]);
    assert_eq!(
        not_remembered,
        [false, true, true],
        "a call needs a ticket unless the flag is set"
    );
}

#[test]
fn no_connection_is_remembered_over_http() {
    let refused = run(
        std::path::Path::new("."),
        ["serve", "--remember-connection", "--http", "127.0.0.1:0"],
    );
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let text = "'--remember-connection' cannot be used with '--http <ADDR>'";
    assert!(refused.stderr.contains(text), "{}", refused.stderr);
}

#[test]
fn a_preset_sets_the_list_and_its_meta_tools() {
    assert_eq!(listed(&[]), ["list", "hours", "describe_tools"]);
    assert_eq!(listed(&["--preset", "two-stage"]), ["list", "hours"]);
    assert_eq!(
        listed(&["--preset", "tree"]),
        ["list_tools", "describe_tool", "call_tool"]
    );
    assert_eq!(
        listed(&["--preset", "lazy-mcp"]),
        ["get_tools_in_category", "execute_tool"]
    );
    assert_eq!(
        listed(&["--preset", "gram"]),
        ["search_tools", "describe_tools", "execute_tool"]
    );
    assert_eq!(listed(&["--preset", "strata"])[3], "execute_action");
}

#[test]
fn a_flag_beside_a_preset_wins() {
    let expected = ["list", "search_tools", "describe_tools", "execute_tool"];
    assert_eq!(
        listed(&["--preset", "gram", "--listing", "grouped"]),
        expected
    );
    let all = ["find_tools", "describe_tools", "call_read_only_tool"];
    assert_eq!(listed(&["--listing", "eager"]), all, "no tool of it writes");
}

/// Section 6.2 of the specification, for the tool `hours`.
const REFUSAL: &str = r#"{
  "error": {
    "code": "TOOL_DESCRIPTION_REQUIRED",
    "message": "Tool 'hours' requires fetching its description before use.",
    "resource_uri": "resource:///tool_descriptions?tools=hours"
  }
}"#;

#[test]
fn a_refusal_carries_what_the_flag_names() {
    let refused = |flags: &[&str]| {
        // A session that begins with a call is admitted otherwise.
        let flags = [&["--session-per-call", "refuse"], flags].concat();
        let answer = answered(
            &flags,
            "tools/call",
            &json!({ "name": "hours", "arguments": {} }),
        );
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        text.split("\n\n").map(str::to_owned).collect::<Vec<_>>()
    };
    let literal = serde_json::from_str::<Value>(REFUSAL).unwrap().to_string();
    for listing in ["minimal", "grouped", "eager", "reveal"] {
        assert_eq!(
            refused(&["--refusal", "bare", "--listing", listing]),
            [literal.as_str()],
            "{listing}"
        );
        let described = refused(&["--refusal", "with-description", "--listing", listing]);
        assert!(
            described.len() == 2 && described[0].contains("\"tool_description\":{"),
            "{described:?}"
        );
        assert!(described[1].starts_with("Now send:\n"), "{described:?}");
        let signed = refused(&["--refusal", "with-signature", "--listing", listing]);
        assert!(
            signed.len() == 3 && signed[1].contains("hours("),
            "{signed:?}"
        );
        assert_eq!(signed[2], described[1]);
    }
    let minimal = ["--listing", "minimal"];
    assert_eq!(
        refused(&minimal),
        refused(&[&minimal[..], &["--refusal", "with-description"]].concat())
    );
    assert_eq!(
        refused(&["--listing", "grouped"]),
        refused(&["--listing", "grouped", "--refusal", "with-signature"])
    );
}

#[test]
fn a_search_model_needs_its_feature() {
    let refused = run(
        std::path::Path::new("."),
        ["serve", "--search-model", "no-such-directory"],
    );
    assert_eq!(refused.code, Some(1));
    // The package's tests are built with the feature where search by meaning is tested.
    let is_told = refused.stderr.contains("pd-runtime's feature `semantic`")
        || refused
            .stderr
            .contains("no-such-directory/config.json cannot be read");
    assert!(is_told, "{}", refused.stderr);
}

#[test]
fn rows_are_fetched_from_origins_alone() {
    for flag in ["--fetch-from", "--fetch-from-private"] {
        let refused = run(
            std::path::Path::new("."),
            ["serve", flag, "https://data.example.com/rows"],
        );
        assert_eq!(refused.code, Some(1), "{}", refused.stderr);
        let text = "`https://data.example.com/rows` is not a valid origin; write a scheme, a host and at most a port";
        assert!(refused.stderr.contains(text), "{}", refused.stderr);
    }
    assert_eq!(
        listed(&[
            "--fetch-from",
            "https://a.example",
            "--fetch-from-private",
            "http://[::1]:9"
        ])[0],
        "list"
    );
}

#[test]
fn limits_that_mean_nothing_are_refused() {
    for (flags, text) in [
        (
            ["--call-timeout", "30"],
            "write a whole number of `ms`, `s` or `m`, as in `30s`",
        ),
        (
            ["--call-timeout", "0s"],
            "this allows nothing; write at least `1ms`, or leave the flag out",
        ),
        (["--max-calls-per-minute", "60"], "--http <ADDR>"),
    ] {
        let refused = run(std::path::Path::new("."), ["serve"].iter().chain(&flags));
        assert_eq!(refused.code, Some(2), "{flags:?}");
        assert!(refused.stderr.contains(text), "{}", refused.stderr);
    }
    assert_eq!(
        listed(&["--call-timeout", "30s"]),
        ["list", "hours", "describe_tools"]
    );
}

#[test]
fn tokens_need_an_issuer_an_audience_and_keys_that_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("empty.json"), "{\"keys\": []}").unwrap();
    let serve = |flags: &[&str]| {
        let fixed = [
            "serve",
            "--http",
            "127.0.0.1:0",
            "--jwt-issuer",
            "https://id.example",
        ];
        crate::run(directory.path(), fixed.iter().chain(flags))
    };
    assert!(serve(&[]).stderr.contains("--jwt-audience <URL>"));
    let with = |keys| {
        serve(&[
            "--jwt-audience",
            "https://a.example/mcp",
            "--jwt-keys",
            keys,
        ])
    };
    let (absent, empty) = (with("absent.pem"), with("empty.json"));
    assert_eq!((absent.code, empty.code), (Some(1), Some(1)));
    assert!(
        absent.stderr.starts_with("error: absent.pem: No such file"),
        "{}",
        absent.stderr
    );
    assert!(
        empty
            .stderr
            .starts_with("error: empty.json: no key in the JWK Set"),
        "{}",
        empty.stderr
    );
}

#[test]
fn a_server_on_standard_input_lets_others_fetch_rows_beside_it() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .args(["serve", "--data", "127.0.0.1:0"])
        .env("RUST_LOG", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let base = BufReader::new(server.stderr.take().unwrap())
        .lines()
        .next()
        .unwrap()
        .unwrap();
    let mut client = TcpStream::connect(base.strip_prefix("http://").unwrap()).unwrap();
    client
        .write_all(b"GET /s2sp/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with(r#"{"status":"ok"}"#),
        "{answer}"
    );
    // It ends with its client, though somebody could still fetch.
    drop(server.stdin.take());
    assert!(server.wait().unwrap().success());
}

#[test]
fn a_data_plane_is_where_others_can_find_it() {
    for (flags, text) in [
        (
            &["--data", "127.0.0.1:0", "--http", "127.0.0.1:0"][..],
            "cannot be used with '--http <ADDR>'",
        ),
        (
            &["--data-url", "data.example.com"],
            "write what URLs begin with, as in https://data.example.com",
        ),
        (
            &["--data-url", "https://me:secret@a.example"],
            "write what URLs begin with",
        ),
    ] {
        let refused = run(std::path::Path::new("."), ["serve"].iter().chain(flags));
        assert_eq!(refused.code, Some(2), "{flags:?}");
        assert!(refused.stderr.contains(text), "{}", refused.stderr);
    }
}

#[test]
fn a_tool_is_left_out_by_name() {
    let bare = ["--no-meta-tools"];
    assert_eq!(listed(&bare), ["list", "hours"]);
    assert_eq!(
        listed(&[&bare[..], &["--without", "hours"]].concat()),
        ["list"]
    );
    assert_eq!(
        listed(&[&bare[..], &["--without", "house,fetch-a-book"]].concat()),
        ["list"],
        "a group takes its tool along"
    );
    let refused = run(std::path::Path::new("."), ["serve", "--without", "hour"]);
    assert_eq!(
        refused.code,
        Some(1),
        "a misspelled name must not leave the tool in"
    );
    assert!(
        refused.stderr.contains("cannot leave out `hour`"),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stderr.contains("did you mean `hours`?"),
        "{}",
        refused.stderr
    );
}
