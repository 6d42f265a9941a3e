//! Files as people have them: odd entries, switches elsewhere, and the words of further clients.

use super::{super::*, SECRET, http, input, parse, parse_at, parse_entry, stdio};
use serde_json::json;
use std::fs;

fn names(config: &GatewayConfig) -> Vec<&str> {
    config
        .servers
        .iter()
        .filter(|entry| !entry.is_disabled)
        .map(|entry| entry.label.as_str())
        .collect()
}

/// Returns the reason why an entry is left out.
fn reason(entry: &str) -> String {
    let config = parse(&format!(
        r#"{{"mcpServers": {{"odd": {entry}, "good": {{"command": "a"}}}}}}"#
    ));
    assert_eq!(names(&config), ["good"], "{entry}");
    let [mistake] = config.mistakes.as_slice() else {
        panic!("{:?}", config.mistakes)
    };
    assert!(
        mistake.to_string().starts_with("/work/app/.mcp.json:1:"),
        "{mistake}"
    );
    assert!(config.clone().without_mistakes().is_err());
    let [left_out] = &*config.left_out() else {
        panic!("{entry}")
    };
    assert_eq!(left_out.label, "odd");
    mistake.kind.to_string()
}

#[test]
fn one_odd_entry_leaves_out_that_entry() {
    for (entry, part) in [
        (
            r#"{"type": "ws", "url": "ws://x"}"#,
            "with `\"type\": \"http\"`",
        ),
        (r#"{"type": "builtin"}"#, "it is a part of its client"),
        (
            r#"{"source": "extension", "settings": {}}"#,
            "it is a part of its client",
        ),
        (
            r#"{"type": "docker", "image": "x"}"#,
            "\"command\": \"docker\"",
        ),
        (
            r#"{"type": "frob", "command": "a"}"#,
            "write one of `stdio`",
        ),
        (
            r#"{"httpUrl ": "https://x.example/mcp"}"#,
            "`httpUrl ` is not read; did you mean `httpUrl`?",
        ),
        (r#"{"Command": "a"}"#, "did you mean `command`?"),
        (
            r#"{"command": "a", "args ": ["b"]}"#,
            "did you mean `args`?",
        ),
        (
            r#"{"command": "npx -y s3cr3t-value"}"#,
            "write `\"command\": \"npx\"`, and move the rest to `args`",
        ),
        (
            r#"{"type": "stdio", "transport": "sse", "command": "a"}"#,
            "`type` and `transport` exclude each other",
        ),
        (
            r#"{"command": "a", "disabled": "perhaps"}"#,
            "this must be true or false",
        ),
    ] {
        let found = reason(entry);
        assert!(
            found.contains(part) && !found.contains(SECRET),
            "{entry}: {found}"
        );
    }
}

#[test]
fn nothing_but_the_name_is_read_of_a_disabled_entry() {
    let config = parse(
        r#"{"mcpServers": {"good": {"command": "a"}, "a b": {"disabled": true}, "a.b": {"type": "builtin", "disabled": true},
            "x": {"enabled": false, "command": 7, "pd": []}, "y": {"disabled": "true", "url": "ws://x"}}}"#,
    );
    assert_eq!((names(&config), config.servers.len()), (vec!["good"], 5));
    assert_eq!((config.mistakes, config.warnings), (vec![], vec![]));
}

#[test]
fn every_spelling_of_a_transport_is_read() {
    for kind in [
        "streamable_http",
        "streamablehttp",
        "streamable-HTTP",
        "HTTP",
        "Streamable HTTP",
    ] {
        for key in ["type", "transport", "transportType"] {
            let entry =
                parse_entry(&json!({ key: kind, "url": "https://a.example/sse" }).to_string());
            assert!(
                matches!(entry.transport, ServerTransport::Http(_)),
                "{key} {kind}"
            );
        }
    }
    for key in ["type", "transport", "transportType"] {
        let entry = parse_entry(&json!({ key: "SSE", "url": "https://a.example/mcp" }).to_string());
        assert!(matches!(entry.transport, ServerTransport::Sse(_)), "{key}");
        parse_entry(&json!({ key: "Stdio", "command": "a" }).to_string());
    }
    let entry = parse_entry(
        r#"{"transport": {"type": "sse", "url": "https://a.example/mcp", "headers": {"A": 1}}}"#,
    );
    assert!(matches!(entry.transport, ServerTransport::Sse(_)));
    assert_eq!(http(&entry).headers["A"].expose(), "1");
}

#[test]
fn plain_values_are_texts_and_null_is_absent() {
    let entry = parse_entry(
        r#"{"command": "a", "args": ["-p", 8080, 1.50, true], "env": null, "cwd": null, "url": null, "type": null,
            "timeout": null, "pd": null, "disabled": null}"#,
    );
    assert_eq!(stdio(&entry).args, ["-p", "8080", "1.50", "true"]);
}

#[test]
fn entries_of_further_clients_are_read() {
    let zed = r#"{ // settings
      "theme": "One Dark", "context_servers": {
        "new": {"source": "custom", "command": "a", "args": ["b"], "env": {"K": "v"}},
        "old": {"command": {"path": "a", "args": ["b"], "env": {"K": "v"}}, "settings": {}},
        "off": {"enabled": false, "command": "a"}, } }"#;
    let config = parse_at("/home/ada/.config/zed/settings.json", zed).unwrap();
    assert_eq!(names(&config), ["new", "old"]);
    assert_eq!(stdio(&config.servers[0]), stdio(&config.servers[1]));

    let entries = r#"{"a": {"type": "local", "command": ["npx", "-y", "b"], "environment": {"K": "{env:TOKEN}"}, "timeout": 5000},
      "b": {"type": "remote", "url": "https://a.example/mcp", "headers": {"A": "Bearer {env:TOKEN}"}},
      "off": {"type": "local", "command": ["a"], "enabled": false}, "f": {"type": "remote", "url": "{file:x}"}}"#;
    for text in [
        format!(r#"{{"mcp": {entries}}}"#),
        format!(r#"{{"mcp": {{"servers": {entries}}}}}"#),
    ] {
        let config = parse_at("/work/app/opencode.json", &text).unwrap();
        assert_eq!(names(&config), ["a", "b"], "{text}");
        assert_eq!(config.mistakes.len(), 1, "a file is not read");
        let server = stdio(&config.servers[0]);
        assert_eq!(
            (server.command.as_str(), server.env["K"].expose()),
            ("npx", SECRET)
        );
        assert_eq!(server.args, ["-y", "b"]);
        assert_eq!(
            config.servers[0].settings.timeout, None,
            "it limits the start"
        );
        assert_eq!(
            http(&config.servers[1]).headers["A"].expose(),
            format!("Bearer {SECRET}")
        );
    }
    for text in [
        r#"{"mcp": {"inputs": [{"id": "i", "default": "d"}], "servers": {"a": {"command": "a", "args": ["${input:i}"]}}}}"#,
        r#"{"mcp.servers": {"a": {"command": "a", "args": ["d"]}}}"#,
        r#"{"amp.mcpServers": {"a": {"command": "a", "args": ["d"]}}}"#,
    ] {
        assert_eq!(
            stdio(&parse_at("/x/settings.json", text).unwrap().servers[0]).args,
            ["d"]
        );
    }
    let gemini = r#"{"mcp": {"allowed": ["a"]}, "mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}"#;
    assert_eq!(
        parse_at("/x/settings.json", gemini).unwrap().servers.len(),
        2
    );
}

#[test]
fn yaml_is_named_with_what_to_do() {
    for (path, text, client) in [
        (
            "/x/config.yaml",
            "GOOSE_MODEL: x\nextensions:\n  a:\n    type: stdio\n    cmd: a\n",
            "YAML of Goose",
        ),
        (
            "/x/config",
            "extensions:\n  a:\n    cmd: a\n",
            "YAML of Goose",
        ),
        (
            "/x/config.yaml",
            "name: x\nmcpServers:\n  - name: a\n    command: a\n",
            "YAML of Continue",
        ),
        ("/x/other.yml", "a: b\n", "the file is YAML, which"),
    ] {
        let error = parse_at(path, text).unwrap_err().to_string();
        assert!(
            error.contains(client) && error.contains("{\"mcpServers\": {\"NAME\":"),
            "{error}"
        );
        assert!(!error.contains("TOML"), "{error}");
    }
}

#[test]
fn one_list_of_variables_serves_all_entries() {
    let text = r#"{"pd": {"inheritEnv": ["DOCKER_HOST", "A"]}, "mcpServers": {"a": {"command": "a"}, "b": {"command": "b",
        "pd": {"inheritEnv": ["A", "B"]}}}}"#;
    let config = parse(text);
    assert_eq!(config.servers[0].settings.inherit_env, ["DOCKER_HOST", "A"]);
    assert_eq!(
        config.servers[1].settings.inherit_env,
        ["A", "B", "DOCKER_HOST"]
    );
    let toml = "[pd]\ninheritEnv = ['A']\n[mcp_servers.a]\ncommand = 'a'\n";
    assert_eq!(
        parse_at("/x/c.toml", toml).unwrap().servers[0]
            .settings
            .inherit_env,
        ["A"]
    );
    let error = parse_at(
        "/x/m.json",
        &text.replace("inheritEnv\": [\"D", "inheritenv\": [\"D"),
    )
    .unwrap_err();
    assert!(error.to_string().contains("key `pd.inheritenv`"), "{error}");
}

#[test]
fn a_project_s_entry_runs_in_the_project() {
    let entry = r#"{"x": {"command": "./srv.py"}, "y": {"command": "python3", "args": ["srv.py"], "cwd": "sub"}, "z": {"command": "./z", "cwd": "${workspaceFolder}/b"}}"#;
    for path in [
        "/p/.mcp.json",
        "/p/.vscode/mcp.json",
        "/p/.cursor/mcp.json",
        "/p/.gemini/settings.json",
    ] {
        let config = parse_at(path, &format!(r#"{{"mcpServers": {entry}}}"#)).unwrap();
        let [x, y, z] = [0, 1, 2].map(|index| stdio(&config.servers[index]));
        assert_eq!(
            (x.command.as_str(), x.cwd.as_deref()),
            ("/p/srv.py", Some(Path::new("/p"))),
            "{path}"
        );
        assert_eq!(
            (y.command.as_str(), y.cwd.as_deref()),
            ("python3", Some(Path::new("/p/sub"))),
            "{path}"
        );
        assert_eq!(z.command, "/p/b/z", "{path}");
    }
    for path in [
        "/home/ada/.cursor/mcp.json",
        "/home/ada/.claude.json",
        "/x/claude_desktop_config.json",
    ] {
        let config = parse_at(path, &format!(r#"{{"mcpServers": {entry}}}"#)).unwrap();
        assert_eq!(
            (
                stdio(&config.servers[0]).command.as_str(),
                &stdio(&config.servers[0]).cwd
            ),
            ("./srv.py", &None)
        );
    }
    let state = r#"{"projects": {"/p": {"mcpServers": {"x": {"command": "a", "args": ["${workspaceFolder}"]}}}}}"#;
    let variable = |_: &str| None;
    let context = ReadContext::new(&variable, &input).with_project(Path::new("/p"));
    let config =
        GatewayConfig::parse(Path::new("/home/ada/.claude.json"), state, &context).unwrap();
    assert_eq!(
        stdio(&config.servers[0]).cwd.as_deref(),
        Some(Path::new("/p"))
    );
    assert_eq!(stdio(&config.servers[0]).args, ["/p"]);
}

/// A home directory with a project `p` in it.
fn with_files(
    name: &str,
    files: &[(&str, serde_json::Value)],
    check: impl Fn(&Path, &dyn Fn(&str) -> GatewayConfig),
) {
    let home = std::env::temp_dir().join(format!("pd-switches-{name}-{}", std::process::id()));
    fs::create_dir_all(home.join("p")).unwrap();
    for (file, value) in files {
        let path = home.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // A key of the project's path stands for `PROJECT`.
        fs::write(
            path,
            value
                .to_string()
                .replace("PROJECT", home.join("p").to_str().unwrap()),
        )
        .unwrap();
    }
    let variable = |name: &str| (name == "HOME").then(|| home.to_str().unwrap().to_owned());
    let project = home.join("p");
    let context = ReadContext::new(&variable, &input).with_project(&project);
    check(&home, &|file| {
        GatewayConfig::read(&home.join(file), &context).unwrap()
    });
    fs::remove_dir_all(&home).unwrap();
}

#[test]
fn switches_of_claude_code_switch_servers_off() {
    let server = json!({ "command": "a" });
    let files = [
        (
            "p/.mcp.json",
            json!({ "mcpServers": { "a": server, "b": server, "d": server, "e e": server, "f": server, "on": server } }),
        ),
        (
            ".claude.json",
            json!({ "mcpServers": { "c": server, "a": server }, "projects": { "PROJECT": {
                "disabledMcpjsonServers": ["a"], "disabledMcpServers": ["c", "d"], "enabledMcpjsonServers": ["b", "on"] } } }),
        ),
        (
            "p/.claude/settings.local.json",
            json!({ "disabledMcpjsonServers": ["b"], "enableAllProjectMcpServers": true }),
        ),
        (
            "p/.claude/settings.json",
            json!({ "disabledMcpjsonServers": ["e_e"] }),
        ),
        (
            ".claude/settings.json",
            json!({ "deniedMcpServers": [{ "serverName": "f" }] }),
        ),
    ];
    with_files("claude", &files, |home, read| {
        let config = read("p/.mcp.json");
        assert_eq!(names(&config), ["on"]);
        let warnings: Vec<_> = config
            .warnings
            .iter()
            .map(|warning| warning.kind.to_string())
            .collect();
        let switch = |key: &str, file: &str| {
            format!(
                "the server is switched off in Claude Code (`{key}` in {}), so it is left out",
                home.join(file).display()
            )
        };
        assert_eq!(
            warnings,
            [
                switch("disabledMcpjsonServers", ".claude.json"),
                switch("disabledMcpjsonServers", "p/.claude/settings.local.json"),
                switch("disabledMcpServers", ".claude.json"),
                switch("disabledMcpjsonServers", "p/.claude/settings.json"),
                switch("deniedMcpServers", ".claude/settings.json"),
            ]
        );
        // The list of rejected servers of `.mcp.json` concerns no server of the user.
        assert_eq!(names(&read(".claude.json")), ["a"]);
    });
}

#[test]
fn switches_of_gemini_switch_servers_off() {
    let server = json!({ "command": "a" });
    let files = [
        (
            ".gemini/settings.json",
            json!({ "mcp": { "excluded": ["a"] }, "mcpServers": { "a": server, "b": server, "on": server } }),
        ),
        (
            ".gemini/mcp-server-enablement.json",
            json!({ "b": { "enabled": false }, "on": { "enabled": true } }),
        ),
        (
            "p/.gemini/settings.json",
            json!({ "mcp": { "allowed": ["x", "a"] }, "mcpServers": { "x": server, "y": server, "a": server } }),
        ),
    ];
    with_files("gemini", &files, |_, read| {
        assert_eq!(names(&read(".gemini/settings.json")), ["on"]);
        assert_eq!(names(&read("p/.gemini/settings.json")), ["x"]);
    });
}
