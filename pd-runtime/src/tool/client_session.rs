//! The session of a client, for code that keeps something of its own for each client.

use super::principal::CallerAuthority;
use parking_lot::Mutex;
use rmcp::{RoleServer, model::Extensions, service::Peer};
use std::{
    collections::VecDeque,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
};
use tokio_util::sync::CancellationToken;

/// The session of one client, opened by `initialize`. The server's memory of the session owns it,
/// so a weak reference to it ends with the session.
#[derive(Debug)]
pub struct ClientSession {
    number: u64,
    peer: Peer<RoleServer>,
    authority: CallerAuthority,
    /// The lowest level of the log messages that the client reads, or `NO_LEVEL`.
    log_level: AtomicU8,
    /// The URIs of the views of MCP Apps that the client has read, latest last. Few clients read
    /// any.
    opened_views: OnceLock<Box<Mutex<VecDeque<Box<str>>>>>,
    /// Canceled when the session ends.
    ended: CancellationToken,
}

/// The views that a session remembers. Each is one that a person looks at.
const VIEWS_MAX: usize = 16;
/// The longest URI of a view that is remembered, in bytes.
const VIEW_URI_MAX: usize = 512;
/// No log messages.
const NO_LEVEL: u8 = u8::MAX;

impl ClientSession {
    pub(crate) fn new(peer: Peer<RoleServer>, authority: CallerAuthority) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // `Relaxed` is enough: the numbers must differ, and order nothing.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let log_level = AtomicU8::new(NO_LEVEL);
        Arc::new(Self {
            number,
            peer,
            authority,
            log_level,
            opened_views: OnceLock::new(),
            ended: CancellationToken::new(),
        })
    }

    /// Returns the session of a request or notification; `None` if its client has none.
    pub fn from_extensions(extensions: &Extensions) -> Option<&Arc<Self>> {
        extensions.get()
    }

    /// Returns a number that no other session of this process has.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the peer of the client.
    pub const fn peer(&self) -> &Peer<RoleServer> {
        &self.peer
    }

    /// Returns the authority of the client when it opened the session.
    pub const fn authority(&self) -> &CallerAuthority {
        &self.authority
    }

    /// Returns the rank of the level from which the client reads log messages, if it reads any.
    pub fn log_level(&self) -> Option<u8> {
        Some(self.log_level.load(Ordering::Relaxed)).filter(|level| *level != NO_LEVEL)
    }

    /// Sets the lowest level of the log messages that the client receives.
    pub fn set_log_level(&self, rank: u8) {
        self.log_level.store(rank, Ordering::Relaxed);
    }

    /// Remembers a view that the client has read.
    pub(crate) fn note_opened_view(&self, uri: &str) {
        if uri.len() > VIEW_URI_MAX {
            return;
        }
        let mut views = self.opened_views.get_or_init(Box::default).lock();
        views.retain(|known| **known != *uri);
        if views.len() >= VIEWS_MAX {
            views.pop_front();
        }
        views.push_back(uri.into());
    }

    /// Returns whether the client has read a view.
    pub(crate) fn has_opened_view(&self, uri: &str) -> bool {
        let views = self.opened_views.get();
        views.is_some_and(|views| views.lock().iter().any(|known| **known == *uri))
    }

    /// Returns a token that is canceled when the session ends.
    pub const fn ended(&self) -> &CancellationToken {
        &self.ended
    }
}

impl Drop for ClientSession {
    fn drop(&mut self) {
        // Tasks of the session hold weak references, and wait for this token.
        self.ended.cancel();
    }
}
