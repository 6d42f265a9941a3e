//! Secrets reach the transport only, and the file of environment variables is one of their sources.

use super::{super::SecretText, SECRET, parse_at, parse_entry, stdio};
use serde_json::json;
use std::fs;

#[test]
fn debug_output_has_no_secret() {
    let config = parse_at(
        "/work/app/.mcp.json",
        r#"{"mcpServers": {
            "a": { "command": "a", "args": ["--token=${TOKEN}"], "env": { "KEY": "${TOKEN}" } },
            "b": { "url": "https://user:${TOKEN}@h.example/${TOKEN}?key=${TOKEN}#${TOKEN}", "headers": { "X": "${TOKEN}" },
                   "bearer_token_env_var": "TOKEN" },
            "c": { "url": "https://h.example", "pd": { "oauth": { "clientId": "c", "clientSecret": "${TOKEN}" } } } }}"#,
    )
    .unwrap();
    let oauth = config
        .servers
        .last()
        .and_then(|server| server.settings.oauth.as_ref())
        .unwrap();
    assert_eq!(oauth.client_secret.as_ref().unwrap().expose(), SECRET);
    for text in [format!("{config:?}"), format!("{config:#?}")] {
        assert!(
            !text.contains(SECRET) && text.contains("h.example") && text.contains("KEY"),
            "{text}"
        );
    }
    let fingerprints: Vec<_> = config
        .servers
        .iter()
        .map(|server| server.fingerprint_source().to_string())
        .collect();
    assert!(
        fingerprints.iter().all(|text| !text.contains(SECRET)),
        "{fingerprints:?}"
    );
}

#[test]
fn fingerprints_identify_servers_without_their_values() {
    let entry = parse_entry(
        r#"{ "command": "npx", "args": ["a"], "cwd": "/d", "env": { "B": "1", "A": "2" }, "pd": {"inheritEnv": ["C"]} }"#,
    );
    let expected = json!({
        "argsDigest": ARGS_DIGEST,
        "command": "npx", "cwd": "/d", "env": ["A", "B", "C"], "transport": "stdio",
    });
    assert_eq!(entry.fingerprint_source(), expected);

    let remote = |url: &str, value: &str| {
        parse_entry(&format!(
            r#"{{ "url": "{url}", "headers": {{ "X-Key": "{value}" }} }}"#
        ))
        .fingerprint_source()
    };
    let one = remote("https://u:p@H.example/mcp?key=1&bare", "1");
    assert_eq!(one["headers"], json!(["x-key"]));
    assert_eq!(
        (&one["origin"], &one["query"]),
        (&json!("https://h.example"), &json!(["key", ""]))
    );
    assert_eq!(
        one["urlDigest"],
        remote("https://h.example/mcp?key=2&other", "2")["urlDigest"]
    );
    assert_ne!(
        one["urlDigest"],
        remote("https://h.example/mcp2?key=2&other", "2")["urlDigest"]
    );
    assert_eq!(
        remote("https://h.example:8443/mcp", "1")["origin"],
        "https://h.example:8443"
    );
}

#[test]
fn fingerprints_change_with_arguments() {
    let digest = |args: &str| {
        let entry = parse_entry(&format!(r#"{{"command": "a", "args": {args}}}"#));
        entry.fingerprint_source()["argsDigest"].clone()
    };
    assert_ne!(digest(r#"["a", "b"]"#), digest(r#"["a b"]"#));
    // printf '["a"]' | sha256sum
    assert_eq!(digest(r#"["a"]"#), ARGS_DIGEST);
}

const ARGS_DIGEST: &str = "sha256:0eb5b8d6f81bc677da8a08567cc4fa9a06a57e9ec8da85ed73a7f62727996002";

#[test]
fn env_files_are_read_and_their_mistakes_reported() {
    let directory = std::env::temp_dir().join(format!("gwconfig-env-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let config = directory.join("mcp.json");
    let parse = |env: &str| {
        fs::write(directory.join(".env"), env).unwrap();
        let entry = r#"{"servers": {"a": {"command": "a", "envFile": "${workspaceFolder}/.env", "env": {"B": "entry"}}}}"#;
        parse_at(config.to_str().unwrap(), entry)
    };
    let good =
        parse("# c\n\nexport A=x#y # c\nB=file\nC='$1 \\'\nD=\"a\\n\\\"b\" # c\nE=\n").unwrap();
    let env: Vec<_> = stdio(&good.servers[0])
        .env
        .iter()
        .map(|(name, value)| (name.as_str(), value.expose()))
        .collect();
    assert_eq!(
        env,
        [
            ("A", "x#y"),
            ("B", "entry"),
            ("C", "$1 \\"),
            ("D", "a\n\"b"),
            ("E", "")
        ]
    );
    // Values over several lines, as dotenv reads them.
    let lines = parse(
        "KEY=\"-----BEGIN\nabc\n-----END\"\nB2=2\r\nexport S='x\r\n \\n=\"#\n' # c\nD = \"a\\\"\nb\"\n",
    )
    .unwrap();
    assert_eq!(lines.warnings, []);
    let value = |name: &str| {
        stdio(&lines.servers[0])
            .env
            .get(name)
            .map(SecretText::expose)
    };
    assert_eq!(value("KEY"), Some("-----BEGIN\nabc\n-----END"));
    assert_eq!(value("S"), Some("x\n \\n=\"#\n"));
    assert_eq!((value("B2"), value("D")), (Some("2"), Some("a\"\nb")));

    // A bad line loses neither the others nor the server.
    let bad = parse(&format!(
        "A=1\n{SECRET}\nE=\"{SECRET}\nQ='1\n2'\nbad\nC='x' y\n=1\nF=\"{SECRET}"
    ))
    .unwrap();
    let file = config.display();
    let env = directory.join(".env");
    let line = |line| {
        let env = env.display();
        let file = format!("{file}:1:36: server `a`, key `envFile`");
        format!(
            "{file}: line {line} of the environment file {env} is not valid, and is left out; write `NAME=value`"
        )
    };
    let warnings: Vec<_> = bad.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, [2, 3, 6, 7, 8, 9].map(line));
    assert!(
        bad.mistakes.is_empty()
            && bad
                .warnings
                .iter()
                .all(|warning| !warning.kind.is_missing_value())
    );
    let names: Vec<_> = stdio(&bad.servers[0]).env.keys().collect();
    assert_eq!(names, ["A", "B", "Q"]);
    // A file of another format does not fill the log.
    assert_eq!(
        parse(&"no assignment\n".repeat(1000))
            .unwrap()
            .warnings
            .len(),
        20
    );
    fs::remove_dir_all(&directory).unwrap();
}
