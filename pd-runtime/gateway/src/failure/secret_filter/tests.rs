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
