//! The digest of an entry: what a person approves.
//!
//! The digest covers the whole entry before variables are expanded: the command, arguments,
//! directory, URL, names and values of variables and headers, and the gateway's settings. Values
//! belong to it, because a variable such as `LD_PRELOAD` or `NODE_OPTIONS` decides what is run, and
//! because `${NAME}` in a header decides which secret is sent. The user sets the value of an
//! environment variable, so the value does not change the digest.

use super::{
    MistakeCollector, ReadContext, SpannedValue, bare_variables,
    entry::{ServerEntry, ServerTransport},
    entry_context::EntryContext,
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

/// Creates the source of an entry. `inputs` are the defaults of the file's inputs, by id.
fn digested(value: Value, inputs: &BTreeMap<String, String>, entry: &ServerEntry) -> EntrySource {
    let context = match &entry.transport {
        ServerTransport::Stdio(server) => {
            let inherited = entry.settings.inherit_env.clone();
            EntryContext::of_process(&value, inputs, server.env.clone(), inherited)
        }
        _ => EntryContext::of_url(&value, inputs),
    };
    let of_file: Map<String, Value> = context
        .file_variables
        .iter()
        .map(|(name, secret)| (name.clone(), json!(secret.expose())))
        .collect();
    // All of them, also those of an entry without a process: approvals of former versions have them.
    let inherited = &entry.settings.inherit_env;
    let document = json!({
        "entry": value, "inputs": context.inputs, "envFile": of_file, "inherited": inherited,
    });
    let digest = Digest::from_bytes(document.to_string().as_bytes()).to_string();
    EntrySource::new(value, context, digest)
}
