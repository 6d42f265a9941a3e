//! Whether the entry of an upstream may start.

use super::{Upstream, upstream_error::UpstreamError};
use crate::{config::ServerEntry, trust::entry_approvals::EntryApprovals};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The approval of an upstream's entry.
#[derive(Debug, Default)]
pub(crate) struct UpstreamApproval {
    /// Whether the entry was approved, if it needs an approval.
    is_approved: AtomicBool,
    /// The changed entry that waits for an approval while this one goes on.
    waiting_change: Mutex<Option<ServerEntry>>,
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

    pub(crate) fn take_approved_change(&self, approvals: &EntryApprovals) -> Option<ServerEntry> {
        self.approval
            .waiting_change
            .lock()
            .take_if(|entry| approvals.allows(entry))
    }
}
