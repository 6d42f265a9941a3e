//! Approvals of the entries of a project's file: which servers start, and what an approval of
//! another process changes.

use super::{Gateway, reload::retire};
use crate::{trust::entry_approvals::EntryApprovals, upstream::Upstream};
use std::sync::Arc;

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
            approvals.is_none_or(|approvals| approvals.has_approved(&upstream.entry))
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
