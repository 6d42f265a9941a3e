//! `--overlay`: of `check`, of `serve`, and of the commands that show what would be served.

use crate::{Ended, run};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdout, Command, Stdio},
};
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("texts")).unwrap();
    files
        .iter()
        .for_each(|(name, text)| fs::write(folder.path().join("texts").join(name), text).unwrap());
    folder
}

fn check(files: &[(&str, &str)], more: &[&str]) -> Ended {
    run(
        folder(files).path(),
        ["check", "--overlay", "texts"].iter().chain(more),
    )
}

#[test]
fn a_sound_overlay_passes_and_its_texts_are_what_is_checked() {
    let ended = check(&[("list.json", r#"{ "summary": "List books" }"#)], &[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(
        ended.stdout.starts_with("ok 2 tools, 1 fitting example ("),
        "{ended:?}"
    );
    assert!(
        !ended.stdout.contains("`list`: its summary"),
        "the compiled summary drew a remark: {ended:?}"
    );
}

#[test]
fn every_mistake_of_an_overlay_is_told() {
    let files = [
        (
            "list.json",
            "{\n  \"examples\": [{ \"input\": { \"limit\": 900 } }],\n  \"titel\": \"List\"\n}",
        ),
        ("hour.json", "{}"),
        (".hidden.json", "[]"),
        (".pd-export.record", "[]"),
    ];
    let ended = check(&files, &[]);
    assert_eq!(ended.code, Some(1));
    // A file with keys that do not exist is not held against its tool before these are mended.
    assert_eq!(
        ended.stderr,
        "error: the overlay texts has 2 mistakes:\n\
         texts/hour.json:1:1: no such tool: `hour`; did you mean `hours`?\n\
         texts/list.json:3:3: `titel` is not a valid key here; did you mean `title`?\n"
    );
    let ended = check(
        &[(
            "list.json",
            "{\n  \"examples\": [{ \"input\": { \"limit\": 900 } }]\n}",
        )],
        &[],
    );
    let why = "texts/list.json:2:18: example 1 would be refused: `/limit` 900 is greater than the maximum of 500\n";
    assert!(
        ended.code == Some(1) && ended.stderr.ends_with(why),
        "{ended:?}"
    );
    let missing = run(
        TempDir::new().unwrap().path(),
        ["check", "--overlay", "texts"],
    );
    assert!(
        missing.stderr.contains("texts: it cannot be read: "),
        "{missing:?}"
    );
}

#[test]
fn what_is_shown_is_what_would_be_served() {
    let folder = folder(&[(
        "list.json",
        r#"{ "summary": "List books", "description": "Edited by hand." }"#,
    )]);
    let shown = |arguments: &[&str]| {
        let ended = run(
            folder.path(),
            arguments.iter().chain(&["--overlay", "texts"]),
        );
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
        ended.stdout
    };
    assert!(shown(&["list"]).contains("List books"));
    assert!(shown(&["describe", "list"]).contains("Edited by hand."));
    assert!(shown(&["tour", "--tool", "list"]).contains("Edited by hand."));
    assert_ne!(shown(&["tokens"]), run(folder.path(), ["tokens"]).stdout);
    shown(&["export", "--format", "tool-descriptions", "out"]);
    assert!(
        fs::read_to_string(folder.path().join("out/list.json"))
            .unwrap()
            .contains("Edited by hand.")
    );
}

#[test]
fn nothing_is_shown_of_texts_with_a_mistake() {
    let folder = folder(&[("list.json", r#"{ "titel": "List" }"#)]);
    let arguments: [&[&str]; 5] = [
        &["list"],
        &["describe", "list"],
        &["tour"],
        &["tokens"],
        &["export", "--format", "tree", "out"],
    ];
    for arguments in arguments {
        let ended = run(
            folder.path(),
            arguments.iter().chain(&["--overlay", "texts"]),
        );
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(1), ""),
            "{arguments:?}"
        );
        assert!(ended.stderr.contains("did you mean `title`?"), "{ended:?}");
    }
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_lock_is_held_against_the_texts_that_are_served() {
    let folder = folder(&[("list.json", r#"{ "description": "Edited." }"#)]);
    assert_eq!(
        run(folder.path(), ["check", "--lock", "tools.lock"]).code,
        Some(0)
    );
    let changed = run(
        folder.path(),
        ["check", "--lock", "tools.lock", "--overlay", "texts"],
    );
    assert!(
        changed.code == Some(1) && changed.stdout.contains("→ \"Edited.\""),
        "{changed:?}"
    );
}

/// The server on standard input and output.
struct Serving {
    process: Child,
    answers: BufReader<ChildStdout>,
}

impl Serving {
    fn start(folder: &TempDir, flags: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
        command
            .current_dir(folder.path())
            .args(["serve", "--overlay", "texts"])
            .args(flags);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut serving = Self { process, answers };
        let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "cli", "version": "0" } });
        serving
            .send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }));
        serving.next();
        serving.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        serving
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn summary(&mut self) -> String {
        self.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} }));
        self.next()["result"]["tools"][0]["description"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[test]
fn a_watched_overlay_is_followed_while_it_is_served() {
    let folder = folder(&[("list.json", r#"{ "summary": "List books" }"#)]);
    let mut serving = Serving::start(&folder, &["--watch"]);
    assert_eq!(serving.summary(), "List books");
    fs::write(
        folder.path().join("texts/list.json"),
        r#"{ "summary": "List all books" }"#,
    )
    .unwrap();
    while serving.next()["method"] != "notifications/tools/list_changed" {}
    assert_eq!(serving.summary(), "List all books");
}

#[test]
fn a_watched_directory_that_is_gone_is_told_of_and_followed_when_it_is_back() {
    let folder = folder(&[("list.json", r#"{ "summary": "List books" }"#)]);
    let mut serving = Serving::start(&folder, &["--watch"]);
    let (texts, away) = (folder.path().join("texts"), folder.path().join("away"));
    fs::rename(&texts, &away).unwrap();
    let mut told = BufReader::new(serving.process.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert!(told.any(|line| line.contains("texts cannot be watched now")));
    fs::write(away.join("list.json"), r#"{ "summary": "List all books" }"#).unwrap();
    fs::rename(away, texts).unwrap();
    while serving.next()["method"] != "notifications/tools/list_changed" {}
    assert_eq!(serving.summary(), "List all books");
}

#[test]
fn a_faulty_overlay_is_not_served() {
    let folder = folder(&[("list.json", "{")]);
    let ended = run(folder.path(), ["serve", "--overlay", "texts"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("texts/list.json:1:1: it is not JSON"),
        "{ended:?}"
    );
    assert_eq!(
        run(folder.path(), ["serve", "--watch"]).code,
        Some(2),
        "there is nothing to watch"
    );
}
