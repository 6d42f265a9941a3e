//! `export` of a gateway: its servers, as their readers know them.

use super::gateway::Project;
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_tree_has_a_folder_and_a_whole_description_for_each_server() {
    let project = Project::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/upstream.py");
    let long = "Reads notes of a team, of which some are old. ".to_owned()
        + &"Many further words ".repeat(20);
    let server = |name: &str, summary: &str| {
        let log = project.0.path().join(name);
        json!({ "command": "python3", "args": [script, log], "pd": { "summary": summary } })
    };
    let servers = json!({ "git": server("git", "Answer questions about a repository."), "notes": server("notes", &long) });
    project.write(&json!({ "mcpServers": servers }).to_string());
    let exported = project.run(&["export", "--format", "tree", "tree"]);
    assert!(
        exported.code == Some(0) && exported.stdout.contains(" 0 unchanged"),
        "{exported:?}"
    );
    let read = |name: &str| -> Value {
        let text = fs::read_to_string(project.0.path().join("tree").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let notes = "Reads notes of a team, of which some are old.";
    let index = json!({ "servers": [
        { "name": "git", "description": "Answer questions about a repository." },
        { "name": "notes", "description": notes },
    ] });
    assert_eq!(read("index.json"), index);
    for server in ["git", "notes"] {
        let manifest = read(&format!("{server}/manifest.json"));
        let tools = manifest["tools"].as_array().unwrap();
        assert!(
            tools.len() > 2 && manifest.get("groups").is_none(),
            "{manifest}"
        );
        for tool in tools {
            let name = tool["name"].as_str().unwrap();
            assert!(name.starts_with(&format!("{server}__")), "{name}");
            read(&format!("{server}/{}", tool["schema"].as_str().unwrap()));
        }
    }
    assert!(!project.0.path().join("tree/pd-gateway").exists());
    let again = project.run(&["export", "--format", "tree", "tree"]);
    assert!(
        again.stdout.contains(": 0 written, ") && again.stdout.contains(" 0 removed, 0 kept\n"),
        "{again:?}"
    );
}
