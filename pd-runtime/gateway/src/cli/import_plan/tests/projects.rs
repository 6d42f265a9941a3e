//! Entries of projects keep their directory, and those of further clients are copied.

use super::*;

fn copied(plan: &ImportPlan) -> Value {
    let document: Value = serde_json::from_str(&plan.target.render().unwrap().unwrap()).unwrap();
    document.get("mcpServers").unwrap().clone()
}

#[test]
fn an_entry_of_a_project_keeps_its_directory() {
    let folder = Folder::new("project-cwd");
    let text = r#"{"mcpServers": {"a": {"command": "./srv.py"}, "b": {"command": "b", "cwd": "./sub"}, "c": {"command": "c", "cwd": "."},
        "d": {"command": "d", "cwd": "~/x"}, "e": {"url": "https://e.example"}}}"#;
    let project = folder.0.join("p");
    for file in ["p/.mcp.json", "p/.cursor/mcp.json"] {
        let servers = copied(&folder.plan(&[(ClientKind::ClaudeCode, file, text)]));
        let cwd = |name: &str| servers.get(name).unwrap().get("cwd").cloned();
        assert_eq!(cwd("a"), Some(json!(project)));
        assert_eq!(cwd("b"), Some(json!(project.join("sub"))));
        assert_eq!(
            (cwd("c"), cwd("d"), cwd("e")),
            (Some(json!(project)), Some(json!("~/x")), None)
        );
    }
    // A file that no client looks for in a project, with a path that is only there.
    folder.write("q/srv.py", "");
    let text = r#"{"mcpServers": {"x": {"command": "python3", "args": ["srv.py"]}, "y": {"command": "python3", "args": ["no.py"]}}}"#;
    let servers = copied(&folder.plan(&[(ClientKind::Cursor, "q/mcp.json", text)]));
    assert_eq!(servers.pointer("/x/cwd"), Some(&json!(folder.0.join("q"))));
    assert_eq!(servers.pointer("/y/cwd"), None);
}

#[test]
fn a_file_from_before_gets_the_directory() {
    let folder = Folder::new("project-again");
    let text = r#"{"mcpServers": {"a": {"command": "./srv.py"}}}"#;
    folder.write("own/servers.json", text);
    let plan = folder.plan(&[(ClientKind::ClaudeCode, "p/.mcp.json", text)]);
    assert_eq!(actions(&plan), ["known a"]);
    assert_eq!(
        copied(&plan).pointer("/a/cwd"),
        Some(&json!(folder.0.join("p")))
    );
}

#[test]
fn entries_of_opencode_and_zed_are_copied_and_replaced() {
    let folder = Folder::new("opencode");
    let text = r#"{"mcp": {"a": {"type": "local", "command": ["a", "b"], "environment": {"K": "{env:KEY}"}}}}"#;
    let plan = folder.plan(&[(ClientKind::OpenCode, "user/opencode.jsonc", text)]);
    let servers = copied(&plan);
    assert_eq!(servers.pointer("/a/command"), Some(&json!("a")));
    assert_eq!(servers.pointer("/a/env/K"), Some(&json!("${env:KEY}")));
    let after: Value = serde_json::from_str(&edited(&plan)).unwrap();
    let expected = json!({ "type": "local", "command": ["/bin/pd-gateway", "--config", "/c/servers.json", "serve"],
        "environment": { "KEY": "{env:KEY}" } });
    assert_eq!(after.pointer("/mcp/gateway"), Some(&expected));

    let text =
        r#"{"theme": "x", "context_servers": {"a": {"command": {"path": "a", "args": ["b"]}}}}"#;
    let plan = folder.plan(&[(ClientKind::Zed, "zed/settings.json", text)]);
    assert_eq!(copied(&plan).pointer("/a/args"), Some(&json!(["b"])));
    let after: Value = serde_json::from_str(&edited(&plan)).unwrap();
    assert_eq!(
        after.pointer("/context_servers/gateway/command"),
        Some(&json!("/bin/pd-gateway"))
    );
    assert_eq!(after.pointer("/theme"), Some(&json!("x")));
}
