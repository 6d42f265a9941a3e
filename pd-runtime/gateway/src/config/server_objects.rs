//! Finds the objects that contain servers, in the files of all clients.

use super::spanned::{SpannedData, SpannedMember, SpannedValue};

/// The keys of objects that contain servers. The last three belong to Zed, to Amp, and to VS Code's
/// `settings.json`.
pub(super) const SERVER_KEYS: &[&str] = &[
    "mcpServers",
    "servers",
    "mcp_servers",
    "context_servers",
    "amp.mcpServers",
    "mcp.servers",
];

/// The key of VS Code's `settings.json` and of opencode.
pub(super) const MCP: &str = "mcp";

/// Each entry of opencode has at least one of these keys.
const OPENCODE_KEYS: [&str; 5] = ["type", "command", "url", "enabled", "disabled"];

/// An object that contains servers.
#[derive(Debug, Clone)]
pub(super) struct ServerObject<'v> {
    /// The keys from the root to the object.
    pub(super) location: Vec<&'static str>,
    pub(super) member: &'v SpannedMember,
}

/// Returns the objects in the file's order.
pub(super) fn find(root: &SpannedValue) -> Vec<ServerObject<'_>> {
    root.as_object()
        .unwrap_or_default()
        .iter()
        .filter_map(server_object)
        .collect()
}

fn server_object(member: &SpannedMember) -> Option<ServerObject<'_>> {
    if let Some(key) = SERVER_KEYS.iter().find(|key| **key == member.key) {
        return Some(ServerObject {
            location: vec![key],
            member,
        });
    }
    if member.key != MCP {
        return None;
    }
    // VS Code and opencode 2 have `mcp.servers`. In opencode 1, an entry can have the name
    // `servers`.
    let servers = member
        .value
        .get("servers")
        .filter(|servers| !is_entry(&servers.value));
    if let Some(member) = servers {
        return Some(ServerObject {
            location: vec![MCP, "servers"],
            member,
        });
    }
    let entries = member
        .value
        .as_object()
        .filter(|entries| !entries.is_empty())?;
    // Gemini's object of this name has lists of names.
    entries
        .iter()
        .all(|entry| is_entry(&entry.value))
        .then(|| ServerObject {
            location: vec![MCP],
            member,
        })
}

fn is_entry(value: &SpannedValue) -> bool {
    OPENCODE_KEYS.iter().any(|key| {
        let data = value.get(key).map(|member| &member.value.data);
        // An object under such a key is a server of this name.
        data.is_some_and(|data| !matches!(data, SpannedData::Object(_)))
    })
}
