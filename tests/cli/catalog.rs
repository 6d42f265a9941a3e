//! The example `catalog`: every command on a captured file.

use super::{Ended, end};
use std::{fs, process::Command};
use tempfile::TempDir;

const FILE: &str = r#"{
  "name": "repo",
  "instructions": "One repository.",
  "groups": [{ "id": "Read History", "description": "Read history: commits, authors" }],
  "tools": [
    { "name": "status", "description": "Show what changed", "inputSchema": { "type": "object" } },
    { "name": "blame", "description": "Show who changed a line. Slow.", "inputSchema": { "type": "object" },
      "groups": ["Read History", "lines"] }
  ]
}"#;

fn catalog(arguments: &[&str]) -> Ended {
    let folder = TempDir::new().unwrap();
    let (tools, tokens) = (
        folder.path().join("tools.json"),
        folder.path().join("tokens.json"),
    );
    fs::write(&tools, FILE).unwrap();
    fs::write(&tokens, r#"{ "s3cret": ["blame", "blmae"] }"#).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
    end(command
        .env_remove("CI")
        .current_dir(folder.path())
        .arg("tools.json")
        .args(arguments))
}

const RENAMED: &str = "note: group `Read History` is served as `read-history`: a name is `a-z 0-9 -`, and one group's only\n";

#[test]
fn every_command_works_on_a_file() {
    for (arguments, says) in [
        (&["list"][..], "read-history"),
        (&["list"], "Lines tools"),
        (&["tokens"], "blame"),
        (&["describe", "blame"], "Show who changed a line. Slow."),
        (&["call", "blame", "{\"line\": 3}"], "{\"line\":3}"),
        (&["check"], "ok 2 tools"),
    ] {
        let ended = catalog(arguments);
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), RENAMED),
            "{arguments:?}"
        );
        assert!(
            ended.stdout.contains(says),
            "{arguments:?}: {}",
            ended.stdout
        );
    }
}

#[test]
fn principals_are_checked_wherever_they_are_named() {
    for arguments in [
        &["--principals", "tokens.json", "check"],
        &["check", "--principals", "tokens.json"],
    ] {
        let ended = catalog(arguments);
        assert_eq!(ended.code, Some(0));
        assert_eq!(
            ended.stderr,
            format!("{RENAMED}note: tokens.json names tools that the catalog lacks: blmae\n")
        );
    }
    let missing = catalog(&["--principals", "toknes.json", "check"]);
    assert_eq!(missing.code, Some(1));
    assert!(
        missing
            .stderr
            .starts_with("error: toknes.json cannot be read: "),
        "{missing:?}"
    );
}

#[test]
fn help_says_what_the_files_are() {
    let help = catalog(&["--help"]);
    assert_eq!(help.code, Some(0));
    for part in [
        "A JSON array of tools",
        "{\"TOKEN\": [\"TOOL\", …], …}",
        "`history/blame` is the group `blame`",
    ] {
        assert!(help.stdout.contains(part), "{}", help.stdout);
    }
}

/// A file of the implementation guide ("Storage Structure"), as its server reads it.
const TOOL_ONE: &str = r#"{
  "name": "tool_one",
  "description": "Complete description with all context needed for reliable use",
  "inputSchema": {
    "type": "object",
    "properties": {
      "param1": { "type": "string", "description": "First parameter" },
      "param2": { "type": "integer", "description": "Second parameter", "default": 10 }
    },
    "required": ["param1"]
  },
  "examples": [
    {
      "description": "Basic usage",
      "input": { "param1": "value" },
      "explanation": "Simplest form with just required parameter"
    },
    {
      "description": "With optional parameter",
      "input": { "param1": "value", "param2": 20 },
      "explanation": "Override default for param2"
    }
  ],
  "usage_guidance": {
    "common_patterns": ["For X scenario, use param1='special_value'", "When Y, set param2 higher than default"],
    "important_notes": ["Parameter validation happens server-side", "Results are paginated by default"]
  },
  "error_guidance": {
    "common_errors": [
      {
        "error": "INVALID_PARAM1",
        "cause": "param1 must match pattern X",
        "solution": "Ensure param1 follows format Y"
      }
    ]
  }
}"#;

/// Runs a command on a directory of descriptions.
fn on_directory(files: &[(&str, &str)], arguments: &[&str]) -> Ended {
    let folder = TempDir::new().unwrap();
    let texts = folder.path().join("tool_descriptions");
    fs::create_dir(&texts).unwrap();
    files
        .iter()
        .for_each(|(name, text)| fs::write(texts.join(name), text).unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
    end(command
        .env_remove("CI")
        .current_dir(folder.path())
        .arg("tool_descriptions")
        .args(arguments))
}

#[test]
fn a_directory_of_the_guides_server_is_a_catalog() {
    let two = r#"{ "name": "tool_two", "description": "Does less.", "inputSchema": { "type": "object" } }"#;
    let files = [
        ("tool_one.json", TOOL_ONE),
        ("tool_two.json", two),
        ("notes.md", "# Notes"),
        (".hidden.json", ""),
    ];
    let described = on_directory(&files, &["describe", "--json", "tool_one"]);
    assert_eq!((described.code, described.stderr.as_str()), (Some(0), ""));
    let document: serde_json::Value = serde_json::from_str(&described.stdout).unwrap();
    let written: serde_json::Value = serde_json::from_str(TOOL_ONE).unwrap();
    for (key, value) in written.as_object().unwrap() {
        assert_eq!(&document["tool_one"][key], value, "{key}");
    }
    for (arguments, part) in [
        (&["list"][..], "tool_two  Does less"),
        (
            &["call", "tool_one", "{\"param1\": \"x\"}"],
            "{\"param1\":\"x\"}",
        ),
        (&["tokens"], "all 2, as listed"),
        (&["check"], "ok 2 tools, 2 fitting examples"),
        (
            &["export", "--format", "tool-descriptions", "out"],
            "ok 2 files in out: 2 written",
        ),
    ] {
        let ended = on_directory(&files, arguments);
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
        assert!(
            ended.stdout.contains(part),
            "{arguments:?}: {}",
            ended.stdout
        );
    }
}

#[test]
fn what_is_wrong_in_a_directory_is_reported_with_its_file() {
    for (file, why) in [
        ("[]", "tool.json does not describe a tool: invalid type"),
        (
            "{}",
            "tool.json does not describe a tool: missing field `inputSchema`",
        ),
        (
            r#"{ "inputSchema": { "type": "object" }, "examples": [{ "input": 1 }] }"#,
            "tool.json:1:55: example 1 ",
        ),
        (
            r#"{ "inputSchema": { "type": "object" }, "example": [] }"#,
            "tool.json:1:40: `example` is not a valid key here; did you mean `examples`?",
        ),
    ] {
        let ended = on_directory(&[("tool.json", file)], &["list"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{file}");
        assert!(ended.stderr.contains(why), "{file}: {}", ended.stderr);
    }
}

#[test]
fn our_own_export_is_a_catalog() {
    let folder = TempDir::new().unwrap();
    let exported = super::run(
        folder.path(),
        ["export", "--format", "tool-descriptions", "texts"],
    );
    assert_eq!(exported.code, Some(0));
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
    let described = end(command
        .current_dir(folder.path())
        .args(["texts", "describe", "--json", "list"]));
    let original = super::run(folder.path(), ["describe", "--json", "list"]);
    let parsed = |ended: &Ended| serde_json::from_str::<serde_json::Value>(&ended.stdout).unwrap();
    assert_eq!(parsed(&described), parsed(&original));
}

/// README's command on the files that its table is about.
#[test]
fn readme_has_the_tokens_of_four_real_servers() {
    const README: &str = include_str!("../../README.md");
    for (server, file) in [
        ("GitHub", "github"),
        ("Grafana", "grafana"),
        ("Notion", "notion"),
        ("Playwright", "playwright"),
    ] {
        let path = format!("{}/data/{file}.json", env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
        let ended = end(command.args([&path, "tokens"]));
        let row = ended
            .stdout
            .lines()
            .find(|line| line.starts_with("all "))
            .unwrap();
        let words: Vec<&str> = row
            .split_whitespace()
            .map(|word| word.trim_end_matches(','))
            .collect();
        let ["all", tools, "as", "listed", minimal, outline, full, _] = words[..] else {
            panic!("{row}")
        };
        let expected = format!("| {server} | {tools} | {full} | {outline} | {minimal} |");
        assert!(README.contains(&expected), "README must have: {expected}");
    }
}
