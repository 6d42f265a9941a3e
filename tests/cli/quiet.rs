//! What a server says of itself, and how little it logs.

use crate::run;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Command, Output, Stdio},
};

/// A session over standard input: initialize, list, a refused call, a description, a call, an unknown name.
fn session(client: &str) -> String {
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": client, "version": "0" } });
    let uri = "resource:///tool_descriptions?tools=list";
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "hours", "arguments": {} } }),
        json!({ "jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": { "uri": uri } }),
        json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": { "name": "list", "arguments": { "limit": 3 } } }),
        json!({ "jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": { "name": "list", "arguments": { "limit": "x" } } }),
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "nothing", "arguments": {} } }),
    ];
    messages
        .iter()
        .map(|message| format!("{message}\n"))
        .collect()
}

fn served(client: &str, variables: &[(&str, &str)]) -> Output {
    served_with(client, &["--no-state"], variables)
}

/// Sends each message after the answer to the one before, as clients do.
fn served_with(client: &str, flags: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .args(["serve", "--listing", "minimal"])
        .args(flags)
        .env_remove("RUST_LOG")
        .env_remove("NO_COLOR");
    command
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let (mut input, mut output) = (
        server.stdin.take().unwrap(),
        BufReader::new(server.stdout.take().unwrap()),
    );
    let mut answers = String::new();
    for message in session(client).lines() {
        writeln!(input, "{message}").unwrap();
        if message.contains("\"id\":") {
            output.read_line(&mut answers).unwrap();
        }
    }
    drop(input);
    output.read_to_string(&mut answers).unwrap();
    Output {
        stdout: answers.into_bytes(),
        ..server.wait_with_output().unwrap()
    }
}

#[test]
fn a_whole_session_on_standard_input_logs_nothing() {
    let ended = served("cli", &[]);
    assert!(ended.status.success());
    assert_eq!(String::from_utf8(ended.stdout).unwrap().lines().count(), 7);
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
}

#[test]
fn descriptions_and_refusals_are_logged_for_those_who_ask_and_without_colors() {
    let log = String::from_utf8(served("cli", &[("RUST_LOG", "pd_runtime=debug")]).stderr).unwrap();
    let is_logged = |text: &str| {
        log.lines()
            .any(|line| line.contains(" DEBUG ") && line.contains(text))
    };
    assert!(
        is_logged("pd_runtime::audit: described tool=\"list\""),
        "{log}"
    );
    assert!(
        is_logged("pd_runtime::audit: refused tool=\"hours\""),
        "{log}"
    );
    assert!(!log.contains('\u{1b}'), "{log}");
    let wrong =
        String::from_utf8(served("cli", &[("RUST_LOG", "pd_runtime=loud")]).stderr).unwrap();
    assert!(
        wrong.starts_with("RUST_LOG is not valid, so the default applies: "),
        "{wrong}"
    );
}

#[test]
fn a_client_with_a_process_for_each_batch_of_calls_is_refused_once() {
    let home = tempfile::tempdir().unwrap();
    let state = [("XDG_STATE_HOME", home.path().to_str().unwrap())];
    let text = |client: &str, flags: &[&str]| {
        let output = String::from_utf8(served_with(client, flags, &state).stdout).unwrap();
        let mut answers = output
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        answers.find(|answer| answer["id"] == 3).unwrap()["result"].to_string()
    };
    let is_refused =
        |client: &str, flags: &[&str]| text(client, flags).contains("TOOL_DESCRIPTION_REQUIRED");
    assert!(is_refused("inspector-cli", &[]), "it has listed");
    assert!(is_refused("other", &[]), "another client");
    assert!(!is_refused("inspector-cli", &[]), "the same call again");
    for flags in [&["--no-state"][..], &["--session-per-call", "refuse"]] {
        assert!(is_refused("inspector-cli", flags), "{flags:?}");
    }
    let files: Vec<_> = std::fs::read_dir(home.path().join("pd-runtime"))
        .unwrap()
        .map(|file| file.unwrap())
        .collect();
    assert_eq!(files.len(), 2, "{files:?}");
}

#[test]
fn a_server_says_its_name_its_version_and_its_defaults() {
    let help = run(Path::new("."), ["--help"]);
    let name = format!(
        "library {}, an MCP server with progressive disclosure",
        env!("CARGO_PKG_VERSION")
    );
    assert!(
        help.stdout.starts_with(&name) && help.stdout.contains("Usage: library "),
        "{}",
        help.stdout
    );
    let version = run(Path::new("."), ["--version"]);
    assert_eq!(
        (version.code, version.stdout),
        (Some(0), format!("library {}\n", env!("CARGO_PKG_VERSION")))
    );
    let serve = run(Path::new("."), ["serve", "--help"]).stdout;
    for told in ["RUST_LOG", "NO_COLOR", "`enforce` unless", "`admit` unless"] {
        assert!(serve.contains(told), "{told}: {serve}");
    }
    assert!(serve.contains("Usage: library serve"), "{serve}");
}
