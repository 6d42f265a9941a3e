//! The page of `report`: its data is what the other commands print, and no text of it is HTML.
//! `tests/interop/report_page.py` opens pages in a browser.

use super::{Ended, end, gateway::Project, run};
use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// Returns the data inside of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn report(folder: &Path, arguments: &[&str]) -> Value {
    let ended = run(folder, ["report", "page.html"].iter().chain(arguments));
    assert!(
        ended.code == Some(0) && ended.stdout.starts_with("ok page.html: 2 tools, "),
        "{ended:?}"
    );
    data(&fs::read_to_string(folder.join("page.html")).unwrap())
}

fn printed(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&run(folder, arguments).stdout).unwrap()
}

#[test]
fn the_page_has_what_other_commands_print() {
    let folder = TempDir::new().unwrap();
    let found = json!({ "event": "found", "time": "2026-07-28T12:00:00Z", "session": 1, "query": "books", "tools": [{ "tool": "list" }] });
    let called = json!({ "event": "called", "time": "2026-07-28T12:00:01Z", "session": 1, "tool": "list", "outcome": "done", "seconds": 0.02 });
    fs::write(
        folder.path().join("audit.jsonl"),
        format!("{found}\n{called}\n"),
    )
    .unwrap();
    run(folder.path(), ["check", "--lock", "tools.lock"]);
    let lock = fs::read_to_string(folder.path().join("tools.lock")).unwrap();
    fs::write(folder.path().join("tools.lock"), lock.replace("500", "900")).unwrap();
    let shown = report(
        folder.path(),
        &[
            "--tool",
            "list",
            "--audit",
            "audit.jsonl",
            "--lock",
            "tools.lock",
        ],
    );
    assert_eq!(
        shown["tokens"],
        printed(folder.path(), &["tokens", "--json"])
    );
    assert_eq!(
        shown["audit"],
        printed(folder.path(), &["audit", "--json", "audit.jsonl"])
    );
    let check = printed(folder.path(), &["check", "--json", "--lock", "tools.lock"]);
    assert_eq!(shown["contracts"], check["contracts"]);
    assert_eq!(shown["contracts"]["breaking"], 1, "{check}");
    for part in ["remarks", "requests", "registry"] {
        assert_eq!(shown["check"][part], check[part]);
    }
    let tour = printed(folder.path(), &["tour", "--json", "--tool", "list"]);
    let tokens = |tour: &Value| {
        tour["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| step["tokens"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(tokens(&shown["tour"]), tokens(&tour));
    assert_eq!(
        shown["tools"][1]["found_by"],
        json!(["when does Xanadu open"])
    );
}

#[cfg(unix)]
#[test]
fn a_page_with_an_audit_log_is_as_private_as_the_log() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let (page, log) = (
        folder.path().join("page.html"),
        folder.path().join("audit.jsonl"),
    );
    let readers = || fs::metadata(&page).unwrap().permissions().mode() & 0o077;
    fs::write(&log, "").unwrap();
    report(folder.path(), &["--audit", "audit.jsonl"]);
    assert_eq!(readers(), 0);
    fs::remove_file(&page).unwrap();
    report(folder.path(), &[]);
    assert_eq!(
        readers(),
        fs::metadata(&log).unwrap().permissions().mode() & 0o077
    );
    let piped = run(folder.path(), ["report", "/dev/stdout"]);
    assert!(
        piped.code == Some(0) && piped.stdout.starts_with("<!doctype html>"),
        "{}",
        piped.stderr
    );
}

/// Counts the tokens of the list that a client receives.
fn listed_tokens(listing: &str) -> usize {
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ];
    let mut server = Command::new(env!("CARGO_BIN_EXE_library"));
    server
        .args(["serve", "--listing", listing])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut server = server.spawn().unwrap();
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
    let answers = String::from_utf8(server.wait_with_output().unwrap().stdout).unwrap();
    let answer: Value = serde_json::from_str(answers.lines().last().unwrap()).unwrap();
    let mut tools = answer["result"]["tools"].clone();
    // Hosts do not show these members to models.
    tools.as_array_mut().unwrap().iter_mut().for_each(|tool| {
        tool.as_object_mut()
            .unwrap()
            .retain(|key, _| key != "_meta" && key != "icons");
    });
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(&json!({ "tools": tools }).to_string())
        .len()
}

#[test]
fn listings_cost_what_a_client_receives() {
    let folder = TempDir::new().unwrap();
    let listings = report(folder.path(), &[])["listings"].clone();
    let names: Vec<_> = listings
        .as_array()
        .unwrap()
        .iter()
        .map(|cost| cost["listing"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["full", "outline", "minimal", "grouped", "eager"]);
    for cost in listings.as_array().unwrap() {
        assert_eq!(
            cost["list"],
            listed_tokens(cost["listing"].as_str().unwrap()),
            "{cost}"
        );
    }
    let is_measured = |listing: usize, step: &str| listings[listing][step].as_u64().unwrap() > 0;
    assert!(
        !is_measured(0, "find") && !is_measured(0, "describe"),
        "the full list has all: {listings}"
    );
    assert!(
        !is_measured(1, "find") && !is_measured(1, "describe"),
        "a list in outline is enough: {listings}"
    );
    assert!(
        is_measured(4, "find"),
        "the eager list has no tool: {listings}"
    );
}

fn hostile(folder: &Path, arguments: &[&str]) -> Ended {
    let text = "</script><script>alert(1)</script><img src=x onerror=alert(1)> {{data}} <!--";
    let tool = json!({ "name": "list", "description": text, "inputSchema": { "type": "object", "properties": { text: {} } } });
    let catalog = json!({ "name": text, "version": text, "instructions": text, "tools": [tool] });
    fs::write(folder.join("tools.json"), catalog.to_string()).unwrap();
    let event = json!({ "event": "missed", "by": "query", "text": text });
    fs::write(folder.join("audit.jsonl"), event.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
    end(command
        .current_dir(folder)
        .arg("tools.json")
        .args(arguments))
}

#[test]
fn texts_of_tools_and_callers_are_never_html() {
    let folder = TempDir::new().unwrap();
    let ended = hostile(
        folder.path(),
        &["report", "page.html", "--audit", "audit.jsonl"],
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    for (text, times) in [("<script", 3), ("</script", 3), ("<img", 0), ("<!--", 0)] {
        assert_eq!(page.matches(text).count(), times, "{text}");
    }
    let shown = data(&page);
    assert!(
        shown["tools"][0]["input"]["properties"]
            .to_string()
            .contains("</script><script>alert(1)")
    );
    assert!(
        shown["audit"]["searches"]["fruitless_queries"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("</script>")
    );
}

#[test]
fn what_cannot_be_read_or_written_is_an_error() {
    let folder = TempDir::new().unwrap();
    let fails = |arguments: &[&str], error: &str| {
        let ended = run(folder.path(), ["report"].iter().chain(arguments));
        assert!(
            ended.code == Some(1) && ended.stderr.contains(error),
            "{ended:?}"
        );
    };
    fails(
        &["no/such/page.html"],
        "no/such/page.html cannot be written",
    );
    fails(
        &["page.html", "--audit", "none.jsonl"],
        "none.jsonl cannot be read",
    );
    fails(&["page.html", "--tool", "lists"], "no such tool");
    fs::write(folder.path().join("tools.lock"), "{").unwrap();
    fails(&["page.html", "--lock", "tools.lock"], "tools.lock");
    assert!(
        !folder.path().join("page.html").exists(),
        "a failure leaves no page"
    );
    let missing = report(folder.path(), &["--lock", "none.lock"]);
    assert_eq!(missing["contracts"]["state"], "missing");
    assert!(
        !folder.path().join("none.lock").exists(),
        "`report` writes no lock"
    );
}

#[test]
fn the_report_of_a_gateway_calls_a_tool_only_if_it_is_named() {
    let project = Project::new();
    let tools = json!({ "echo": { "annotations": { "readOnlyHint": true } } });
    fs::write(project.0.path().join("log.tools"), tools.to_string()).unwrap();
    let steps = |arguments: &[&str]| {
        let ended = project.run(&[&["report", "page.html"], arguments].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let shown = data(&fs::read_to_string(project.0.path().join("page.html")).unwrap());
        let steps = shown["tour"]["steps"].as_array().unwrap().clone();
        steps
            .iter()
            .map(|step| step["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(steps(&[]), ["list", "search", "describe"]);
    assert_eq!(
        steps(&["--tool", "git__echo"]),
        ["list", "search", "describe", "call"]
    );
}
