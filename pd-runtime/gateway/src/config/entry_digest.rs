//! The digest of an entry: what a person approves.
//!
//! The digest covers the whole entry before variables are expanded: the command, arguments,
//! directory, URL, names and values of variables and headers, and the gateway's settings. Values
//! belong to it, because a variable such as `LD_PRELOAD` or `NODE_OPTIONS` decides what is run, and
//! because `${NAME}` in a header decides which secret is sent. The user sets the value of an
//! environment variable, so the value does not change the digest.

use super::{
    MistakeCollector, ReadContext, SpannedValue, bare_variables,
    entry::{ServerEntry, ServerTransport, StdioServer},
    entry_source::EntrySource,
    found_entries::found_entries,
    input_defaults, parse_root,
};
use pd_runtime::store::Digest;
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

/// Sets what a person approves of each entry: what the file says. A `$VAR` of Gemini is read once
/// more as the file has it, because its braces depend on the environment.
pub(super) fn set_sources(
    servers: &mut [ServerEntry],
    root: &SpannedValue,
    path: &Path,
    text: &str,
    context: &ReadContext<'_>,
) {
    let unchanged = bare_variables::has_bare_variables(path)
        .then(|| parse_root(path, text).ok())
        .flatten();
    let root = unchanged.as_ref().map_or(root, |(root, _)| root);
    // The mistakes were reported before.
    let entries = found_entries(path, root, context, &mut MistakeCollector::new(path, text));
    let inputs = input_defaults(root);
    // A key that comes twice was reported, and its first entry counts.
    let mut by_key = HashMap::new();
    for found in &entries {
        by_key.entry(found.member.key.as_str()).or_insert(found);
    }
    for server in servers {
        if let Some(found) = by_key.get(server.label.as_str()) {
            server.source = digested(found.member.value.to_json(), &inputs, server);
        }
    }
}

/// Returns the variables that only the file of `envFile` has. This file can belong to the project,
/// too.
fn variables_of_file(value: &Value, server: &StdioServer) -> Map<String, Value> {
    if value.get("envFile").is_none() {
        return Map::new();
    }
    let own = value.get("env").and_then(Value::as_object);
    // The values in `env` are digested as the entry has them, before they are expanded.
    let variables = server
        .env
        .iter()
        .filter(|(name, _)| own.is_none_or(|own| !own.contains_key(*name)));
    variables
        .map(|(name, secret)| (name.clone(), json!(secret.expose())))
        .collect()
}

/// Creates the source of an entry. `inputs` are the defaults of the file's inputs, by id.
fn digested(value: Value, inputs: &BTreeMap<String, String>, entry: &ServerEntry) -> EntrySource {
    let text = value.to_string();
    // A default is a part of the file, and can be a part of the command.
    let inputs: Map<String, Value> = inputs
        .iter()
        // Without the closing brace, because a default may follow the id.
        .filter(|(id, _)| text.contains(&format!("${{input:{id}")))
        .map(|(id, default)| (id.clone(), json!(default)))
        .collect();
    let of_file = match &entry.transport {
        ServerTransport::Stdio(server) => variables_of_file(&value, server),
        ServerTransport::Http(_) | ServerTransport::Sse(_) | ServerTransport::OpenApi(_) => {
            Map::new()
        }
    };
    let inherited = &entry.settings.inherit_env;
    let document =
        json!({ "entry": value, "inputs": inputs, "envFile": of_file, "inherited": inherited });
    let digest = Digest::from_bytes(document.to_string().as_bytes()).to_string();
    EntrySource::new(value, digest)
}
