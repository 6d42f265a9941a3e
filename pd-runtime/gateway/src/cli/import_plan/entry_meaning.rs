//! What an entry means, whichever keys its client has for it. Two entries that mean the same are one
//! server.

use super::relocate;
use crate::config::{
    GatewayConfig, HttpServer, ReadContext, SecretText, ServerSettings, ServerTransport,
};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What an entry means, without the settings for the gateway. No variable is expanded.
#[derive(PartialEq)]
pub(super) struct EntryMeaning {
    /// What the gateway reads from the entry. `None` if it reads nothing.
    server: Option<(ServerTransport, ServerSettings)>,
    directory: Option<PathBuf>,
    env_file: Option<Value>,
    /// The entry itself, if it was not read.
    unread: Option<Value>,
}

impl EntryMeaning {
    /// Reads an entry of a file with a workspace.
    pub(super) fn new(entry: &Value, workspace: &Path) -> Self {
        let entry = relocate::in_workspace(entry, workspace);
        let server = read(&entry);
        Self::with_server(server, entry)
    }

    /// Takes an entry as it is, because its server does not run: it is switched off, or has a
    /// mistake.
    pub(super) fn of_idle(entry: &Value) -> Self {
        Self::with_server(None, entry.clone())
    }

    fn with_server(server: Option<(ServerTransport, ServerSettings)>, entry: Value) -> Self {
        Self {
            unread: server.is_none().then(|| entry.clone()),
            server,
            directory: entry.get("cwd").and_then(Value::as_str).map(PathBuf::from),
            env_file: entry.get("envFile").filter(|file| !file.is_null()).cloned(),
        }
    }
}

/// Reads the entry as one that is switched off, because the variables of such an entry stay as they
/// are. Returns `None` if it has a mistake.
fn read(entry: &Value) -> Option<(ServerTransport, ServerSettings)> {
    let mut members = entry.as_object()?.clone();
    for key in ["pd", "cwd", "envFile", "enabled"] {
        members.shift_remove(key);
    }
    // A description is for people, and says nothing about the server.
    members.shift_remove("description");
    members.insert("disabled".to_owned(), Value::Bool(true));
    name_variables(&mut members);
    let text = json!({ "mcpServers": { "server": plain(&Value::Object(members)) } }).to_string();
    let none = |_: &str| None;
    let context = ReadContext::new(&none, &none);
    let config = GatewayConfig::parse(Path::new("servers.json"), &text, &context).ok()?;
    let server = config.servers.into_iter().next()?;
    let mut transport = server.transport;
    match &mut transport {
        ServerTransport::Http(server) | ServerTransport::Sse(server) => fold_names(server),
        // The empty program stands for an entry with a mistake.
        ServerTransport::Stdio(server) if server.command.is_empty() => return None,
        ServerTransport::Stdio(_) | ServerTransport::OpenApi(_) => {}
    }
    Some((transport, server.settings))
}

/// Writes the headers that name a variable, which Codex has, as other clients write them.
fn name_variables(members: &mut Map<String, Value>) {
    let token = members
        .shift_remove("bearer_token_env_var")
        .and_then(|name| Some(format!("Bearer ${{{}}}", name.as_str()?)));
    let token = token.map(|value| ("Authorization".to_owned(), Value::String(value)));
    let named = match members.shift_remove("env_http_headers") {
        Some(Value::Object(named)) => named,
        _ => Map::new(),
    };
    let named = named.into_iter().filter_map(|(header, name)| {
        let value = format!("${{{}}}", name.as_str()?);
        Some((header, Value::String(value)))
    });
    let headers: Map<_, _> = named.chain(token).collect();
    if headers.is_empty() {
        return;
    }
    let own = members
        .entry("http_headers")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(own) = own {
        own.extend(headers);
    }
}

/// Writes `${env:NAME}` as `${NAME}`, which is the same variable.
fn plain(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("${env:", "${")),
        Value::Array(elements) => elements.iter().map(plain).collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, member)| (key.clone(), plain(member)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Names of headers have no case.
fn fold_names(server: &mut HttpServer) {
    let headers: BTreeMap<String, SecretText> = std::mem::take(&mut server.headers)
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    server.headers = headers;
}
