//! Approvals of the entries of a project's file. Such an entry starts nothing and is sent nothing
//! until a person has approved it. The approval is kept outside of the project, by the digest of
//! the entry (`config/entry_source.rs`), its name, and the directory that its paths start from. It
//! says nothing about the program's own files.
//!
//! `approval_file` is the file of approvals, `project_file` decides which configuration files
//! belong to a project, and `outline` shows what an entry runs: `hidden_values` hides secrets, and
//! `loading_variables` names the variables whose values are shown.

mod approval_file;
mod error;
mod hidden_values;
mod loading_variables;
mod outline;
mod project_file;

pub(crate) use error::ApprovalError;
pub(crate) use outline::EntryOutline;
pub(crate) use project_file::{is_found_in_project, is_named_of_project};

use crate::{
    GatewayConfig,
    config::{ServerEntry, file_stamp::FileStamp},
    trust::lock::state_directory,
};
use approval_file::{Approval, ApprovalFile};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::{collections::HashSet, sync::Arc};

/// The name of the file in the gateway's state directory.
const FILE: &str = "approved-entries.json";

/// The approvals of the entries of one configuration file.
#[derive(Debug)]
pub(crate) struct EntryApprovals {
    /// `None` if no home directory is known.
    file: Option<ApprovalFile>,
    /// The directory that the entries' paths start from.
    directory: String,
    /// The command that approves entries of this file.
    command: String,
    /// The names and digests of the entries that a person has started by naming the file.
    started: HashSet<(String, String)>,
    /// The names and digests of the approved entries.
    approved: ArcSwap<HashSet<(String, String)>>,
    stamp: Mutex<Option<FileStamp>>,
}

/// An entry that waits for approval.
#[derive(Debug, Clone)]
pub(crate) struct WaitingEntry {
    pub(crate) name: String,
    /// The name as the file has it.
    pub(crate) label: String,
    pub(crate) outline: EntryOutline,
    digest: String,
}

impl EntryApprovals {
    /// Opens the approvals for a file that was found: its entries wait unless they are approved.
    ///
    /// # Errors
    ///
    /// Returns an error if the file of approvals cannot be read, or is not one of this version.
    pub(crate) fn for_found(config: &GatewayConfig) -> Result<Self, ApprovalError> {
        let approvals = Self::new(config, "pd-gateway approve".to_owned(), HashSet::new());
        approvals.read()?;
        Ok(approvals)
    }

    /// Opens the approvals for a file that a person has named: its entries run, and those that
    /// change meanwhile wait.
    pub(crate) fn for_named(config: &GatewayConfig) -> Self {
        // The command must work in every directory.
        let path = std::path::absolute(&config.path).unwrap_or_else(|_| config.path.clone());
        let command = format!(
            "pd-gateway --config {} approve",
            outline::quoted(&path.to_string_lossy())
        );
        let started = config.servers.iter().map(key).collect();
        let approvals = Self::new(config, command, started);
        if let Err(error) = approvals.read() {
            tracing::warn!(%error, "the entries of the file run, because it was named");
        }
        approvals
    }

    fn new(config: &GatewayConfig, command: String, started: HashSet<(String, String)>) -> Self {
        // Without links, so that each path to a project leads to the same approvals.
        let directory = project_file::resolve(&config.workspace)
            .to_string_lossy()
            .into_owned();
        let file = state_directory().map(|state| ApprovalFile::new(state.join(FILE)));
        Self {
            file,
            directory,
            command,
            started,
            approved: ArcSwap::default(),
            stamp: Mutex::default(),
        }
    }

    fn read(&self) -> Result<(), ApprovalError> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        // Taken before the file is read: one that is replaced in between is read once more.
        let stamp = FileStamp::read(file.path());
        let approvals = file
            .read()?
            .into_iter()
            .filter(|approval| approval.directory == self.directory);
        self.approved.store(Arc::new(
            approvals
                .map(|approval| (approval.server, approval.digest))
                .collect(),
        ));
        *self.stamp.lock() = stamp;
        Ok(())
    }

    /// Reads the approvals again if another process has written them, and returns whether it has.
    pub(crate) fn take_changes(&self) -> bool {
        let now = self
            .file
            .as_ref()
            .and_then(|file| FileStamp::read(file.path()));
        // A file that was removed withdraws nothing from a gateway that runs.
        if now.is_none() || now == *self.stamp.lock() {
            return false;
        }
        if let Err(error) = self.read() {
            // Once for each version of the file.
            *self.stamp.lock() = now;
            tracing::warn!(%error, "the former approvals of entries stay");
            return false;
        }
        true
    }

    /// Returns whether an entry may start.
    pub(crate) fn allows(&self, entry: &ServerEntry) -> bool {
        let key = key(entry);
        self.started.contains(&key) || self.is_approved(&key)
    }

    /// Returns whether a person has approved this entry.
    pub(crate) fn has_approved(&self, entry: &ServerEntry) -> bool {
        self.is_approved(&key(entry))
    }

    fn is_approved(&self, key: &(String, String)) -> bool {
        // An entry that was not read from a file has no digest, and nothing can approve it.
        !key.1.is_empty() && self.approved.load().contains(key)
    }

    /// Returns the command that approves this entry.
    pub(crate) fn command(&self, name: &str) -> String {
        format!("{} {name}", self.command)
    }

    /// Returns the entries that are not approved, also those that run because their file was named.
    pub(crate) fn unapproved(&self, config: &GatewayConfig) -> Vec<WaitingEntry> {
        let entries = config
            .servers
            .iter()
            .filter(|entry| !entry.is_disabled && !self.is_approved(&key(entry)));
        entries.map(WaitingEntry::new).collect()
    }

    /// Returns the entries that do not run.
    pub(crate) fn waiting(&self, config: &GatewayConfig) -> Vec<WaitingEntry> {
        let entries = config
            .servers
            .iter()
            .filter(|entry| !entry.is_disabled && !self.allows(entry));
        entries.map(WaitingEntry::new).collect()
    }

    /// Approves entries as they were when they were shown.
    ///
    /// # Errors
    ///
    /// Returns an error if the approvals cannot be read or written.
    pub(crate) fn approve(&self, entries: &[&WaitingEntry]) -> Result<(), ApprovalError> {
        let file = self.file.as_ref().ok_or(ApprovalError::NoDirectory)?;
        let approvals = entries
            .iter()
            .map(|entry| Approval::new(&self.directory, &entry.label, &entry.digest));
        file.add(approvals.collect())?;
        self.read()
    }
}

fn key(entry: &ServerEntry) -> (String, String) {
    (entry.label.clone(), entry.source.digest().to_owned())
}

impl WaitingEntry {
    fn new(entry: &ServerEntry) -> Self {
        Self {
            name: entry.name.clone(),
            label: entry.label.clone(),
            outline: EntryOutline::of_source(&entry.source),
            digest: entry.source.digest().to_owned(),
        }
    }
}
