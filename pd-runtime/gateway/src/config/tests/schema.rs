//! The schema and the parser accept the same files, and know the same keys.

use super::{docs, parse_at};
use crate::config::{
    GatewayConfig,
    entry_keys::{ENTRY_KEYS, HTTP_KEYS, OPENAPI_KEYS, PROGRAM_KEYS, ROOT_KEYS},
    pd_keys::{FILE_KEYS, OAUTH_KEYS, SERVER_KEYS, TOOL_KEYS},
    raw_entries::parse_document,
    setting::DeclaredKey,
};
use pd_schema::CompiledSchema;
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::Path};

const PAGE: &str = include_str!("../../../docs/gateway.md");

fn schema() -> CompiledSchema {
    CompiledSchema::new(&GatewayConfig::json_schema()).unwrap()
}

/// Returns the violations of the schema, or an empty text.
fn violations(file: &Value) -> String {
    let validated = schema().validate(file, &[]);
    validated.map_or_else(|violations| violations.render(), |()| String::new())
}

/// Returns the mistakes that the parser reports. A variable that is not set is not one.
fn mistakes(file: &Value) -> String {
    let config = match parse_at("/x/servers.json", &file.to_string()) {
        Ok(config) => config,
        Err(error) => return error.to_string(),
    };
    let mistakes: Vec<_> = config.mistakes.iter().map(ToString::to_string).collect();
    mistakes.join("\n")
}

fn file_of(entry: &Value) -> Value {
    json!({ "mcpServers": { "it": entry } })
}

#[test]
fn the_files_on_the_pages_are_valid() {
    let json = docs::blocks("json")
        .into_iter()
        .map(|text| ("/x/mcp.json", text));
    let toml = docs::blocks("toml")
        .into_iter()
        .map(|text| ("/x/config.toml", text));
    for (path, text) in json.chain(toml) {
        let file = parse_document(Path::new(path), text).unwrap();
        assert_eq!(violations(&file), "", "{text}");
    }
}

#[test]
fn files_of_all_forms_are_valid() {
    let program = json!({ "command": "npx" });
    let mut files = vec![
        json!({ "$schema": "https://example.com/a.json", "mcpServers": {} }),
        json!({ "pd": { "inheritEnv": ["A"] }, "servers": { "a": program }, "inputs": [{ "id": "x" }, 5] }),
        json!({ "mcp": { "servers": { "a": program } } }),
        json!({ "mcp": { "a": { "type": "local", "command": ["npx", "-y"], "environment": {} } } }),
        // Gemini's object of this name has no servers.
        json!({ "mcp": { "excluded": [] }, "mcpServers": { "a": program } }),
        json!({ "projects": {} }),
    ];
    for key in [
        "mcp_servers",
        "context_servers",
        "amp.mcpServers",
        "mcp.servers",
    ] {
        files.push(json!({ key: { "a": program } }));
    }
    let entries = [
        json!({ "command": "a", "url": null, "args": ["-n", 1.5, true], "env": { "A": 1, "B": null }, "cwd": null }),
        json!({ "type": "STDIO", "transport": "stdio", "command": "a", "headers": "not read" }),
        json!({ "type": "Streamable_HTTP", "url": "HTTPS://a.example/mcp", "args": "not read" }),
        json!({ "transportType": "remote", "serverUrl": "${NOT_SET}", "headers": { "X-A": true, "X-B": null } }),
        json!({ "url": "https://a", "env_http_headers": { "X": "TOKEN" }, "bearer_token_env_var": "TOKEN" }),
        json!({ "httpUrl": "https://a", "timeout": 30_000, "alwaysAllow": [], "pd": null }),
        json!({ "transport": { "type": "sse", "url": "https://a/sse" } }),
        json!({ "command": { "path": "a", "args": ["b"] } }),
        json!({ "disabled": true, "command": 5, "url": 5, "pd": { "no": 1 } }),
        json!({ "enabled": "FALSE", "pd": 7 }),
        json!({ "command": "a", "enabled": "true", "disabled": false, "env_vars": ["A", { "name": "B" }] }),
        json!({ "command": "a", "Args": null, "args": null, "Env": {}, "env": {} }),
        json!({ "command": "a", "startup_timeout_sec": 5, "includeTools": ["a*"], "description": 5 }),
        json!({ "command": "a", "pd": { "timeout": null, "prefix": "", "rate": " 10 / min ", "idle": 0, "tools": { "x": {} } } }),
        json!({ "url": "https://a", "pd": { "oauth": { "clientId": "a", "clientSecret": "b", "grant": "client_credentials" } } }),
        json!({ "url": "https://a", "pd": { "oauth": null, "selective": "auto", "trust": "all" }, "key of a client": 1 }),
        json!({ "command": "a", "pd": { "groups": false } }),
        json!({ "command": "a", "pd": { "groups": { "issues": { "name": "tickets", "summary": null }, "others": {} } } }),
    ];
    files.extend(entries.iter().map(file_of));
    for file in &files {
        assert_eq!(
            (mistakes(file), violations(file)),
            Default::default(),
            "{file}"
        );
    }
}

/// Files, each with a part of the parser's error.
fn wrong_files() -> Vec<(Value, &'static str)> {
    let both = |name: &str, value: Value| json!({ "command": "a", "pd": { name: value } });
    let oauth = |value: Value| json!({ "url": "https://a", "pd": { "oauth": value } });
    let entries = [
        (both("sumary", json!("x")), "did you mean `summary`?"),
        (both("timeout", json!("30")), "must be a number"),
        (both("timeout", json!(-1)), "must be a number of seconds"),
        (both("timeout", json!(0)), "must be a number of seconds"),
        (
            both("timeout", json!(31_622_401)),
            "must be a number of seconds",
        ),
        (both("idle", json!(-0.5)), "must be a number of seconds"),
        (both("concurrency", json!(1.5)), "must be a whole number"),
        (both("connections", json!(0)), "must be a whole number"),
        (
            both("responseBytes", json!(1_073_741_825)),
            "must be a whole number",
        ),
        (both("summary", json!("one\ntwo")), "one line"),
        (both("summary", json!("")), "must not be empty"),
        (both("prefix", json!("a b")), "letters, digits"),
        (both("prefix", json!("a".repeat(65))), "letters, digits"),
        (both("alias", json!("")), "must not be empty"),
        (both("exclude", json!("git_reset")), "must be an array"),
        (both("exclude", json!(["git_*_all"])), "end of a name only"),
        (both("exclude", json!([""])), "must not be empty"),
        (both("pin", json!([1])), "must be a string"),
        (both("rate", json!("10/day")), "10/s"),
        (both("rate", json!("0/s")), "10/s"),
        (
            both("share", json!("user")),
            "`process`, `session`, `principal`",
        ),
        (both("trust", json!("none")), "`new`, `all`"),
        (both("selective", json!("yes")), "`\"auto\"`"),
        (both("eager", json!("true")), "must be true or false"),
        (both("groups", json!("no")), "true, false or an object"),
        (both("groups", json!({ "x": { "title": "y" } })), "title"),
        (
            both("inheritEnv", json!(["A=B"])),
            "name of an environment variable",
        ),
        (both("tools", json!({ "x": { "pin": true } })), "pin"),
        (both("tools", json!({ "x": null })), "must be an object"),
        (json!({ "command": "a", "pd": [] }), "must be an object"),
        (both("oauth", json!({})), "this needs `url`"),
        (
            oauth(json!({ "clientID": "a" })),
            "did you mean `clientId`?",
        ),
        (
            oauth(json!({ "clientSecret": "a" })),
            "this needs `clientId`",
        ),
        (
            oauth(json!({ "grant": "client_credentials" })),
            "this needs `clientSecret`",
        ),
        (
            oauth(json!({ "grant": "password" })),
            "`authorization_code`, `client_credentials`",
        ),
        (
            oauth(json!({ "redirectPort": 65_536 })),
            "must be a whole number",
        ),
        (
            json!({ "command": "a", "url": "https://a" }),
            "exclude each other",
        ),
        (
            json!({ "url": "https://a", "httpUrl": "https://a" }),
            "exclude each other",
        ),
        (json!({}), "no `command` and no `url`"),
        (json!({ "command": null }), "no `command` and no `url`"),
        (json!(7), "must be an object"),
        (json!({ "command": ["a"] }), "must be a string"),
        (json!({ "command": "" }), "must not be empty"),
        (json!({ "command": "a", "args": "b" }), "must be an array"),
        (
            json!({ "command": "a", "args": [null] }),
            "must be a string",
        ),
        (json!({ "command": "a", "args": vec!["b"; 1025] }), "1024"),
        (
            json!({ "command": "a", "env": { "A=B": "1" } }),
            "name of an environment variable",
        ),
        (
            json!({ "command": "a", "env": { "A": [] } }),
            "must be a string",
        ),
        (json!({ "command": "a", "cwd": 5 }), "must be a string"),
        (
            json!({ "command": "a", "type": "http" }),
            "which needs `url`",
        ),
        (
            json!({ "url": "https://a", "type": "stdio" }),
            "which needs `command`",
        ),
        (
            json!({ "url": "https://a", "type": "websocket" }),
            "not a kind of server",
        ),
        (
            json!({ "url": "a.example/mcp" }),
            "must begin with `http://`",
        ),
        (json!({ "url": "https://a b" }), "a space"),
        (json!({ "url": "https:///mcp" }), "no valid host"),
        (
            json!({ "url": "https://a", "headers": { "X Y": "1" } }),
            "name of an HTTP header",
        ),
        (
            json!({ "url": "https://a", "env_http_headers": { "X": "" } }),
            "must not be empty",
        ),
        (
            json!({ "url": "https://a", "bearer_token_env_var": "A=B" }),
            "name of an environment variable",
        ),
        (
            json!({ "command": "a", "disabled": "maybe" }),
            "must be true or false",
        ),
        (
            json!({ "command": "a", "timeout": -5 }),
            "must be a number of seconds",
        ),
        (
            json!({ "command": "a", "startup_timeout_sec": 5, "startup_timeout_ms": 0 }),
            "milliseconds",
        ),
        (
            json!({ "command": "a", "env_vars": [{ "from": "A" }] }),
            "must be a string",
        ),
        (
            json!({ "command": "a", "Args": [] }),
            "did you mean `args`?",
        ),
        (
            json!({ "url": "https://a", " headers": {} }),
            "did you mean `headers`?",
        ),
    ];
    let mut files = vec![
        (json!([]), "must be an object"),
        (json!({}), "the file has no servers"),
        (json!({ "mcpServer": {} }), "did you mean `mcpServers`?"),
        (json!({ "mcpServers": null }), "must be an object"),
        (
            json!({ "mcpServers": {}, "servers": {} }),
            "both `mcpServers` and `servers`",
        ),
        (
            json!({ "mcpServers": {}, "pd": { "summary": "x" } }),
            "the settings are `inheritEnv`",
        ),
        (
            json!({ "mcpServers": {}, "pd": { "inheritEnv": "A" } }),
            "must be an array",
        ),
    ];
    files.extend(
        entries
            .iter()
            .map(|(entry, error)| (file_of(entry), *error)),
    );
    files
}

#[test]
fn wrong_files_are_refused_by_the_schema_and_the_parser() {
    for (file, error) in wrong_files() {
        let found = mistakes(&file);
        assert!(found.contains(error), "{file}: {found:?}");
        assert_ne!(violations(&file), "", "{file}");
    }
}

fn keys(declared: &[&dyn DeclaredKey]) -> BTreeSet<String> {
    declared.iter().map(|key| key.key().to_owned()).collect()
}

/// Parses one entry, and returns its settings.
fn settings_of(entry: &Value) -> crate::ServerSettings {
    let file = file_of(entry);
    assert_eq!(
        (mistakes(&file), violations(&file)),
        Default::default(),
        "{file}"
    );
    parse_at("/x/servers.json", &file.to_string())
        .unwrap()
        .servers
        .remove(0)
        .settings
}

/// A key that is declared and not read is accepted, and does nothing.
#[test]
fn every_declared_setting_is_read() {
    let plain = settings_of(&json!({ "url": "https://a" }));
    let empty_tool = json!({ "url": "https://a", "pd": { "tools": { "x": {} } } });
    let plain_tool = settings_of(&empty_tool);
    for declared in SERVER_KEYS {
        let examples = declared.examples();
        assert!(!examples.is_empty(), "{}", declared.key());
        for example in examples {
            let pd = json!({ declared.key(): example });
            let entry = json!({ "url": "https://a", "pd": pd });
            assert_ne!(settings_of(&entry), plain, "{pd}");
        }
    }
    for declared in TOOL_KEYS {
        let tool = json!({ declared.key(): declared.examples()[0] });
        let entry = json!({ "url": "https://a", "pd": { "tools": { "x": tool } } });
        assert_ne!(settings_of(&entry), plain_tool, "{tool}");
    }
    for declared in OAUTH_KEYS {
        // Some keys need the other keys of the client.
        let without = match declared.key() {
            "clientSecret" => json!({ "clientId": "a" }),
            "grant" => json!({ "clientId": "a", "clientSecret": "b" }),
            _ => json!({}),
        };
        let mut with = without.clone();
        // A variable that is not set would leave the server out.
        let example = declared.examples()[0].clone();
        let is_variable = example.as_str().is_some_and(|text| text.starts_with('$'));
        with[declared.key()] = if is_variable { json!("c") } else { example };
        let settings =
            |oauth: &Value| settings_of(&json!({ "url": "https://a", "pd": { "oauth": oauth } }));
        assert_ne!(settings(&with), settings(&without), "{with}");
    }
    for declared in FILE_KEYS {
        let pd = json!({ declared.key(): declared.examples()[0] });
        let file = json!({ "pd": pd, "mcpServers": { "it": { "url": "https://a" } } });
        let config = parse_at("/x/servers.json", &file.to_string()).unwrap();
        assert_ne!(config.servers[0].settings, plain, "{pd}");
    }
}

/// A declared key of an entry that the parser does not read would be checked in the schema alone.
#[test]
fn every_declared_key_of_an_entry_is_read() {
    let wrong = [json!(-1), json!([-1]), json!({ "a=": [] }), json!(["="])];
    let mut unchecked = BTreeSet::new();
    for (target, value, declared) in [
        ("command", json!("a"), PROGRAM_KEYS),
        ("url", json!("https://a"), HTTP_KEYS),
        ("openapi", json!("a.yaml"), OPENAPI_KEYS),
        ("command", json!("a"), ENTRY_KEYS),
    ] {
        for declared in declared {
            let key = declared.key();
            let mut is_checked = false;
            for wrong in &wrong {
                let mut entry = json!({ target: value });
                entry[key] = wrong.clone();
                let file = file_of(&entry);
                if violations(&file).is_empty() {
                    continue;
                }
                is_checked = true;
                assert_ne!(mistakes(&file), "", "{entry}");
            }
            if !is_checked {
                unchecked.insert(key);
            }
            for example in declared.examples() {
                let bases = [
                    json!({}),
                    json!({ "command": "a" }),
                    json!({ "url": "https://a" }),
                ];
                let is_valid = bases.into_iter().any(|mut entry| {
                    entry[key] = example.clone();
                    violations(&file_of(&entry)).is_empty()
                });
                assert!(is_valid, "{key}: {example}");
            }
        }
    }
    let free = ["description", "autoApprove", "alwaysAllow", "source"];
    assert_eq!(unchecked, BTreeSet::from(free));
    assert_eq!(keys(ROOT_KEYS), BTreeSet::from(["pd".to_owned()]));
}

/// Returns the rows of a table of the page, each with the keys of its first cell.
fn table(heading: &str) -> Vec<(Vec<&'static str>, &'static str)> {
    let (_, section) = PAGE.split_once(heading).unwrap();
    let (_, rows) = section.split_once("| key | meaning | default |\n").unwrap();
    rows.lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|row| {
            let first = row.split('|').nth(1).unwrap();
            let keys = first.split(',').map(|key| key.trim().trim_matches('`'));
            (keys.collect(), row.rsplit('|').nth(1).unwrap().trim())
        })
        .collect()
}

#[test]
fn the_page_has_the_url_of_this_version() {
    let url = crate::config::schema_url();
    assert_eq!(PAGE.matches(&url).count(), 2);
    assert_eq!(GatewayConfig::json_schema().get("$id"), Some(&json!(url)));
}

#[test]
fn the_page_has_every_key_with_its_default() {
    for (heading, declared) in [
        ("\n## Configuration\n", SERVER_KEYS),
        ("\n## Servers with OAuth\n", OAUTH_KEYS),
    ] {
        let rows = table(heading);
        let on_page: BTreeSet<_> = rows
            .iter()
            .flat_map(|(keys, _)| keys.iter().map(|key| (*key).to_owned()))
            .collect();
        assert_eq!(on_page, keys(declared), "{heading}");
        for declared in declared {
            let (_, default) = rows
                .iter()
                .find(|(keys, _)| keys.contains(&declared.key()))
                .unwrap();
            let property = declared.property();
            let text = match property.get("default") {
                // The page writes an empty list as `none`, or as the effect that it has.
                None | Some(Value::Array(_)) => continue,
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            assert!(default.contains(&text), "{}: {default}", declared.key());
        }
    }
    let (_, row) = PAGE.split_once("| `tools` | ").unwrap();
    let row = row.lines().next().unwrap();
    for key in keys(TOOL_KEYS) {
        assert!(row.contains(&format!("`{key}`")), "{key}: {row}");
    }
}
