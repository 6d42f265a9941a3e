//! Entries of projects keep their directory, and those of further clients are copied.

use super::*;

fn copied(plan: &ImportPlan) -> Value {
    let document: Value = serde_json::from_str(&copied_file(plan)).unwrap();
    document.get("mcpServers").unwrap().clone()
}

fn copied_file(plan: &ImportPlan) -> String {
    plan.target.render().unwrap().unwrap()
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
fn servers_of_different_directories_are_different() {
    let folder = Folder::new("project-two");
    let project = std::env::current_dir().unwrap();
    let program = json!({ "command": "npx", "args": ["-y", "server-filesystem", "."] });
    let text = json!({
        "mcpServers": { "files": program },
        "projects": { (project.to_str().unwrap()): { "mcpServers": { "fs": program } } },
    })
    .to_string();
    let state = (ClientKind::ClaudeCode, ".claude.json", text.as_str());
    let plan = folder.plan(&[state]);
    assert_eq!(actions(&plan), ["copy files", "copy fs"]);
    let servers = copied(&plan);
    assert_eq!(servers.pointer("/files/cwd"), None);
    assert_eq!(servers.pointer("/fs/cwd"), Some(&json!(project)));

    // The order of the imports changes nothing, and a second one finds both.
    let text = json!({ "mcpServers": { "fs": program } }).to_string();
    let user = (ClientKind::Cursor, "mcp.json", text.as_str());
    for project in ["p", "q"] {
        let file = format!("{project}/.mcp.json");
        let own = (ClientKind::ClaudeCode, file.as_str(), text.as_str());
        for files in [[user, own], [own, user]] {
            let plan = folder.plan(&files);
            let expected = ["copy fs", "copy fs-cursor", "copy fs-claude-code"];
            assert!(
                actions(&plan)
                    .iter()
                    .all(|action| expected.contains(&action.as_str())),
                "{:?}",
                actions(&plan)
            );
            let cwds: Vec<_> = copied(&plan)
                .as_object()
                .unwrap()
                .values()
                .filter_map(|server| server.get("cwd").cloned())
                .collect();
            assert_eq!(cwds, [json!(folder.0.join(project))]);
        }
    }
}

#[test]
fn a_server_of_the_file_keeps_its_directory() {
    let folder = Folder::new("project-again");
    let text = r#"{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b", "cwd": "."}}}"#;
    let own = folder.write("own/servers.json", text);
    let files = [(
        ClientKind::ClaudeCode,
        "p/.mcp.json",
        r#"{"mcpServers": {"a": {"command": "a"}}}"#,
    )];
    let plan = folder.plan(&files);
    assert_eq!(actions(&plan), ["copy a-claude-code"]);
    let servers = copied(&plan);
    assert_eq!(servers.pointer("/a"), Some(&json!({ "command": "a" })));
    // The same directory in other words.
    let slashed = json!({ "mcpServers": { "b": { "command": "b", "cwd": format!("{}/", folder.0.join("own").display()) } } });
    let again = [(ClientKind::Cursor, "mcp.json", &*slashed.to_string())];
    assert_eq!(actions(&folder.plan(&again)), ["known b"]);
    fs::write(own, copied_file(&plan)).unwrap();
    assert_eq!(actions(&folder.plan(&files)), ["known a-claude-code"]);
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
