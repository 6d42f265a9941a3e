//! What a server says of itself, and how little it logs.

use crate::run;
use serde_json::{Value, json};
use std::{
    io::Write,
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
    messages.iter().map(|message| format!("{message}\n")).collect()
}

fn served(client: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command.arg("serve").env_remove("RUST_LOG").env_remove("NO_COLOR").envs(variables.iter().copied());
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    server.stdin.take().unwrap().write_all(session(client).as_bytes()).unwrap();
    server.wait_with_output().unwrap()
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
    let is_logged = |text: &str| log.lines().any(|line| line.contains(" DEBUG ") && line.contains(text));
    assert!(is_logged("pd_runtime::audit: described tool=\"list\""), "{log}");
    assert!(is_logged("pd_runtime::audit: refused tool=\"hours\""), "{log}");
    assert!(!log.contains('\u{1b}'), "{log}");
    let wrong = String::from_utf8(served("cli", &[("RUST_LOG", "pd_runtime=loud")]).stderr).unwrap();
    assert!(wrong.starts_with("RUST_LOG is not valid, so the default applies: "), "{wrong}");
}

/// The refusal of the call of `hours`: its advice, and all its texts.
fn refusal(client: &str) -> (Option<String>, String) {
    let output = String::from_utf8(served(client, &[]).stdout).unwrap();
    let answers = output.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let refused = answers.into_iter().find(|answer| answer["id"] == 3).unwrap();
    let texts = refused["result"]["content"].as_array().unwrap().iter();
    let texts: Vec<&str> = texts.map(|content| content["text"].as_str().unwrap()).collect();
    let error = serde_json::from_str::<Value>(texts[0]).unwrap();
    (error["error"]["next"].as_str().map(str::to_owned), texts.join("\n"))
}

#[test]
fn a_client_with_a_session_for_each_request_reads_of_the_gate() {
    let ((usual, text), (one_shot, longer)) = (refusal("cli"), refusal("inspector-cli"));
    assert_eq!(usual, None, "the call to send follows");
    assert!(text.ends_with("Now send:\n{\"name\": \"hours\", \"arguments\": {}}"), "{text}");
    assert!(one_shot.is_some_and(|next| next.contains("start the server with `--gate off`")), "{longer}");
    assert!(!longer.contains("Now send"), "{longer}");
    let tokens = tiktoken_rs::o200k_base().unwrap();
    let count = |text: &str| tokens.encode_with_special_tokens(text).len();
    let more = count(&longer) - count(&text);
    assert!(more <= 16, "{more} tokens more, for that client alone");
}

#[test]
fn a_server_says_its_name_its_version_and_its_defaults() {
    let help = run(Path::new("."), ["--help"]);
    let name = format!("library {}, an MCP server with progressive disclosure", env!("CARGO_PKG_VERSION"));
    assert!(help.stdout.starts_with(&name) && help.stdout.contains("Usage: library "), "{}", help.stdout);
    let version = run(Path::new("."), ["--version"]);
    assert_eq!((version.code, version.stdout), (Some(0), format!("library {}\n", env!("CARGO_PKG_VERSION"))));
    let serve = run(Path::new("."), ["serve", "--help"]).stdout;
    for told in ["RUST_LOG", "NO_COLOR", "`minimal` unless", "`enforce` unless", "Inspector's command line, need `off`"]
    {
        assert!(serve.contains(told), "{told}: {serve}");
    }
    assert!(serve.contains("Usage: library serve"), "{serve}");
}
