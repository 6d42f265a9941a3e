//! Who is told when the catalogue changes: session peers, and `subscriptions/listen` (MCP 2026-07-28).

use rmcp::{RoleServer, service::Peer};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// The sessions that want to hear of changes.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    peers: Mutex<HashMap<u64, Peer<RoleServer>>>,
    next: AtomicU64,
}

impl Hub {
    /// Adds a session's peer until the seat is dropped.
    pub(crate) fn join(self: &Arc<Self>, peer: Peer<RoleServer>) -> Seat {
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        self.peers().insert(key, peer);
        Seat { hub: self.clone(), key }
    }

    /// Sends `notifications/tools/list_changed` to every session.
    pub(crate) async fn tools_changed(&self) {
        let peers: Vec<_> = self.peers().values().cloned().collect();
        for peer in peers {
            // A peer that went away leaves by itself.
            let _ = peer.notify_tool_list_changed().await;
        }
    }

    fn peers(&self) -> MutexGuard<'_, HashMap<u64, Peer<RoleServer>>> {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session's place in the hub.
#[derive(Debug)]
pub(crate) struct Seat {
    hub: Arc<Hub>,
    key: u64,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.hub.peers().remove(&self.key);
    }
}
