//! Files of clients before and after an import.

mod projects;
mod same_server;

use super::{ImportAction, ImportPlan, edit_client};
use crate::ClientKind;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A directory of one test, which ends with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pd-import-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn plan(&self, files: &[(ClientKind, &str, &str)]) -> ImportPlan {
        let mut plan = ImportPlan::new(&self.0.join("own/servers.json")).unwrap();
        for (client, name, text) in files {
            plan.add(Some(*client), &self.write(name, text), &[])
                .unwrap();
        }
        plan
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn actions(plan: &ImportPlan) -> Vec<String> {
    let entries = plan.files.iter().flat_map(|file| &file.entries);
    let action = |action: &ImportAction| match action {
        ImportAction::Copy { name } => format!("copy {name}"),
        ImportAction::Known { name } => format!("known {name}"),
        ImportAction::Stay { .. } => "stay".to_owned(),
        ImportAction::IsGateway => "gateway".to_owned(),
    };
    entries.map(|entry| action(&entry.action)).collect()
}

/// Returns the file of the first client after the import.
fn edited(plan: &ImportPlan) -> String {
    let file = plan.files.first().unwrap();
    let text = fs::read_to_string(&file.path).unwrap();
    edit_client(file, &text, "/bin/pd-gateway", Path::new("/c/servers.json"))
        .unwrap()
        .unwrap()
        .0
}

#[test]
fn everything_but_the_servers_stays_in_json() {
    let folder = Folder::new("json");
    let text = "\u{feff}{\r\n\t// team\r\n\t\"mcpServers\": {\r\n\t\t// first\r\n\t\t\"a\": {\"command\": \"a\"}, // one\r\n\t\t\"old\": {\"disabled\": true, \"url\": \"https://x/sse\"},\r\n\t\t// second\r\n\t\t\"b\": {\"command\": \"b\", \"env\": {\"K\": \"${env:KEY}\", \"I\": \"${input:api key}\"}},\r\n\t},\r\n\t\"n\": [1,   2.50], /* end */\r\n}";
    let plan = folder.plan(&[(ClientKind::Cursor, "mcp.json", text)]);
    assert_eq!(actions(&plan), ["copy a", "stay", "copy b"]);
    let expected = "\u{feff}{\r\n\t// team\r\n\t\"mcpServers\": {\r\n\t\t// first\r\n\t\t\"gateway\": {\r\n\t\t\t\"command\": \"/bin/pd-gateway\",\r\n\t\t\t\"args\": [\"--config\", \"/c/servers.json\", \"serve\"],\r\n\t\t\t\"env\": {\r\n\t\t\t\t\"KEY\": \"${env:KEY}\",\r\n\t\t\t\t\"PD_INPUT_API_KEY\": \"${input:api key}\"\r\n\t\t\t}\r\n\t\t}, // one\r\n\t\t\"old\": {\"disabled\": true, \"url\": \"https://x/sse\"},\r\n\t\t// second\r\n\t},\r\n\t\"n\": [1,   2.50], /* end */\r\n}";
    assert_eq!(edited(&plan), expected);
}

#[test]
fn everything_but_the_servers_stays_in_toml() {
    let folder = Folder::new("toml");
    let text = "model = \"x\" # keep\n\n# about a\n[mcp_servers.a]\ncommand = \"a\"\n[mcp_servers.a.env]\nK = \"v\"\n\n# about b\n[mcp_servers.b]\nurl = \"https://b/mcp\"\nbearer_token_env_var = \"B_TOKEN\"\n\n[mcp_servers.off]\ncommand = \"c\"\nenabled = false\n\n[tui] # last\nx = 1.50\n";
    let plan = folder.plan(&[(ClientKind::Codex, "config.toml", text)]);
    assert_eq!(actions(&plan), ["copy a", "copy b", "stay"]);
    let expected = "model = \"x\" # keep\n\n# about a\n\n# about b\n[mcp_servers.gateway]\ncommand = \"/bin/pd-gateway\"\nargs = [\"--config\", \"/c/servers.json\", \"serve\"]\nenv_vars = [\"B_TOKEN\"]\n\n[mcp_servers.off]\ncommand = \"c\"\nenabled = false\n\n[tui] # last\nx = 1.50\n";
    assert_eq!(edited(&plan), expected);
}

#[test]
fn an_entry_of_a_gateway_is_replaced_and_never_copied() {
    let folder = Folder::new("loop");
    let text = json!({ "mcpServers": {
        "tools": { "command": "/old/pd-gateway", "args": ["--config", "x", "serve"] },
        "wheel": { "command": "uvx", "args": ["pd-gateway", "serve"] },
        "pinned": { "command": "uvx", "args": ["pd-gateway==0.1.0", "serve"] },
        "latest": { "command": "npx", "args": ["-y", "pd-gateway@latest", "serve"] },
        "image": { "command": "docker", "args": ["run", "-i", "ghcr.io/o/pd-gateway:0.1.0-full"] },
        "mail": { "command": "/home/me@work/bin/pd-gateway.exe", "args": ["serve"] },
        "other": { "command": "uvx", "args": ["pd-gateway-tools", "x@pd-gateway"] },
        "a": { "command": "a" },
    } });
    let plan = folder.plan(&[(ClientKind::Cursor, "mcp.json", &text.to_string())]);
    assert_eq!(
        actions(&plan),
        [
            "gateway",
            "gateway",
            "gateway",
            "gateway",
            "gateway",
            "gateway",
            "copy other",
            "copy a"
        ]
    );
    let after: Value = serde_json::from_str(&edited(&plan)).unwrap();
    let names: Vec<_> = after
        .pointer("/mcpServers")
        .unwrap()
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(
        names,
        ["tools", "wheel", "pinned", "latest", "image", "mail"]
    );
    assert_eq!(
        after.pointer("/mcpServers/tools/command").unwrap(),
        "/bin/pd-gateway"
    );
}

#[test]
fn equal_servers_are_merged_and_others_get_another_name() {
    let folder = Folder::new("merge");
    let one =
        r#"{"mcpServers": {"a": {"command": "a", "pd": {"timeout": 5}}, "b c": {"command": "b"}}}"#;
    let two = r#"{"mcpServers": {"a": {"type": "stdio", "command": "a"}, "b_c": {"command": "other"}, "x": {"command": "b"}}}"#;
    let files = [
        (ClientKind::Cursor, "one.json", one),
        (ClientKind::Windsurf, "two.json", two),
    ];
    let plan = folder.plan(&files);
    assert_eq!(
        actions(&plan),
        [
            "copy a",
            "copy b c",
            "known a",
            "copy b_c-windsurf",
            "known b c"
        ]
    );
    let text = plan.target.render().unwrap().unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        document.pointer("/mcpServers/a/pd/timeout"),
        Some(&json!(5))
    );
    assert_eq!(plan.target.config().unwrap().servers.len(), 3);
    // Editors look for the schema in the first key.
    assert!(
        text.starts_with("{\n  \"$schema\": \"https://raw.githubusercontent.com/"),
        "{text}"
    );
    // A second import finds everything, and a person's comments in the file stay.
    folder.write("own/servers.json", &format!("// mine\n{text}"));
    let again = folder.plan(&files);
    assert!(
        actions(&again)
            .iter()
            .all(|action| action.starts_with("known")),
        "{:?}",
        actions(&again)
    );
    assert_eq!(again.target.render().unwrap(), None);
    let more = folder.plan(&[(
        ClientKind::Cursor,
        "three.json",
        r#"{"mcpServers": {"new": {"command": "n"}}}"#,
    )]);
    let text = more.target.render().unwrap().unwrap();
    assert!(
        text.starts_with("// mine\n") && text.contains("\"new\""),
        "{text}"
    );
    // A file without a schema gets none.
    folder.write("own/servers.json", "{\"mcpServers\": {}} // mine\n");
    let text = folder.plan(&files).target.render().unwrap().unwrap();
    assert!(
        text.ends_with("// mine\n") && !text.contains("$schema"),
        "{text}"
    );
}

#[test]
fn what_depends_on_the_place_of_a_file_becomes_absolute() {
    let folder = Folder::new("place");
    let text = r#"{
      "inputs": [{"id": "key", "type": "promptString", "default": "d"}, {"id": "unused"}],
      "servers": {"a": {"command": "${workspaceFolder}/run", "args": ["${input:key}", "${HOME}"], "cwd": "sub", "envFile": "~/.env"}}
    }"#;
    let plan = folder.plan(&[(ClientKind::VsCode, "project/.vscode/mcp.json", text)]);
    let document: Value = serde_json::from_str(&plan.target.render().unwrap().unwrap()).unwrap();
    let project = folder.0.join("project");
    let expected = json!({
        "command": format!("{}/run", project.display()),
        "args": ["${input:key}", "${HOME}"],
        "cwd": project.join("sub"),
        "envFile": "~/.env",
    });
    assert_eq!(document.pointer("/mcpServers/a"), Some(&expected));
    assert_eq!(
        document.get("inputs"),
        Some(&json!([{ "id": "key", "type": "promptString", "default": "d" }]))
    );
    let after: Value = serde_json::from_str(&edited(&plan)).unwrap();
    assert_eq!(
        after.pointer("/servers/gateway/type"),
        Some(&json!("stdio"))
    );
    assert_eq!(
        after.pointer("/servers/gateway/env/PD_INPUT_KEY"),
        Some(&json!("${input:key}"))
    );
    assert_eq!(
        after.get("inputs").unwrap().as_array().unwrap().len(),
        2,
        "the client still asks for it"
    );
}

#[test]
fn the_servers_of_a_project_in_the_state_of_claude_code_move() {
    let folder = Folder::new("state");
    let project = std::env::current_dir().unwrap();
    let text = json!({
        "numStartups": 3,
        "projects": { (project.to_str().unwrap()): { "mcpServers": { "own": { "command": "o" } }, "history": [] } },
        "mcpServers": { "shared": { "command": "s" } },
    });
    let plan = folder.plan(&[(ClientKind::ClaudeCode, ".claude.json", &format!("{text:#}"))]);
    let after: Value = serde_json::from_str(&edited(&plan)).unwrap();
    let own = after
        .get("projects")
        .unwrap()
        .get(project.to_str().unwrap());
    assert_eq!(own, Some(&json!({ "mcpServers": {}, "history": [] })));
    let names: Vec<_> = after
        .get("mcpServers")
        .unwrap()
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, ["gateway"]);
}
