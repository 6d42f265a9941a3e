//! Texts of strangers on a terminal: whatever a command prints, nothing in it makes a terminal do
//! something, or shows a reader other text than is there.

use super::{Ended, end, run};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};
use tempfile::TempDir;

/// OSC 52 (writes the clipboard), a C1 control sequence, a title, a bell, an override of direction,
/// and separators of lines.
const HOSTILE: &str = "Show\u{1b}]52;c;aGk=\u{7} \u{9b}31m\u{1b}[2J\u{202e}x\u{2066}\u{61c}\u{200f}\u{2028}\u{85}\u{8}\rok";

fn is_hostile(letter: char) -> bool {
    let turns = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns
        || matches!(letter, '\u{2028}' | '\u{2029}')
        || (letter.is_control() && !matches!(letter, '\n' | '\t'))
}

fn is_clean(ended: &Ended) -> bool {
    !ended.stdout.contains(is_hostile) && !ended.stderr.contains(is_hostile)
}

/// A catalog in which every text is hostile.
fn write_catalog(folder: &Path, description: &str) {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string", "description": HOSTILE, "title": HOSTILE } } });
    let document = json!({
        "name": "repo", "instructions": HOSTILE,
        "groups": [{ "id": format!("Evil{HOSTILE}"), "description": HOSTILE, "instructions": HOSTILE }],
        "tools": [
            { "name": "blame", "title": HOSTILE, "description": description, "inputSchema": schema,
              "groups": [format!("Evil{HOSTILE}")] },
            { "name": "status", "description": HOSTILE, "inputSchema": { "type": "object" } },
        ],
    });
    fs::write(folder.join("tools.json"), document.to_string()).unwrap();
}

fn catalog(folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
    end(command
        .env_remove("CI")
        .current_dir(folder)
        .arg("tools.json")
        .args(arguments))
}

#[test]
fn no_command_prints_what_a_terminal_obeys() {
    let folder = TempDir::new().unwrap();
    write_catalog(folder.path(), HOSTILE);
    let call = json!({ "a": HOSTILE }).to_string();
    let commands: &[&[&str]] = &[
        &["list"],
        &["list", "--full"],
        &["list", "--json"],
        &["list", "--full", "--json"],
        &["describe", "blame", "status"],
        &["describe", "--json", "blame"],
        &["describe", "--signature", "blame"],
        &["call", "blame", &call],
        &["tokens"],
        &["check"],
        &["check", "--lock", "tools.lock"],
        &["tour"],
        &["report", "page.html"],
        &["export", "--format", "tree", "out"],
    ];
    for command in commands {
        let ended = catalog(folder.path(), command);
        assert_eq!(ended.code, Some(0), "{command:?}: {}", ended.stderr);
        assert!(
            is_clean(&ended),
            "{command:?}: {:?} {:?}",
            ended.stdout,
            ended.stderr
        );
    }
    assert!(
        catalog(folder.path(), &["list"])
            .stdout
            .contains("\\u{1b}]52;c;aGk=\\u{7}")
    );
    write_catalog(folder.path(), &format!("Other{HOSTILE}"));
    let changed = catalog(folder.path(), &["check", "--lock", "tools.lock"]);
    assert!(
        changed.code == Some(1) && changed.stdout.contains("Other") && is_clean(&changed),
        "{changed:?}"
    );
}

#[test]
fn printed_json_is_json_with_the_same_values() {
    let folder = TempDir::new().unwrap();
    write_catalog(folder.path(), HOSTILE);
    let described = catalog(folder.path(), &["describe", "--json", "blame"]);
    let value: Value = serde_json::from_str(&described.stdout).unwrap();
    assert_eq!(value["blame"]["description"], HOSTILE);
    let listed = catalog(folder.path(), &["list", "--full", "--json"]);
    let value: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(value["tools"][1]["title"], HOSTILE);
    let called = catalog(
        folder.path(),
        &["call", "blame", &json!({ "a": HOSTILE }).to_string()],
    );
    assert_eq!(
        serde_json::from_str::<Value>(&called.stdout).unwrap(),
        json!({ "a": HOSTILE })
    );
}

#[test]
fn errors_show_no_hostile_text() {
    let folder = TempDir::new().unwrap();
    let tool = json!({ "name": format!("a{HOSTILE}\nok all is well"), "inputSchema": {} });
    fs::write(
        folder.path().join("tools.json"),
        json!([tool, tool]).to_string(),
    )
    .unwrap();
    let refused = catalog(folder.path(), &["list"]);
    assert!(
        refused.code == Some(1) && is_clean(&refused),
        "{:?}",
        refused.stderr
    );
    assert!(
        !refused.stderr.lines().any(|line| line.starts_with("ok")),
        "{}",
        refused.stderr
    );
    fs::write(folder.path().join("tools.json"), "[]").unwrap();
    let unknown = catalog(folder.path(), &["describe", HOSTILE]);
    assert!(
        unknown.code == Some(1) && is_clean(&unknown),
        "{:?}",
        unknown.stderr
    );
}

#[test]
fn mistakes_of_an_overlay_are_one_clean_line_each() {
    let folder = TempDir::new().unwrap();
    let texts = folder.path().join("texts");
    fs::create_dir(&texts).unwrap();
    fs::write(
        texts.join("list.json"),
        json!({ format!("a{HOSTILE}\nok"): 1 }).to_string(),
    )
    .unwrap();
    #[cfg(unix)]
    fs::write(
        texts.join(format!("b{}\nok.json", HOSTILE.replace('/', ""))),
        "{}",
    )
    .unwrap();
    for command in ["check", "list", "serve"] {
        let ended = run(folder.path(), [command, "--overlay", "texts"]);
        assert!(
            ended.code == Some(1) && is_clean(&ended),
            "{command}: {:?}",
            ended.stderr
        );
        let expected = if cfg!(unix) { 3 } else { 2 };
        let lines = ended
            .stderr
            .lines()
            .skip_while(|line| !line.starts_with("error: "));
        assert_eq!(lines.count(), expected, "{command}: {}", ended.stderr);
    }
}

#[test]
fn an_audit_file_is_shown_cleanly() {
    let folder = TempDir::new().unwrap();
    let name = format!("a{HOSTILE}\nok");
    let events: String = [
        json!({ "event": "listed", "tools": [{ "tool": name }, { "tool": "plain" }] }),
        json!({ "event": "found", "session": 1, "tools": [{ "tool": "plain" }, { "tool": name }] }),
        json!({ "event": "called", "session": 1, "tool": name, "outcome": "done" }),
    ]
    .iter()
    .map(|event| format!("{event}\n"))
    .collect();
    fs::write(folder.path().join("audit.jsonl"), events).unwrap();
    for more in [
        &[][..],
        &["--tool", &name],
        &["--tool", "plain"],
        &["--tool", "\u{1b}[2J"],
    ] {
        let ended = run(folder.path(), ["audit", "audit.jsonl"].iter().chain(more));
        assert!(
            ended.code == Some(0) && is_clean(&ended),
            "{:?}",
            ended.stdout
        );
        assert!(
            !ended.stdout.lines().any(|line| line.starts_with("ok")),
            "{}",
            ended.stdout
        );
    }
}
