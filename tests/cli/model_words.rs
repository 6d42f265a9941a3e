//! `examples/words/words.py`: words of a model as an overlay, of which those stay that help.

use super::{Ended, end};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};
use tempfile::TempDir;

const TOOLS: &str = r#"[
  { "name": "contributors", "description": "Rank authors by commits.", "inputSchema": { "type": "object" } },
  { "name": "remotes", "description": "Show the upstream URLs.", "inputSchema": { "type": "object" } },
  { "name": "developers_guide", "description": "Open the guide.", "inputSchema": { "type": "object" } }
]"#;

/// A model that answers in a fence, writes down what it was asked, and has a word that helps, one
/// that does not, one that would take a request from another tool, and a tool that is not there.
const MODEL: &str = r#"
import sys
open("asked.txt", "a").write(sys.stdin.read() + "\n===\n")
print('Sure:\n```json\n{"contributors": {"aliases": ["bards", "zebra", "guide"]}, "nosuch": {"aliases": ["x"]},')
print(' "remotes": {"aliases": "no list", "use_when": "Use it to see where it was grafted."}}\n```')
"#;

// Words that search does not know as everyday words for others.
const REQUESTS: &str = r#"{"text": "which bards are there", "relevant": ["contributors"]}
{"text": "name the bards", "relevant": ["contributors"]}
{"text": "the place it was grafted at", "relevant": ["remotes"]}
{"text": "where I grafted it", "relevant": ["remotes"]}
{"text": "open a guide", "relevant": ["developers_guide"]}
"#;

fn words(folder: &Path) -> Ended {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/words/words.py");
    let mut command = Command::new("python3");
    end(command
        .current_dir(folder)
        .args([
            script,
            "--ask",
            "python3 model.py",
            "--requests",
            "requests.jsonl",
        ])
        .args(["overlay", "--", env!("CARGO_BIN_EXE_catalog"), "tools.json"]))
}

fn member(folder: &Path, tool: &str, key: &str) -> Value {
    let text = fs::read_to_string(folder.join(format!("overlay/{tool}.json"))).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[key].take()
}

#[test]
fn words_that_help_stay_and_others_do_not() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    for (file, text) in [
        ("tools.json", TOOLS),
        ("model.py", MODEL),
        ("requests.jsonl", REQUESTS),
    ] {
        fs::write(path.join(file), text).unwrap();
    }
    let ended = words(path);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(member(path, "contributors", "aliases"), json!(["bards"]));
    let described = member(path, "remotes", "description");
    assert_eq!(
        described,
        "Show the upstream URLs.\n\nUse it to see where it was grafted."
    );
    assert!(!path.join("overlay/nosuch.json").exists());
    for row in [
        "chosen by: 3 requests, 2 not first before, 0 now",
        "measured: 2 requests, 2 not first before, 0 now",
    ] {
        assert!(ended.stdout.contains(row), "{}", ended.stdout);
    }
    // A second run asks nothing, and what stayed stays.
    let again = words(path);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let asked = fs::read_to_string(path.join("asked.txt")).unwrap();
    assert_eq!(asked.matches("===").count(), 1);
    assert!(
        asked.contains("- remotes: Show the upstream URLs."),
        "{asked}"
    );
    assert_eq!(member(path, "contributors", "aliases"), json!(["bards"]));
}

#[test]
fn a_model_that_fails_is_named_and_nothing_is_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("tools.json"), TOOLS).unwrap();
    fs::write(path.join("requests.jsonl"), REQUESTS).unwrap();
    fs::write(path.join("model.py"), "import sys; sys.exit('no key')").unwrap();
    let ended = words(path);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("the model's command failed: no key"),
        "{}",
        ended.stderr
    );
    assert_eq!(fs::read_dir(path.join("overlay")).unwrap().count(), 0);
}
