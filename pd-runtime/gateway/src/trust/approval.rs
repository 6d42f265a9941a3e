//! Approvals of the entries of a project's file. Such an entry starts nothing and is sent nothing
//! until a person has approved it. The approval is kept outside of the project, by the digest of
//! the entry (`config/entry_source.rs`), its name, and the directory that its paths start from. It
//! says nothing about the program's own files.
//!
//! `approval_file` is the file of approvals, `project_file` decides which configuration files
//! belong to a project, and `outline` shows what an entry runs.

mod approval_file;
mod error;
mod outline;
mod project_file;

pub(crate) use error::ApprovalError;
pub(crate) use outline::EntryOutline;
pub(crate) use project_file::{is_found_in_project, is_named_of_project};

use crate::{
    Gateway, GatewayConfig,
    config::{ServerEntry, file_stamp::FileStamp},
    gateway::reload::retire,
    trust::lock::state_directory,
    upstream::{Upstream, upstream_error::UpstreamError},
};
use approval_file::{Approval, ApprovalFile};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

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

/// The approval of an upstream's entry.
#[derive(Debug, Default)]
pub(crate) struct UpstreamApproval {
    /// Whether the entry was approved, if it needs an approval.
    is_approved: AtomicBool,
    /// The changed entry that waits for an approval while this one goes on.
    waiting_change: Mutex<Option<ServerEntry>>,
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
    fn take_changes(&self) -> bool {
        let now = self
            .file
            .as_ref()
            .and_then(|file| FileStamp::read(file.path()));
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
            outline: EntryOutline::new(entry.source.value()),
            digest: entry.source.digest().to_owned(),
        }
    }
}

impl Gateway {
    /// Starts only the servers with entries that these approvals allow. A second call has no
    /// effect.
    #[must_use]
    pub(crate) fn with_approvals(self, approvals: Arc<EntryApprovals>) -> Self {
        self.shared.set_approvals(approvals);
        self
    }

    /// Starts the servers with approved entries and without known lists, with the reports of
    /// `refresh_with`. The other entries of a named file do not start either, because this command
    /// is the one that shows them.
    pub(crate) async fn refresh_approved_with(&self, report: impl Fn(usize, usize) + Send + Sync) {
        let upstreams = self.upstreams();
        let approvals = self.shared.approvals();
        let unread = upstreams
            .iter()
            .filter(|upstream| upstream.lists().is_none());
        // `allows` would be true for each entry of a named file.
        let approved = unread.filter(|upstream| {
            approvals.is_none_or(|approvals| approvals.is_approved(&key(&upstream.entry)))
        });
        self.read_lists(approved.collect(), report).await;
    }

    /// Applies the approvals of another process: starts the entries that have waited, and replaces
    /// the servers for which a changed entry has waited.
    pub(crate) fn take_approvals(&self) {
        if self
            .shared
            .approvals()
            .is_some_and(|approvals| approvals.take_changes())
        {
            self.apply_approvals();
        }
    }

    fn apply_approvals(&self) {
        let Some(approvals) = self.shared.approvals() else {
            return;
        };
        let mut replaced = Vec::new();
        {
            // Without the lock, a reload meanwhile would be overwritten with the former list.
            let _replacement = self.shared.replacement.lock();
            let former = self.upstreams();
            let current = former.iter().map(|upstream| {
                let Some(entry) = upstream.take_approved_change(approvals) else {
                    return upstream.clone();
                };
                replaced.push(upstream.clone());
                Upstream::new(entry, self.shared.clone())
            });
            self.upstreams.store(Arc::new(current.collect()));
        }
        // Lists from an earlier run were not compared with the lock while their entry waited.
        if let Err(error) = self.review_again() {
            tracing::warn!(%error, "the lock could not be read");
        }
        self.changed.send_modify(|changes| *changes += 1);
        // The former servers end in the background, because their open calls may take minutes.
        replaced
            .into_iter()
            .for_each(|upstream| drop(tokio::spawn(retire(upstream))));
        let gateway = self.clone();
        tokio::spawn(async move { gateway.refresh().await });
    }
}

impl Upstream {
    /// Returns whether the entry waits for a person's approval. An entry that was approved once
    /// runs until the gateway ends or has another entry for it.
    pub(crate) fn awaits_approval(&self) -> bool {
        let Some(approvals) = self.shared.approvals() else {
            return false;
        };
        // An approval that is withdrawn later does not end a server that has started.
        if self.approval.is_approved.load(Relaxed) {
            return false;
        }
        let is_allowed = approvals.allows(&self.entry);
        if is_allowed {
            self.approval.is_approved.store(true, Relaxed);
        }
        !is_allowed
    }

    /// Checks that the entry may start.
    ///
    /// # Errors
    ///
    /// Returns an error if it waits for a person's approval. The error has no text of the entry,
    /// because a model reads it.
    pub(crate) fn check_approval(&self) -> Result<(), UpstreamError> {
        if !self.awaits_approval() {
            return Ok(());
        }
        // Without approvals nothing waits, so there is always a command here.
        let command = self.approve_command().unwrap_or_default();
        Err(UpstreamError::AwaitsApproval {
            server: self.name().to_owned(),
            command,
        })
    }

    /// Returns the command that approves the entry, if it or a change of it waits.
    pub(crate) fn approve_command(&self) -> Option<String> {
        let is_waiting = self.awaits_approval() || self.approval.waiting_change.lock().is_some();
        self.shared
            .approvals()
            .filter(|_| is_waiting)
            .map(|approvals| approvals.command(self.name()))
    }

    /// Sets the changed entry that waits while this one goes on.
    pub(crate) fn set_waiting_change(&self, entry: Option<ServerEntry>) {
        let mut waiting = self.approval.waiting_change.lock();
        if let (Some(entry), Some(approvals)) = (&entry, self.shared.approvals())
            // Once for each version of the entry: each reload of the file comes here.
            && waiting.as_ref().is_none_or(|former| former.source.digest() != entry.source.digest())
        {
            let command = approvals.command(self.name());
            tracing::warn!(
                server = self.name(),
                "the entry has changed, and the former one goes on; `{command}` approves it"
            );
        }
        *waiting = entry;
    }

    fn take_approved_change(&self, approvals: &EntryApprovals) -> Option<ServerEntry> {
        self.approval
            .waiting_change
            .lock()
            .take_if(|entry| approvals.allows(entry))
    }
}
