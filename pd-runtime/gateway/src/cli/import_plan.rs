//! Copies the servers of MCP clients into one file for the gateway, and replaces them in a client's
//! file by one entry for the gateway.
//!
//! An [`ImportPlan`] decides about each server without writing anything. Values are copied as the
//! files have them: no variable is expanded, and no value is shown.

mod client_edit;
mod edited_file;
mod entry_meaning;
mod gateway_entry;
mod json_edit;
mod reason_to_stay;
mod relocate;
mod server_file;
mod start_command;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
mod toml_edit;

pub(crate) use edited_file::edit_client;
pub(crate) use server_file::ServerFile;

use crate::{
    ClientKind, ConfigError,
    config::{
        ServerEntry, ServerTransport, entry_context::EntryContext,
        own_environment::with_environment, raw_entries::RawFile,
    },
    transport::child_environment::shared_settings,
    trust::entry_approvals::EntryOutline,
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the import does with the servers of each file.
pub(crate) struct ImportPlan {
    /// The gateway's file, with the servers that are copied.
    pub(crate) target: ServerFile,
    pub(crate) files: Vec<PlannedFile>,
}

/// A client's file.
pub(crate) struct PlannedFile {
    pub(crate) client: Option<ClientKind>,
    pub(crate) path: PathBuf,
    pub(crate) entries: Vec<PlannedEntry>,
}

/// An entry of a client's file.
pub(crate) struct PlannedEntry {
    pub(crate) label: String,
    /// The keys from the root of the file to the object that contains the entry.
    location: Vec<String>,
    /// The value, as the client's file has it.
    value: Value,
    /// What the entry has from elsewhere.
    context: EntryContext,
    /// The values that the environment lacks, each with what to do.
    pub(crate) missing_values: Vec<String>,
    /// Whether the server was started, and listed no tools.
    pub(crate) is_failing: bool,
    pub(crate) action: ImportAction,
}

/// What the import does with one entry.
pub(crate) enum ImportAction {
    /// It is copied under this name. The names differ if another server has the name.
    Copy { name: String },
    /// The gateway's file has the same server under this name.
    Known { name: String },
    /// It stays in the client's file alone.
    Stay { reason: String },
    /// It is a gateway, which must not start itself.
    IsGateway,
}

impl ImportPlan {
    /// Creates a plan that copies nothing yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the gateway's file exists and is not valid.
    pub(crate) fn new(target: &Path) -> Result<Self, ConfigError> {
        Ok(Self {
            target: ServerFile::open(target)?,
            files: Vec::new(),
        })
    }

    /// Adds the servers of a client's file. Those in `except` stay where they are.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not valid, or has no servers.
    pub(crate) fn add(
        &mut self,
        client: Option<ClientKind>,
        path: &Path,
        except: &[String],
    ) -> Result<(), ConfigError> {
        let raw = with_environment(|context| RawFile::read(path, context))?;
        let mut entries = Vec::with_capacity(raw.entries.len());
        for entry in raw.entries {
            let copied = relocate::relocated(&entry, self.target.workspace());
            let is_program = copied.get("command").is_some();
            let action = if gateway_entry::is_gateway(&entry.value) {
                ImportAction::IsGateway
            } else if except.contains(&entry.label) {
                ImportAction::Stay {
                    reason: "you named it with `--except`".to_owned(),
                }
            } else if let Some(reason) = reason_to_stay::reason_to_stay(client, &entry) {
                ImportAction::Stay { reason }
            } else {
                self.target.add(&entry.label, client, copied, &raw.inputs)
            };
            if is_program && matches!(action, ImportAction::Copy { .. }) {
                // Only for programs: the client has passed all its variables on to them.
                self.target.share_variables(&shared_settings());
            }
            entries.push(PlannedEntry {
                label: entry.label,
                location: entry.location,
                value: entry.value,
                context: entry.context,
                missing_values: entry.missing_values,
                is_failing: false,
                action,
            });
        }
        self.files.push(PlannedFile {
            client,
            path: path.to_owned(),
            entries,
        });
        Ok(())
    }

    /// Marks the servers that do not start. `is_failing` takes the name in the gateway's file.
    pub(crate) fn mark_failing(&mut self, is_failing: impl Fn(&str) -> bool) {
        for entry in self.files.iter_mut().flat_map(|file| &mut file.entries) {
            let (ImportAction::Copy { name } | ImportAction::Known { name }) = &entry.action else {
                continue;
            };
            // A client passes values on that this process lacks.
            entry.is_failing = entry.missing_values.is_empty() && is_failing(name);
        }
    }

    /// Leaves the servers of a file that do not start where they are.
    pub(crate) fn keep_failing(&mut self, path: &Path, reason: &str) {
        let files = self.files.iter_mut().filter(|file| file.path == path);
        for entry in files
            .flat_map(|file| &mut file.entries)
            .filter(|entry| entry.is_failing)
        {
            // A server that the gateway's file had before the import stays there.
            if let ImportAction::Copy { name } = &entry.action {
                self.target.remove(name);
            }
            entry.action = ImportAction::Stay {
                reason: reason.to_owned(),
            };
        }
    }
}

impl PlannedFile {
    /// Returns the entries that the gateway's file has.
    fn moved(&self) -> impl Iterator<Item = &PlannedEntry> {
        self.entries.iter().filter(|entry| entry.is_moved())
    }

    pub(crate) fn moved_count(&self) -> usize {
        self.moved().count()
    }
}

impl PlannedEntry {
    /// Returns what the entry runs or connects to.
    pub(crate) fn outline(&self) -> EntryOutline {
        EntryOutline::new(&self.value, &self.context)
    }

    /// Returns whether the gateway's file has the server.
    pub(crate) fn is_moved(&self) -> bool {
        matches!(
            self.action,
            ImportAction::Copy { .. } | ImportAction::Known { .. }
        )
    }
}

/// Returns whether an entry of a configuration starts a gateway, which must not start itself.
pub(crate) fn starts_gateway(entry: &ServerEntry) -> bool {
    match &entry.transport {
        ServerTransport::Stdio(server) => {
            gateway_entry::is_gateway_command(&server.command, &server.args)
        }
        ServerTransport::Http(_) | ServerTransport::Sse(_) | ServerTransport::OpenApi(_) => false,
    }
}
