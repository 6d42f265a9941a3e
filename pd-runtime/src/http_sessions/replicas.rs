//! Sessions that several replicas serve: the shared store, and the session id as a fallback while
//! the store cannot be reached.

use super::{HttpSessions, caller, client_flags::ClientFlags, ended, id::SessionIds};
use crate::{
    disclosure::gate::replicas::STORE_TIMEOUT,
    policy::{
        access::CallerIdentity,
        disclosure_store::session_key::{OwnerKey, SessionKey},
    },
    protocol::negotiated::handshake,
    telemetry::log_throttle::LogThrottle,
};

use rmcp::transport::streamable_http_server::session::{
    SessionState, SessionStore, SessionStoreError,
};
use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time::timeout,
};

/// The interval at which a replica asks the store whether another one has ended a session that is
/// in use.
const LOOK: Duration = Duration::from_secs(1);
/// The number of sessions that can be restored at once.
const TURNS: usize = 64;

/// The store as rmcp sees it. It adds the caller to each key, and answers from the session id if
/// the store does not.
pub(crate) struct ReplicaStore {
    store: Arc<dyn SessionStore>,
    ids: SessionIds,
    /// Locks that let one request at a time restore a session, since rmcp fails concurrent ones.
    /// Selected by the hash of the session's id.
    turns: Box<[Arc<Mutex<()>>]>,
    hasher: RandomState,
}

impl fmt::Debug for ReplicaStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplicaStore")
            .field("ids", &self.ids)
            .finish_non_exhaustive()
    }
}

/// The state of a session in the store.
enum StoredSession {
    Open(Box<SessionState>),
    Ended,
    Nothing,
    /// The store cannot be reached, or its entry cannot be read.
    Unknown,
}

impl ReplicaStore {
    pub(crate) fn new(store: Arc<dyn SessionStore>, ids: SessionIds) -> Arc<Self> {
        let turns = (0..TURNS).map(|_| Arc::default()).collect();
        Arc::new(Self {
            store,
            ids,
            turns,
            hasher: RandomState::new(),
        })
    }

    /// Ends the session here if another replica has ended it.
    pub(super) async fn check_ended(
        &self,
        sessions: &HttpSessions,
        id: &str,
        person: CallerIdentity,
    ) {
        let Some(session) = sessions
            .own_session(id, person)
            .filter(|session| session.is_due(LOOK))
        else {
            return;
        };
        if let StoredSession::Ended = self.load_state(id, &person).await {
            sessions.end(&session);
        }
    }

    /// Waits until no other request restores this session, unless it is already here. The caller
    /// holds the guard until the session has been restored.
    pub(super) async fn acquire_turn(
        &self,
        sessions: &HttpSessions,
        id: &str,
        person: CallerIdentity,
    ) -> Option<OwnedMutexGuard<()>> {
        if sessions.is_ready(id, person) {
            return None;
        }
        // A fixed number of locks instead of one per id: clients choose the ids, and could
        // otherwise fill the memory. Two ids that share a lock only wait for each other.
        let place = self.hasher.hash_one(id) as usize % TURNS;
        Some(self.turns.get(place)?.clone().lock_owned().await)
    }

    async fn load_state(&self, id: &str, person: &CallerIdentity) -> StoredSession {
        match timeout(STORE_TIMEOUT, self.store.load(&key(id, person))).await {
            Ok(Ok(Some(state))) if ended::is_mark(&state) => StoredSession::Ended,
            Ok(Ok(Some(state))) => StoredSession::Open(Box::new(state)),
            Ok(Ok(None)) => StoredSession::Nothing,
            Ok(Err(error)) => {
                tracing::debug!(%error, "could not load a session from the store of the replicas");
                StoredSession::Unknown
            }
            Err(_) => StoredSession::Unknown,
        }
    }

    /// Deletes the store's entries of a session that made room for another one. Its id alone may
    /// open it again, in place of its owner's longest idle session.
    pub(super) async fn forget(&self, id: &str, person: &CallerIdentity) {
        let deleted = timeout(STORE_TIMEOUT, self.store.delete(&key(id, person))).await;
        if !matches!(deleted, Ok(Ok(()))) {
            tracing::debug!(
                "the entries of an ended session stay in the store until they have been idle"
            );
        }
    }

    /// Restores a session from its id alone. If the store has lost the session, it is stored again,
    /// so that the store counts it again.
    async fn restore(
        &self,
        id: &str,
        person: &CallerIdentity,
        is_lost: bool,
    ) -> Option<SessionState> {
        let state = self.ids.read(id, person).map(state_from)?;
        if is_lost {
            self.store_state(id, person, &state).await;
        }
        Some(state)
    }

    async fn store_state(&self, id: &str, person: &CallerIdentity, state: &SessionState) {
        let stored = timeout(STORE_TIMEOUT, self.store.store(&key(id, person), state)).await;
        let error = match stored {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(late) => late.to_string(),
        };
        // Throttled: while the store is down, every request that opens or ends a session comes
        // here.
        static THROTTLE: LogThrottle = LogThrottle::new();
        if THROTTLE.is_due() {
            tracing::warn!(
                error,
                "a session could not be stored; other replicas know it by its id alone"
            );
        }
    }
}

/// rmcp calls the store in the task of a request, so the caller is known.
#[async_trait::async_trait]
impl SessionStore for ReplicaStore {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let person = caller::person();
        Ok(match self.load_state(id, &person).await {
            StoredSession::Open(state) => Some(*state),
            StoredSession::Ended => None,
            // Only a missing entry is written again. An entry that could not be read may be the
            // mark of an ended session, which must not be overwritten.
            StoredSession::Nothing => self.restore(id, &person, true).await,
            StoredSession::Unknown => self.restore(id, &person, false).await,
        })
    }

    /// Stores a session. A failure is logged and not returned, since rmcp would refuse the session,
    /// which its id alone can restore.
    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let mut params = state.initialize_params.clone();
        // Reduced again here: rmcp passes the parameters as the client sent them, and the store has
        // to hold many.
        handshake::limit_params(&mut params);
        self.store_state(id, &caller::person(), &SessionState::new(params))
            .await;
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        let person = caller::person();
        let deleted = timeout(STORE_TIMEOUT, self.store.delete(&key(id, &person))).await;
        // Only an id that a replica generated opens a session by itself, so only such ids need a
        // mark. Otherwise any caller could fill the store with marks of invented ids.
        if self.ids.read(id, &person).is_some() {
            self.store_state(id, &person, &ended::mark()).await;
        }
        deleted.unwrap_or(Ok(()))
    }
}

/// Returns the session's key, followed by its owner's key if the owner is a principal. Another
/// person's key differs, so a foreign session is not found.
fn key(id: &str, person: &CallerIdentity) -> String {
    let session = SessionKey::new(id.as_bytes(), person);
    match OwnerKey::new(person) {
        Some(owner) => format!("{session}.{owner}"),
        None => session.to_string(),
    }
}

fn state_from(flags: ClientFlags) -> SessionState {
    SessionState::new(flags.params(caller::version()))
}
