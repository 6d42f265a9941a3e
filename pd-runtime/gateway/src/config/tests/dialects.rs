//! Files as each client writes them, and the expansion of variables.

use super::{super::*, SECRET, http, input, parse, parse_at, parse_entry, stdio, variable};
use std::{num::NonZeroU32, time::Duration};

#[test]
fn claude_code() {
    let config = parse(
        r#"{
  // The team's servers.
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://api.example.com/${REGION:-eu}/mcp",
      "headers": { "Authorization": "Bearer ${TOKEN}" }, /* from the vault */
    },
    "file system": { "command": "npx", "args": ["-y", "server", "$HOME", "${workspaceFolder}/data"] },
  },
}"#,
    );
    let [github, files] = config.servers.as_slice() else {
        panic!("{config:?}")
    };
    assert_eq!((github.name.as_str(), github.line), ("github", 4));
    assert_eq!(http(github).url, "https://api.example.com/eu/mcp");
    assert_eq!(
        http(github).headers["Authorization"].expose(),
        format!("Bearer {SECRET}")
    );
    assert_eq!(
        (files.name.as_str(), files.label.as_str()),
        ("file_system", "file system")
    );
    assert_eq!(
        stdio(files).args,
        ["-y", "server", "$HOME", "/work/app/data"]
    );
    assert_eq!(config.workspace, Path::new("/work/app"));
    assert_eq!(config.warnings, []);
}

#[test]
fn claude_code_state_with_projects() {
    let text = r#"{ "numStartups": 7,
      "mcpServers": { "a": { "command": "user-a" }, "b": { "command": "user-b" } },
      "projects": { "/work/app": { "mcpServers": { "a": { "command": "project-a" } } } } }"#;
    let path = Path::new("/home/ada/.claude.json");
    let context = ReadContext::new(&variable, &input);
    let commands = |context: &ReadContext<'_>| {
        let config = GatewayConfig::parse(path, text, context).unwrap();
        config
            .servers
            .iter()
            .map(|server| stdio(server).command.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(commands(&context), ["user-a", "user-b"]);
    assert_eq!(
        commands(&context.with_project(Path::new("/work/app"))),
        ["user-b", "project-a"]
    );
    assert_eq!(
        GatewayConfig::parse(path, r#"{"projects": {}}"#, &context)
            .unwrap()
            .servers,
        []
    );
}

#[test]
fn vs_code() {
    let config = parse_at(
        "/work/app/.vscode/mcp.json",
        r#"{
  "inputs": [
    { "type": "promptString", "id": "github-token", "description": "Token", "password": true },
    { "type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu" },
  ],
  "servers": {
    "github": {
      "type": "stdio", "command": "~/bin/github", "cwd": "sub",
      "args": ["--region=${input:region}", "${userHome}", "${workspaceFolderBasename}"],
      "env": { "TOKEN": "${input:github-token}", "COUNT": 3, "DEBUG": true, "UNSET": null },
    },
    "old": { "type": "sse", "url": "http://localhost:3000/sse" },
  },
}"#,
    )
    .unwrap();
    let server = stdio(&config.servers[0]);
    assert_eq!(server.command, "/home/ada/bin/github");
    assert_eq!(server.cwd.as_deref(), Some(Path::new("/work/app/sub")));
    assert_eq!(server.args, ["--region=eu", "/home/ada", "app"]);
    let env: Vec<_> = server
        .env
        .iter()
        .map(|(name, value)| (name.as_str(), value.expose()))
        .collect();
    assert_eq!(env, [("COUNT", "3"), ("DEBUG", "true"), ("TOKEN", SECRET)]);
    assert!(
        matches!(&config.servers[1].transport, ServerTransport::Sse(server) if server.headers.is_empty())
    );
}

#[test]
fn codex() {
    let config = parse_at(
        "/home/ada/.codex/config.toml",
        r#"# Codex
model = "o9"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]
env_vars = ["LOCAL", { name = "OTHER", source = "local" }]
startup_timeout_sec = 20
tool_timeout_sec = 1.5
enabled_tools = ["search", "read_*"]
disabled_tools = ["read_secret"]

[mcp_servers.docs.env]
MODE = "fast"

[mcp_servers.docs.pd]
idle = 0

[mcp_servers.remote]
url = "https://mcp.example.com/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Key" = "TOKEN" }
enabled = false
[mcp_servers.live]
url = "https://mcp.example.com/mcp"
bearer_token_env_var = "TOKEN"
env_http_headers = { "X-Key" = "TOKEN" }
"#,
    )
    .unwrap();
    let [docs, remote, live] = config.servers.as_slice() else {
        panic!("{config:?}")
    };
    assert_eq!((docs.line, remote.line), (4, 19));
    assert_eq!(stdio(docs).env["MODE"].expose(), "fast");
    assert_eq!(docs.settings.inherit_env, ["LOCAL", "OTHER"]);
    assert_eq!(docs.settings.start_timeout, Some(Duration::from_secs(20)));
    assert_eq!(docs.settings.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(docs.settings.idle, Some(IdleStop::Never));
    let offered =
        ["search", "read_page", "read_secret", "write"].map(|tool| docs.settings.offers(tool));
    assert_eq!(offered, [true, true, false, false]);
    assert!(remote.is_disabled && http(remote).bearer_token.is_none());
    assert_eq!(
        http(live).bearer_token.as_ref().map(SecretText::expose),
        Some(SECRET)
    );
    assert_eq!(http(live).headers["X-Key"].expose(), SECRET);
}

#[test]
fn gemini_windsurf_and_cline() {
    let gemini = parse_entry(
        r#"{ "httpUrl": "https://a.example/mcp", "timeout": 30000, "trust": true, "includeTools": ["a", "b"],
             "excludeTools": ["b"], "description": "Finds things.\nMore." }"#,
    );
    assert_eq!(gemini.settings.timeout, Some(Duration::from_secs(30)));
    assert_eq!(gemini.settings.summary.as_deref(), Some("Finds things."));
    assert!(
        gemini.settings.offers("a") && !gemini.settings.offers("b") && !gemini.settings.offers("c")
    );
    let windsurf = parse_entry(
        r#"{ "serverUrl": "https://b.example/mcp", "disabledTools": ["x"], "disabled": false }"#,
    );
    assert_eq!(http(&windsurf).url, "https://b.example/mcp");
    assert!(!windsurf.is_disabled && !windsurf.settings.offers("x"));
    let cline =
        parse_entry(r#"{ "command": "a", "timeout": 3600, "autoApprove": [], "disabled": true }"#);
    assert_eq!(cline.settings.timeout, Some(Duration::from_secs(3600)));
    assert!(cline.is_disabled);
    assert_eq!(
        parse_entry(r#"{ "command": "a", "timeout": 60 }"#)
            .settings
            .timeout,
        Some(Duration::from_secs(60))
    );
    for kind in ["http", "streamable-http", "streamableHttp"] {
        let entry = parse_entry(&format!(
            r#"{{ "type": "{kind}", "url": "https://a.example" }}"#
        ));
        assert!(matches!(entry.transport, ServerTransport::Http(_)));
    }
}

#[test]
fn gemini_expands_variables_without_braces() {
    let text = |value: &str| {
        format!(r#"{{ "mcpServers": {{ "a": {{ "command": "a", "args": ["{value}"] }} }} }}"#)
    };
    let argument = |path: &str, value: &str| {
        let config = parse_at(path, &text(value)).unwrap();
        stdio(&config.servers[0]).args[0].clone()
    };
    let gemini = "/work/app/.gemini/settings.json";
    assert_eq!(
        argument(gemini, "--token=$TOKEN,${TOKEN}"),
        format!("--token={SECRET},{SECRET}")
    );
    assert_eq!(argument(gemini, "$1 a$ pa$$word ^x$"), "$1 a$ pa$$word ^x$");
    assert_eq!(argument("/work/app/.cursor/mcp.json", "$TOKEN"), "$TOKEN");
    let config = parse_at(gemini, &text("$NOT_SET")).unwrap();
    assert_eq!(config.servers, []);
    assert!(
        config.warnings[0].to_string().contains("NOT_SET"),
        "{:?}",
        config.warnings
    );
}

#[test]
fn settings_of_pd() {
    let entry = parse_entry(
        r#"{ "command": "a", "timeout": 5, "description": "no", "excludeTools": ["z"], "pd": {
            "prefix": "", "summary": "Files", "pin": ["read"], "include": ["read", "list_*"], "exclude": ["list_all"],
            "timeout": 2.5, "startTimeout": 8, "idle": 90, "concurrency": 1, "rate": "60/min",
            "scopes": ["files"], "inheritEnv": ["LANG"], "eager": true, "confirmDestructive": true, "share": "session", "handshake": "initialize", "connections": 4,
            "trust": "new", "selective": "auto", "responseBytes": 1000, "resultTokens": 700,
            "groups": { "pull-requests": { "name": "reviews", "summary": "Review" } },
            "tools": { "read": { "timeout": 1, "resultTokens": 70, "concurrency": 2, "rate": "10/s", "scopes": ["r"], "summary": "Reads",
                "selective": true } } } }"#,
    );
    let rate = |count, seconds| {
        Some(CallRate {
            count: NonZeroU32::new(count).unwrap(),
            period: Duration::from_secs(seconds),
        })
    };
    let patterns = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| ToolPattern::parse(text).unwrap())
            .collect::<Vec<_>>()
    };
    let tool = ToolSettings {
        timeout: Some(Duration::from_secs(1)),
        result_tokens: NonZeroU32::new(70),
        concurrency: NonZeroU32::new(2),
        rate: rate(10, 1),
        scopes: vec!["r".to_owned()],
        summary: Some("Reads".to_owned()),
        selective: Some(SelectiveResults::Always),
    };
    let expected = ServerSettings {
        prefix: Some(String::new()),
        summary: Some("Files".to_owned()),
        pin: vec!["read".to_owned()],
        confirm: Vec::new(),
        confirms_destructive: true,
        include: Some(patterns(&["read", "list_*"])),
        exclude: patterns(&["list_all", "z"]),
        timeout: Some(Duration::from_millis(2500)),
        start_timeout: Some(Duration::from_secs(8)),
        idle: Some(IdleStop::After(Duration::from_secs(90))),
        concurrency: NonZeroU32::new(1),
        rate: rate(60, 60),
        scopes: vec!["files".to_owned()],
        tools: [("read".to_owned(), tool)].into(),
        inherit_env: vec!["LANG".to_owned()],
        is_eager: true,
        share: Some(ConnectionSharing::Session),
        handshake: Some(FirstRequest::Initialize),
        connections: NonZeroU32::new(4),
        response_bytes: Some(1_000),
        result_tokens: NonZeroU32::new(700),
        trust: ServerTrust::New,
        selective: SelectiveResults::Auto,
        groups: GroupChoice::Made(
            [(
                "pull-requests".to_owned(),
                GroupTexts {
                    name: Some("reviews".to_owned()),
                    summary: Some("Review".to_owned()),
                },
            )]
            .into(),
        ),
        oauth: None,
    };
    assert_eq!(entry.settings, expected);
    assert_eq!(
        parse_entry(r#"{"command": "a"}"#).settings,
        ServerSettings::default()
    );
    let groups = |written: &str| {
        let entry = format!(r#"{{"command": "a", "pd": {{"groups": {written}}}}}"#);
        parse_entry(&entry).settings.groups
    };
    assert_eq!(groups("false"), GroupChoice::None);
    assert_eq!(groups("true"), GroupChoice::default());
}

#[test]
fn oauth_of_pd() {
    let entry = parse_entry(
        r#"{ "url": "https://a.example", "pd": { "oauth": {
            "clientId": "${HOME}", "clientSecret": "${TOKEN}", "scopes": ["read"], "grant": "client_credentials",
            "redirectPort": 8400 } } }"#,
    );
    let expected = OAuthSettings {
        client_id: Some("/home/ada".to_owned()),
        client_secret: Some(SecretText::new(SECRET)),
        scopes: vec!["read".to_owned()],
        grant: OAuthGrant::ClientCredentials,
        redirect_port: Some(8400),
    };
    assert_eq!(entry.settings.oauth, Some(expected));
    let entry = parse_entry(r#"{ "url": "https://a.example", "pd": { "oauth": {} } }"#);
    assert_eq!(entry.settings.oauth, Some(OAuthSettings::default()));
}

#[test]
fn variables() {
    for (text, expanded) in [
        ("$TOKEN", "$TOKEN"),
        ("${TOKEN}/${env:HOME}", "s3cr3t-value//home/ada"),
        ("${MISSING:-a:-b}", "a:-b"),
        ("${env:MISSING:-}", ""),
        // An empty variable is set, as in Claude Code.
        ("<${EMPTY:-default}>", "<>"),
        ("${input:github-token}${input:other:-x}", "s3cr3t-valuex"),
        ("${TOKEN", "${TOKEN"),
        ("${pathSeparator}${/}", "//"),
        // Values are not expanded again.
        ("${MISSING:-$}{TOKEN}", "${TOKEN}"),
        // Only commands and directories are paths.
        ("~/x", "~/x"),
    ] {
        assert_eq!(
            stdio(&parse_entry(&format!(
                r#"{{"command": "a", "args": ["{text}"]}}"#
            )))
            .args,
            [expanded]
        );
    }
}

#[test]
fn disabled_entries_need_no_variables() {
    let entry = parse_entry(
        r#"{ "url": "${BASE}/mcp", "headers": { "A": "${MISSING}" }, "disabled": true }"#,
    );
    assert_eq!(http(&entry).url, "${BASE}/mcp");
    let entry =
        parse_entry(r#"{ "command": "${MISSING}", "envFile": "/missing", "disabled": true }"#);
    assert_eq!(stdio(&entry).command, "${MISSING}");
}

#[test]
fn an_alias_is_a_short_prefix() {
    let prefix = |pd: &str| {
        parse_entry(&format!("{{ \"command\": \"a\", \"pd\": {pd} }}"))
            .settings
            .prefix
    };
    assert_eq!(prefix(r#"{ "alias": "gh" }"#).as_deref(), Some("gh__"));
    assert_eq!(
        prefix(r#"{ "alias": "gh", "prefix": "g-" }"#).as_deref(),
        Some("g-")
    );
    assert_eq!(prefix("{}"), None);
}

#[test]
fn names_with_the_separator_are_a_warning() {
    let config = parse(
        r#"{"mcpServers": {"a__b": {"command": "a"},
"c__d": {"command": "a", "pd": {"prefix": "c"}}}}"#,
    );
    let [warning] = config.warnings.as_slice() else {
        panic!("{:?}", config.warnings)
    };
    assert_eq!(
        warning.to_string(),
        "/work/app/.mcp.json:1:17: server `a__b`: the name of the server contains `__`, which separates server and \
         tool in the names of tools; rename it, or set `pd.prefix`"
    );
}

#[test]
fn the_content_selects_the_format() {
    let toml = "[mcp_servers.a]\ncommand = 'a'";
    assert_eq!(parse_at("/x/config", toml).unwrap().servers.len(), 1);
    let json = "\u{feff}// c\n/* d */ {\"servers\": {\"a\": {\"command\": \"a\"}}}";
    assert_eq!(parse_at("/x/config.toml", json).unwrap().servers[0].line, 2);
    assert_eq!(parse(r#"{"mcpServers": {}}"#).servers, []);
}
