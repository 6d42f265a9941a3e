//! What is a secret of an entry, and how texts look without it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use super::*;
use crate::config::{GatewayConfig, ReadContext};
use serde_json::json;
use std::path::Path;

fn filter(entry: &Value) -> SecretFilter {
    let (none, inherited) = (
        |_: &str| None,
        |name: &str| (name == "GH_TOKEN").then(|| "inherited-1".to_owned()),
    );
    let text = json!({ "mcpServers": { "s": entry } }).to_string();
    let config = GatewayConfig::parse(
        Path::new("mcp.json"),
        &text,
        &ReadContext::new(&none, &none),
    )
    .unwrap();
    SecretFilter::new(config.servers.first().unwrap(), inherited)
}

#[test]
fn values_of_an_entry_are_hidden_in_every_form() {
    let filter = filter(&json!({
        "command": "x",
        "args": ["--token", "opaque-word", "--api-key=abcdefgh1", "-e", "DB_PASSWORD=p4ssword!", "--header",
                 "Authorization: Bearer tok-tok-tok", "ghp_0123456789abcdef", "postgres://user:p%40ssw0rd@db/app",
                 "{\"apiKey\": \"json-secret\"}", "aB3dE6gH9jK2mN5pQ8sT", "--verbose", "src/main.rs", "@scope/package"],
        "env": { "TOKEN": "a secret\"value", "PEM": "-----BEGIN\nlineoneofit\n", "SHORT": "true" },
        "pd": { "inheritEnv": ["GH_TOKEN"] }
    }));
    for secret in [
        "opaque-word",
        "abcdefgh1",
        "p4ssword!",
        "tok-tok-tok",
        "ghp_0123456789abcdef",
        "p%40ssw0rd",
        "p@ssw0rd",
        "json-secret",
        "aB3dE6gH9jK2mN5pQ8sT",
        "a secret\"value",
        "a secret\\\"value",
        "a%20secret%22value",
        "a+secret%22value",
        "lineoneofit",
        "inherited-1",
    ] {
        assert_eq!(
            filter.hide(&format!("Error: <{secret}> refused")),
            "Error: <***> refused",
            "{secret}"
        );
    }
    let text = "--verbose src/main.rs @scope/package true --token x";
    assert_eq!(filter.hide(text), text);
}

#[test]
fn headers_and_urls_are_hidden() {
    let filter = filter(&json!({
        "url": "https://ada:lovelace1@x.example/mcp/Kx8sJ2mQ9vT4wZ7bN1cR?api_key=query-key-1&v=2",
        "headers": { "Authorization": "Bearer header-token", "X-Short": "yes" }
    }));
    for secret in [
        "header-token",
        "lovelace1",
        "query-key-1",
        "Kx8sJ2mQ9vT4wZ7bN1cR",
        "YWRhOmxvdmVsYWNlMQ==",
    ] {
        assert_eq!(
            filter.hide(&format!("got {secret}.")),
            "got ***.",
            "{secret}"
        );
    }
    assert_eq!(
        filter.hide_with(
            "yes token-of-login",
            Some(&SecretText::new("token-of-login"))
        ),
        "yes ***"
    );
    for token in ["abc.header-token.def", "header-t"] {
        let hidden = filter.hide_with(
            &format!("{token}, header-token"),
            Some(&SecretText::new(token)),
        );
        assert!(
            !hidden.contains("def") && !hidden.contains("token"),
            "{hidden}"
        );
    }
    let mut data = json!({ "a": ["Bearer header-token", 1] });
    filter.hide_in(&mut data);
    assert_eq!(data, json!({ "a": ["***", 1] }));
}

/// Fails if a text that a server prints still contains one of the parts.
fn assert_hidden(filter: &SecretFilter, text: &str, parts: &[&str]) {
    let hidden = filter.hide(text);
    let shown: Vec<_> = parts
        .iter()
        .filter(|part| hidden.contains(**part))
        .collect();
    assert!(
        hidden.contains(HIDDEN) && shown.is_empty(),
        "{text}\n{hidden}\n{shown:?}"
    );
}

const BASIC: &str = "YWRtaW46cGFzc3dvcmQxMjM0ZDE=";
const TOKEN: &str = "ntn_S3cret0123456789abcdef";

#[test]
fn a_header_among_the_arguments_is_hidden_in_any_notation() {
    for args in [
        json!(["--header", format!("Authorization: Basic {BASIC}")]),
        json!(["-H", format!("X-API-Key: {BASIC}")]),
        json!([format!("--header=Authorization: Basic {BASIC}")]),
        json!([format!("--header=Authorization=Basic {BASIC}")]),
        json!(["--header", "Authorization:", "Basic", BASIC]),
        json!(["-c", format!("curl -H 'Authorization: Basic {BASIC}' x")]),
        json!(["-e", format!("HEADERS=Authorization: Basic {BASIC}")]),
        json!([format!(
            "{{\"headers\": [\"Authorization: Basic {BASIC}\"]}}"
        )]),
    ] {
        let filter = filter(&json!({ "command": "x", "args": args }));
        for text in [
            format!("Using custom headers: Authorization: Basic {BASIC}"),
            format!("401 for {BASIC}"),
        ] {
            assert_hidden(&filter, &text, &[BASIC]);
        }
    }
    for args in [
        json!([format!("--header=Authorization: Bearer {TOKEN}")]),
        json!([format!("--header=X-Custom: {TOKEN}")]),
        json!(["--headers", format!("{{\"X-Custom\":\"Bearer {TOKEN}\"}}")]),
        json!([format!(
            "--headers={{\"Authorization\":\"Bearer {TOKEN}\"}}"
        )]),
        json!([format!(
            "{{\"headers\":[{{\"name\":\"X-Key\",\"value\":\"{TOKEN}\"}}]}}"
        )]),
        json!(["-c", format!("export API_TOKEN={TOKEN}; python server.py")]),
        json!(["-c", format!("server --token {TOKEN} --verbose")]),
        json!([format!("--url=https://x.example/mcp?k={TOKEN}")]),
    ] {
        let filter = filter(&json!({ "command": "x", "args": args }));
        assert_hidden(&filter, &format!("Error: {TOKEN} refused"), &[TOKEN]);
        let text = "Error: python server.py --verbose, --header, Authorization: Bearer, x.example";
        assert_eq!(filter.hide(text), text);
    }
}

#[test]
fn the_parts_of_a_variable_are_hidden() {
    let headers =
        format!("{{\"Authorization\": \"Bearer {TOKEN}\", \"Notion-Version\": \"2022-06-28\"}}");
    let reserialized =
        format!("{{\"Authorization\":\"Bearer {TOKEN}\",\"Notion-Version\":\"2022-06-28\"}}");
    for (env, text) in [
        (
            json!({ "AUTH_HEADER": format!("Bearer {TOKEN}") }),
            TOKEN.to_owned(),
        ),
        (
            json!({ "AUTH_HEADER": "Bearer opaquetoken" }),
            "opaquetoken".to_owned(),
        ),
        (
            json!({ "AUTH_HEADER": format!("Basic {BASIC}") }),
            "admin:password1234d1".to_owned(),
        ),
        (json!({ "OPENAPI_MCP_HEADERS": headers }), TOKEN.to_owned()),
        (json!({ "OPENAPI_MCP_HEADERS": headers }), reserialized),
        (
            json!({ "OTLP_HEADERS": "api-key=word-word-word,x=1" }),
            "word-word-word".to_owned(),
        ),
        (
            json!({ "DSN": "host=db password=word-word-word dbname=x" }),
            "word-word-word".to_owned(),
        ),
        (
            json!({ "DB": "Server=x;Password=word-word-word;Port=1" }),
            "word-word-word".to_owned(),
        ),
        (
            json!({ "ARGS": "--verbose --api-key word-word-word" }),
            "word-word-word".to_owned(),
        ),
        (
            json!({ "COOKIE": "session=word-word-word; theme=dark" }),
            "word-word-word".to_owned(),
        ),
        (
            json!({ "DB": "jdbc:postgresql://h/d?password=word-word-word" }),
            "word-word-word".to_owned(),
        ),
        (
            json!({ "KEYS": "{\"tokens\": [\"word-word-word\"]}" }),
            "word-word-word".to_owned(),
        ),
        (
            json!({ "PEM": "-----BEGIN KEY-----\\nlineoneofit\\n-----END KEY-----" }),
            "lineoneofit".to_owned(),
        ),
    ] {
        let filter = filter(&json!({ "command": "x", "env": env }));
        let parts = [
            TOKEN,
            "opaquetoken",
            "password1234d1",
            "word-word-word",
            "lineoneofit",
        ];
        assert_hidden(&filter, &format!("401 for {text}"), &parts);
    }
    let filter = filter(&json!({ "command": "x", "env": {
        "OPENAPI_MCP_HEADERS": headers,
        "NODE_OPTIONS": "--require /opt/app/register.js --max-old-space-size=4096",
        "LOG": "{\"level\": \"verbose-output\", \"color\": true, \"limit\": 123456789}",
        "TITLE": "Basic settings of authentication",
        "MODE": "Token authentication",
    } }));
    let text = "Bearer Authorization Notion-Version 2022-06-28 /opt/app/register.js 4096 verbose-output \
                true 123456789 settings authentication --require";
    assert_eq!(filter.hide(text), text);
}

#[test]
fn a_secret_is_hidden_in_json_and_base64_of_a_server() {
    let secret = "sk-S3cret/0123+456=789";
    let program = filter(&json!({ "command": "x", "env": { "KEY": secret } }));
    for (text, shown) in [
        (secret.replace('/', "\\/"), "S3cret"),
        ("sk-S3cret%2F0123%2B456%3D789".to_owned(), "S3cret"),
    ] {
        assert_hidden(&program, &text, &[shown]);
    }
    // The name before the password is not known, so that the code can begin at any bit.
    for name in ["user", "user1", "user12", ""] {
        let code = STANDARD.encode(format!("{name}:{secret}"));
        let hidden = program.hide(&code).into_owned();
        let rest: String = hidden.split(HIDDEN).collect();
        assert!(rest.len() < 14, "{name} {code} {hidden}");
    }
    let server = filter(
        &json!({ "url": "https://x.example/sk-S3cret%2F0123%2B456%3D789/mcp/docs%2Findex" }),
    );
    for text in [secret, "/sk-S3cret%2F0123%2B456%3D789/mcp"] {
        assert_hidden(&server, text, &["S3cret"]);
    }
    assert_eq!(server.hide("/mcp/docs%2Findex"), "/mcp/docs%2Findex");
}

#[test]
fn inherited_headers_and_the_secret_of_a_login_are_hidden() {
    let inherited = format!("Bearer {TOKEN}");
    let text = json!({ "mcpServers": { "s": {
        "command": "x", "pd": { "inheritEnv": ["AUTH_HEADER", "HTTPS_PROXY", "EDITOR"] }
    } } });
    let none = |_: &str| None;
    let parse = |text: &Value| {
        let context = ReadContext::new(&none, &none);
        GatewayConfig::parse(Path::new("mcp.json"), &text.to_string(), &context).unwrap()
    };
    let config = parse(&text);
    let filter = SecretFilter::new(config.servers.first().unwrap(), |name| match name {
        "AUTH_HEADER" => Some(inherited.clone()),
        "HTTPS_PROXY" => Some("http://me:proxypass1@proxy.example:3128".to_owned()),
        name => Some(format!("/usr/bin/{name}-program")),
    });
    assert_hidden(&filter, &format!("<{TOKEN}>"), &[TOKEN]);
    assert_hidden(&filter, "<proxypass1>", &["proxypass1"]);
    let text = "/usr/bin/EDITOR-program proxy.example:3128";
    assert_eq!(filter.hide(text), text);

    let oauth = json!({ "clientId": "client", "clientSecret": "word-word-word" });
    let text =
        json!({ "mcpServers": { "s": { "url": "https://x.example", "pd": { "oauth": oauth } } } });
    let config = parse(&text);
    let filter = SecretFilter::new(config.servers.first().unwrap(), none);
    assert_hidden(&filter, "client_secret=word-word-word", &["word-word-word"]);
}
