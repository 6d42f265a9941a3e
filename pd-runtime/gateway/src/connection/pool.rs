//! The connections to one upstream: one for all clients, or one for each session or principal.

use crate::{config::ConnectionSharing, connection::Connection};
use parking_lot::Mutex;
use pd_runtime::{CallContext, upstream::ClientSession};
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

/// The most connections to one upstream, unless the entry sets another number.
const CONNECTIONS_MAX: usize = 32;
/// The part of them that one principal may have.
const PRINCIPAL_PART: usize = 4;

/// The client for which a connection is opened.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionClient {
    owner: ConnectionOwner,
    session: Option<Weak<ClientSession>>,
    subject: Option<Arc<str>>,
}

/// The clients that a connection belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) enum ConnectionOwner {
    #[default]
    AllClients,
    Session(u64),
    Principal(Arc<str>),
}

impl ConnectionOwner {
    /// Returns whether the connection is the one that clients share, which reads the lists, too.
    pub(crate) const fn is_all_clients(&self) -> bool {
        matches!(self, Self::AllClients)
    }
}

impl ConnectionClient {
    /// Returns the client that the connection of a call belongs to.
    ///
    /// A client without a session has a connection with the other such clients of its principal. A
    /// caller without a principal is the user who runs the gateway, or unknown.
    pub(crate) fn from_call(sharing: ConnectionSharing, context: &CallContext) -> Self {
        let session = context.client_session();
        match (sharing, session) {
            (ConnectionSharing::Process, _) => Self::default(),
            (ConnectionSharing::Session, Some(session)) => {
                Self::from_session(session, subject_of(context))
            }
            (ConnectionSharing::Session, None) | (ConnectionSharing::Principal, _) => {
                Self::from_subject(subject_of(context))
            }
        }
    }

    /// Returns the client of this session.
    fn from_session(session: &Arc<ClientSession>, subject: Option<Arc<str>>) -> Self {
        Self {
            owner: ConnectionOwner::Session(session.number()),
            session: Some(Arc::downgrade(session)),
            subject,
        }
    }

    fn from_subject(subject: Option<Arc<str>>) -> Self {
        let owner = subject
            .clone()
            .map_or(ConnectionOwner::AllClients, ConnectionOwner::Principal);
        Self {
            owner,
            session: None,
            subject,
        }
    }

    /// Returns the subject of the principal that the connection belongs to; `None` for the user who
    /// runs the gateway.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    pub(crate) const fn owner(&self) -> &ConnectionOwner {
        &self.owner
    }

    /// Returns the session that the connection belongs to, if it belongs to one.
    pub(crate) const fn session(&self) -> Option<&Weak<ClientSession>> {
        self.session.as_ref()
    }
}

fn subject_of(context: &CallContext) -> Option<Arc<str>> {
    context
        .principal()
        .map(|principal| Arc::from(principal.subject()))
}

/// One connection, or the place for it.
#[derive(Debug, Default)]
pub(crate) struct ConnectionSlot {
    /// Held while a connection starts, so that one start serves all callers.
    pub(crate) starting: tokio::sync::Mutex<()>,
    connection: Mutex<Option<Arc<Connection>>>,
    pub(crate) owner: ConnectionOwner,
    session: Option<Weak<ClientSession>>,
    subject: Option<Arc<str>>,
}

impl ConnectionSlot {
    fn new(client: &ConnectionClient) -> Arc<Self> {
        Arc::new(Self {
            owner: client.owner.clone(),
            session: client.session.clone(),
            subject: client.subject.clone(),
            ..Self::default()
        })
    }

    /// Returns the connection for a request, if it is open.
    pub(crate) fn for_request(&self) -> Option<Arc<Connection>> {
        let connection = self.connection.lock();
        // Within the lock, so that the connection is not ended as idle before the request is sent.
        connection
            .as_ref()
            .filter(|connection| connection.is_open())
            .inspect(|open| open.touch())
            .cloned()
    }

    fn open(&self) -> Option<Arc<Connection>> {
        self.connection
            .lock()
            .clone()
            .filter(|connection| connection.is_open())
    }

    pub(crate) fn set(&self, connection: Arc<Connection>) {
        *self.connection.lock() = Some(connection);
    }

    /// Ends the connection if it is still the one of this slot, and `is_unused` holds.
    pub(crate) fn close_if(
        &self,
        connection: &Arc<Connection>,
        is_unused: impl FnOnce() -> bool,
    ) -> bool {
        // `for_request` takes this lock, too, so no request gets a connection that ends here.
        let mut held = self.connection.lock();
        let is_closed = held
            .as_ref()
            .is_some_and(|held| Arc::ptr_eq(held, connection))
            && is_unused();
        if is_closed {
            *held = None;
            connection.close();
        }
        is_closed
    }

    /// Returns a token that is canceled when the session of the connection has ended. Without a
    /// session, it is never canceled.
    pub(crate) fn session_ended(&self) -> CancellationToken {
        match self.session.as_ref().map(Weak::upgrade) {
            None => CancellationToken::new(),
            Some(Some(session)) => session.ended().clone(),
            // The session is gone, and its own token with it.
            Some(None) => {
                let ended = CancellationToken::new();
                ended.cancel();
                ended
            }
        }
    }

    /// Returns whether the session that the connection belongs to has ended.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.session
            .as_ref()
            .is_some_and(|session| session.strong_count() == 0)
    }

    /// Returns since when the slot is not in use. Connections of sessions that have ended come
    /// first.
    fn unused_since(&self) -> Option<(bool, Option<Instant>)> {
        let starts = self.starting.try_lock().is_err();
        let since = self.open().map(|open| open.idle_since());
        // `false` sorts before `true`, and a slot without a connection before the others.
        (!starts && since != Some(None)).then(|| (!self.is_abandoned(), since.flatten()))
    }
}

/// The connections to one upstream.
#[derive(Debug)]
pub(crate) struct ConnectionPool {
    slots: Mutex<HashMap<ConnectionOwner, Arc<ConnectionSlot>>>,
    max: usize,
}

impl ConnectionPool {
    pub(crate) fn new(max: Option<usize>) -> Self {
        Self {
            slots: Mutex::default(),
            max: max.unwrap_or(CONNECTIONS_MAX),
        }
    }

    /// Returns the slot of a client. If there are too many, the one that was unused for longest is
    /// removed, and its connection ends.
    ///
    /// # Errors
    ///
    /// Returns the limit that is reached, with what to do, if all slots are in use.
    pub(crate) fn slot(&self, client: &ConnectionClient) -> Result<Arc<ConnectionSlot>, String> {
        let mut slots = self.slots.lock();
        if let Some(slot) = slots.get(&client.owner) {
            return Ok(slot.clone());
        }
        if client.subject.is_some() {
            // At least one, also for an entry with less than four connections.
            let each = (self.max / PRINCIPAL_PART).max(1);
            // First, so that a principal at its limit takes no connection from others.
            make_room(&mut slots, each, |slot| slot.subject == client.subject)
                .map_err(|()| format!("the caller uses {each} connections to it, which is the limit for one principal; try again later"))?;
        }
        make_room(&mut slots, self.max, |_| true).map_err(|()| format!("all {} connections to it are in use; try again later, or set `connections` in the `pd` object of its entry", self.max))?;
        let slot = ConnectionSlot::new(client);
        slots.insert(client.owner.clone(), slot.clone());
        Ok(slot)
    }

    /// Keeps a slot with a connection that was just opened, also if the slot was removed meanwhile.
    pub(crate) fn keep(&self, client: &ConnectionClient, slot: &Arc<ConnectionSlot>) {
        // Another slot of the client stays. The connection of this one then ends when it is idle.
        self.slots
            .lock()
            .entry(client.owner.clone())
            .or_insert_with(|| slot.clone());
    }

    /// Returns the connection of a session, if it is open.
    pub(crate) fn session_connection(&self, session: &ClientSession) -> Option<Arc<Connection>> {
        self.slots
            .lock()
            .get(&ConnectionOwner::Session(session.number()))?
            .open()
    }

    /// Returns the connections that are open.
    pub(crate) fn open(&self) -> Vec<Arc<Connection>> {
        self.slots
            .lock()
            .values()
            .filter_map(|slot| slot.open())
            .collect()
    }

    /// Removes a slot that has no connection any more.
    pub(crate) fn remove(&self, slot: &Arc<ConnectionSlot>) {
        // Since its connection has ended, a request may have begun another start in the slot.
        self.slots.lock().retain(|_, held| {
            !Arc::ptr_eq(held, slot) || slot.open().is_some() || slot.starting.try_lock().is_err()
        });
    }

    /// Removes and returns all connections. Starts in progress go on, so they are canceled before.
    pub(crate) fn take_all(&self) -> Vec<Arc<Connection>> {
        let slots: Vec<_> = self.slots.lock().drain().map(|(_, slot)| slot).collect();
        slots
            .iter()
            .filter_map(|slot| slot.connection.lock().take())
            .collect()
    }
}

/// Removes unused slots until there are less than `max` of a kind.
fn make_room(
    slots: &mut HashMap<ConnectionOwner, Arc<ConnectionSlot>>,
    max: usize,
    is_of_kind: impl Fn(&ConnectionSlot) -> bool,
) -> Result<(), ()> {
    while slots.values().filter(|slot| is_of_kind(slot)).count() >= max {
        let of_kind = slots.iter().filter(|(_, slot)| is_of_kind(slot));
        let unused = of_kind.filter_map(|(owner, slot)| Some((slot.unused_since()?, owner)));
        let oldest = unused
            .min_by_key(|(since, _)| *since)
            .map(|(_, owner)| owner.clone())
            .ok_or(())?;
        if let Some(open) = slots.remove(&oldest).and_then(|slot| slot.open()) {
            open.close();
        }
    }
    Ok(())
}
