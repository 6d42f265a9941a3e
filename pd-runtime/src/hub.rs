//! Who is told when the catalogue changes: session peers here, `subscriptions/listen` (MCP 2026-07-28) in `server`.

use rmcp::{RoleServer, service::Peer};
use tokio::{sync::watch, task::AbortHandle};

/// A session's place among those that hear of changes. Each has a task of its own, so that a client that does not read
/// holds up nobody; changes that it slept through reach it as one.
#[derive(Debug)]
pub(crate) struct Seat(AbortHandle);

impl Seat {
    /// Tells this peer of changes until the seat is dropped.
    pub(crate) fn take<T: Send + Sync + 'static>(peer: Peer<RoleServer>, mut changes: watch::Receiver<T>) -> Self {
        let telling = tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                // A peer that went away takes its seat along.
                let _ = peer.notify_tool_list_changed().await;
            }
        });
        Self(telling.abort_handle())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.abort();
    }
}
