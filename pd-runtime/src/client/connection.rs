//! What a client is made from: a peer, and what is known of the handler behind it.

use super::listener::{Changes, Listener};
use rmcp::{
    RoleClient,
    model::ClientCapabilities,
    service::{Peer, RunningService, Service},
};
use std::any::Any;

/// A connection to a server: `&RunningService` or a `Peer`.
///
/// Of a running service it is known what its handler declared, and with [`Listener`] when tools change. Of a peer alone
/// neither is: say so by [`Client::changed`](super::Client::changed).
#[derive(Debug)]
pub struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) changes: Changes,
    pub(super) declared: ClientCapabilities,
}

impl From<Peer<RoleClient>> for Connection {
    fn from(peer: Peer<RoleClient>) -> Self {
        Self { peer, changes: Changes::default(), declared: ClientCapabilities::default() }
    }
}

impl From<&Peer<RoleClient>> for Connection {
    fn from(peer: &Peer<RoleClient>) -> Self {
        peer.clone().into()
    }
}

impl<S: Service<RoleClient>> From<&RunningService<RoleClient, S>> for Connection {
    fn from(running: &RunningService<RoleClient, S>) -> Self {
        let listener = (running.service() as &dyn Any).downcast_ref::<Listener>();
        Self {
            peer: running.peer().clone(),
            changes: listener.map(|listener| listener.changes.clone()).unwrap_or_default(),
            declared: running.service().get_info().capabilities,
        }
    }
}
