//! Who is told when the catalogue changes: session peers here, `subscriptions/listen` (MCP 2026-07-28) in `server`.

use rmcp::{
    RoleServer,
    model::{CustomNotification, ServerNotification},
    service::Peer,
};
use serde_json::json;
use std::sync::Arc;
use tokio::{
    sync::{Notify, watch},
    task::AbortHandle,
};

/// A session's place among those that hear of changes. Each has a task of its own, so that a client that does not read
/// holds up nobody; changes that it slept through reach it as one.
#[derive(Debug)]
pub(crate) struct Seat(AbortHandle);

impl Seat {
    /// Tells this peer of changes until the seat is dropped: of the catalogue's, also by the notifications `also`; and of
    /// those of its own list, which `revealed` tells of.
    pub(crate) fn take<T: Send + Sync + 'static>(
        peer: Peer<RoleServer>,
        mut changes: watch::Receiver<T>,
        revealed: Arc<Notify>,
        also: Vec<&'static str>,
    ) -> Self {
        let telling = tokio::spawn(async move {
            loop {
                let also: &[&str] = tokio::select! {
                    changed = changes.changed() => if changed.is_ok() { &also } else { break },
                    () = revealed.notified() => &[],
                };
                // A peer that went away takes its seat along.
                let _ = peer.notify_tool_list_changed().await;
                for method in also {
                    // rmcp writes `None` as `null`, which is no legal `params`.
                    let notification = CustomNotification::new(*method, Some(json!({})));
                    let _ = peer.send_notification(ServerNotification::CustomNotification(notification)).await;
                }
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
