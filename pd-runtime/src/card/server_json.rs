//! `server.json`: the entry of a server in MCP's registry.

use super::{
    CardError, ServerFacts, published_facts::PublishedFacts, rules, server_card::ServerCard,
    server_package::ServerPackage,
};
use serde::Serialize;
use serde_json::{Value, json};

/// The schema of the entry. The registry accepts a version of it until it announces otherwise.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// Renders the entry. `arguments` are those with which a package serves.
pub(crate) fn document(
    card: &ServerCard,
    server: &ServerFacts,
    packages: &[ServerPackage],
    arguments: &[String],
) -> Result<Value, CardError> {
    card.check()?;
    let version = &server.info.version;
    for package in packages {
        package
            .version(version)
            .map_or(Ok(()), rules::check_version)?;
    }
    let packages = packages
        .iter()
        .map(|package| package.document(version, arguments))
        .collect();
    let remotes = card.endpoint().map(|url| Remote {
        kind: "streamable-http",
        url,
    });
    Ok(json!(RegistryEntry {
        schema: SCHEMA,
        facts: PublishedFacts::new(card.facts(), server)?,
        packages,
        remotes: remotes.into_iter().collect(),
    }))
}

#[derive(Serialize)]
struct RegistryEntry<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    #[serde(flatten)]
    facts: PublishedFacts<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packages: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remotes: Vec<Remote<'a>>,
}

#[derive(Serialize)]
struct Remote<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    url: &'a str,
}
