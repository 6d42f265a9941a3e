//! The change of a client's file: its servers become one entry for the gateway.

use super::{
    ImportAction, PlannedEntry, PlannedFile,
    gateway_entry::{EntryDialect, gateway_entry},
    json_edit, toml_edit,
};
use crate::config::raw_entries::{has_json, parse_document};
use serde_json::Value;
use std::path::Path;

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

/// Returns the new text of a client's file, and the name of the entry for the gateway. Returns
/// `None` if no server moves.
///
/// # Errors
///
/// Returns an error if the text cannot be changed, or if the change would touch anything else in
/// it.
pub(crate) fn edit_client(
    file: &PlannedFile,
    text: &str,
    program: &str,
    config: &Path,
) -> Result<Option<(String, String)>, String> {
    let Some(edit) = ClientEdit::new(file, text, program, &config.to_string_lossy()) else {
        return Ok(None);
    };
    let is_json = has_json(&file.path, text);
    let changed = if is_json {
        json_edit::edit(text, &edit)
    } else {
        toml_edit::edit(text, &edit)
    };
    // The editors change a text. The same change of the parsed document shows whether they have
    // touched anything else.
    let expected = parse_document(&file.path, text).and_then(|document| applied(document, &edit));
    match changed
        .filter(|changed| expected.is_some() && parse_document(&file.path, changed) == expected)
    {
        Some(changed) => Ok(Some((changed, edit.name))),
        None => Err(format!(
            "{} is not changed: its servers cannot be replaced without touching the rest; replace them by hand",
            file.path.display()
        )),
    }
}

/// Returns a document with an edit, against which the edited text is checked.
fn applied(mut document: Value, edit: &ClientEdit) -> Option<Value> {
    for (location, label) in &edit.removed {
        object_at(&mut document, location)?
            .as_object_mut()?
            .shift_remove(label)?;
    }
    let servers = object_at(&mut document, &edit.location)?.as_object_mut()?;
    servers.insert(edit.name.clone(), edit.entry.clone());
    Some(document)
}

fn object_at<'d>(document: &'d mut Value, location: &[String]) -> Option<&'d mut Value> {
    location
        .iter()
        .try_fold(document, |value, key| value.get_mut(key))
}
