//! What the upstreams notify the clients of, beside their calls.

use crate::failure::{limited_log::LimitedLog, secret_filter::SecretFilter};
use pd_runtime::upstream::ClientSession;
use rmcp::model::JsonObject;
use std::sync::{Arc, Weak};
use tokio::sync::broadcast;

/// The events that wait for a client. A client that misses some is notified of all lists.
const QUEUE: usize = 256;

/// A change at an upstream.
#[derive(Debug, Clone)]
pub(crate) struct ClientEvent {
    pub(crate) server: Arc<str>,
    /// The session that has the connection; `None` if clients share it.
    pub(crate) session: Option<u64>,
    pub(crate) kind: EventKind,
}

#[derive(Debug, Clone)]
pub(crate) enum EventKind {
    PromptsChanged,
    ResourcesChanged,
    /// The params of `notifications/resources/updated`.
    ResourceUpdated(Arc<JsonObject>),
    /// The params of `notifications/message`.
    Log(Arc<JsonObject>),
}

/// Sends events to all clients that listen.
#[derive(Debug, Clone)]
pub(crate) struct EventSender(broadcast::Sender<ClientEvent>);

impl Default for EventSender {
    fn default() -> Self {
        Self(broadcast::Sender::new(QUEUE))
    }
}

impl EventSender {
    pub(crate) fn send(&self, event: ClientEvent) {
        // An error means that no client listens.
        let _ = self.0.send(event);
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<ClientEvent> {
        self.0.subscribe()
    }
}

/// Where the messages of a connection go that belong to no call.
#[derive(Debug, Clone)]
pub(crate) struct EventTarget {
    pub(crate) server: Arc<str>,
    /// The session that has the connection; `None` if clients share it.
    pub(crate) session: Option<Weak<ClientSession>>,
    /// Whether the connection has the rights of the user who runs the gateway.
    pub(crate) is_of_owner: bool,
    pub(crate) events: EventSender,
    /// The lines about messages that cannot be handled.
    pub(crate) log: Arc<LimitedLog>,
    /// What the gateway's own log must not contain.
    pub(crate) secrets: Arc<SecretFilter>,
}

impl EventTarget {
    /// Logs a warning about a message, unless the server has caused one within the last second.
    pub(crate) fn warn(&self, text: &str) {
        self.log.warn(&self.server, text);
    }

    pub(crate) fn send(&self, kind: EventKind) {
        let session = match &self.session {
            // Clients share the connection, so each of them reads the event.
            None => None,
            Some(session) => match session.upgrade() {
                Some(session) => Some(session.number()),
                // The session has ended, so no client reads its events.
                None => return,
            },
        };
        self.events.send(ClientEvent {
            server: self.server.clone(),
            session,
            kind,
        });
    }
}
