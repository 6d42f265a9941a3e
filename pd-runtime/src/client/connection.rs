//! The connection that a client is built from: an rmcp peer and the capabilities of the handler
//! behind it.

use super::listener::{ChangeCounter, ListChangedHandler};
use rmcp::{
    RoleClient,
    model::ClientCapabilities,
    service::{Peer, RunningService, Service},
};
use std::any::Any;

/// A connection to a server: `&RunningService` or a `Peer`.
///
/// A running service exposes the capabilities that its handler declared and, if the handler is a
/// [`ListChangedHandler`], the server's notifications of changed tools. A `Peer` alone exposes
/// neither: call [`Client::changed`](super::Client::changed) when the tools have changed.
#[derive(Debug)]
pub struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) changes: ChangeCounter,
    pub(super) declared: ClientCapabilities,
}

impl From<Peer<RoleClient>> for Connection {
    fn from(peer: Peer<RoleClient>) -> Self {
        Self {
            peer,
            changes: ChangeCounter::default(),
            declared: ClientCapabilities::default(),
        }
    }
}

impl From<&Peer<RoleClient>> for Connection {
    fn from(peer: &Peer<RoleClient>) -> Self {
        peer.clone().into()
    }
}

impl<S: Service<RoleClient>> From<&RunningService<RoleClient, S>> for Connection {
    fn from(running: &RunningService<RoleClient, S>) -> Self {
        // Rust has no specialization, so a blanket impl for all services finds the
        // `ListChangedHandler` at run time.
        let listener = (running.service() as &dyn Any).downcast_ref::<ListChangedHandler>();
        Self {
            peer: running.peer().clone(),
            changes: listener
                .map(|listener| listener.changes.clone())
                .unwrap_or_default(),
            declared: running.service().get_info().capabilities,
        }
    }
}
