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
    let (tools, tokens) = (folder.path().join("tools.json"), folder.path().join("tokens.json"));
    fs::write(&tools, FILE).unwrap();
    fs::write(&tokens, r#"{ "s3cret": ["blame", "blmae"] }"#).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
    end(command.env_remove("CI").current_dir(folder.path()).arg("tools.json").args(arguments))
}

const RENAMED: &str =
    "note: group `Read History` is served as `read-history`: a name is `a-z 0-9 -`, and one group's only\n";

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
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), RENAMED), "{arguments:?}");
        assert!(ended.stdout.contains(says), "{arguments:?}: {}", ended.stdout);
    }
}

#[test]
fn principals_are_checked_wherever_they_are_named() {
    for arguments in [&["--principals", "tokens.json", "check"], &["check", "--principals", "tokens.json"]] {
        let ended = catalog(arguments);
        assert_eq!(ended.code, Some(0));
        assert_eq!(ended.stderr, format!("{RENAMED}note: tokens.json names tools that the catalogue lacks: blmae\n"));
    }
    let missing = catalog(&["--principals", "toknes.json", "check"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.starts_with("error: toknes.json cannot be read: "), "{missing:?}");
}

#[test]
fn help_says_what_the_files_are() {
    let help = catalog(&["--help"]);
    assert_eq!(help.code, Some(0));
    for part in ["A JSON array of tools", "{\"TOKEN\": [\"TOOL\", …], …}", "`history/blame` is the group `blame`"] {
        assert!(help.stdout.contains(part), "{}", help.stdout);
    }
}
