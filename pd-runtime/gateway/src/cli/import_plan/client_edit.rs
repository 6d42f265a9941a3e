//! The change of a client's file: its servers become one entry for the gateway.

use super::{
    ImportAction, PlannedEntry, PlannedFile,
    gateway_entry::{EntryDialect, gateway_entry},
};
use crate::config::raw_entries::has_json;
use serde_json::Value;

/// The name of the entry for the gateway.
const ENTRY_NAME: &str = "gateway";

/// A change of a client's file.
pub(super) struct ClientEdit {
    /// The entries to remove: the keys of the object that contains each, and its name.
    pub(super) removed: Vec<(Vec<String>, String)>,
    /// The keys of the object that gets the entry for the gateway.
    pub(super) location: Vec<String>,
    pub(super) name: String,
    pub(super) entry: Value,
}

impl ClientEdit {
    /// Creates the change that moves the servers of a file to the gateway. `program` and `config`
    /// are absolute paths. Returns `None` if no server moves.
    pub(super) fn new(file: &PlannedFile, text: &str, program: &str, config: &str) -> Option<Self> {
        let moved: Vec<_> = file
            .moved()
            .map(|entry| (entry.location.clone(), entry.label.clone()))
            .collect();
        // The servers of a user apply in each project, and the servers of a project only in it. The
        // entry for the gateway has all servers, so it goes to the user's.
        let location = moved
            .iter()
            .map(|(location, _)| location)
            .min_by_key(|location| location.len())?
            .clone();
        let entry = gateway_entry(
            program,
            config,
            file.moved(),
            dialect(file, text, &location),
        );
        Some(Self {
            removed: moved,
            name: entry_name(file, &location),
            location,
            entry,
        })
    }
}

fn dialect(file: &PlannedFile, text: &str, location: &[String]) -> EntryDialect {
    let keys: Vec<_> = location.iter().map(String::as_str).collect();
    let is_opencode = file.path.file_stem().is_some_and(|stem| stem == "opencode");
    match keys.as_slice() {
        _ if !has_json(&file.path, text) => EntryDialect::Codex,
        ["mcp"] => EntryDialect::OpenCode,
        // VS Code has these keys in `settings.json`, so the name of the file decides.
        ["mcp", "servers"] if is_opencode => EntryDialect::OpenCode,
        ["servers" | "mcp.servers"] | ["mcp", "servers"] => EntryDialect::Typed,
        _ => EntryDialect::Plain,
    }
}

/// Returns the name of an entry for a gateway that the file has, or a name that is free.
fn entry_name(file: &PlannedFile, location: &[String]) -> String {
    // The entry of a former import is replaced. A second gateway would offer every tool twice.
    let known =
        staying(file, location).find(|entry| matches!(entry.action, ImportAction::IsGateway));
    if let Some(known) = known {
        return known.label.clone();
    }
    let numbered = (2..).map(|number: u32| format!("{ENTRY_NAME}-{number}"));
    let mut names = std::iter::once(ENTRY_NAME.to_owned()).chain(numbered);
    names
        .find(|name| staying(file, location).all(|entry| entry.label != *name))
        .unwrap_or_default()
}

/// Iterates over the entries of an object that do not move.
fn staying<'f>(
    file: &'f PlannedFile,
    location: &'f [String],
) -> impl Iterator<Item = &'f PlannedEntry> {
    file.entries
        .iter()
        .filter(move |entry| entry.location == location && !entry.is_moved())
}
