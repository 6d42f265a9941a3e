//! Sessions that several replicas serve: the store that they share, and what an id alone tells where that is gone.

use super::{Sessions, caller, client_flags::Said, ended, id::Ids};
use crate::{
    disclosure::gate::replicas::PATIENCE,
    policy::{
        access::Person,
        disclosure_store::session_key::{OwnerKey, SessionKey},
    },
    protocol::negotiated::handshake,
    telemetry::log_throttle::LogThrottle,
};

use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};
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

/// How often the store is asked whether another replica has ended a session, while it is used.
const LOOK: Duration = Duration::from_secs(1);
/// How many sessions can be restored at one time.
const TURNS: usize = 64;

/// The store as rmcp sees it: it knows a session by its id and who asks for it, and answers when the store does not.
pub(crate) struct Replicas {
    store: Arc<dyn SessionStore>,
    ids: Ids,
    /// One request at a time restores a session; rmcp fails those that come meanwhile. By the id's hash.
    turns: Box<[Arc<Mutex<()>>]>,
    hasher: RandomState,
}

impl fmt::Debug for Replicas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replicas").field("ids", &self.ids).finish_non_exhaustive()
    }
}

/// What the store has of a session.
enum Kept {
    Open(Box<SessionState>),
    Ended,
    Nothing,
    /// The store cannot be reached, or its entry cannot be read.
    Unknown,
}

impl Replicas {
    pub(crate) fn new(store: Arc<dyn SessionStore>, ids: Ids) -> Arc<Self> {
        let turns = (0..TURNS).map(|_| Arc::default()).collect();
        Arc::new(Self { store, ids, turns, hasher: RandomState::new() })
    }

    /// Ends the session here if another replica has ended it.
    pub(super) async fn look(&self, sessions: &Sessions, id: &str, person: Person) {
        let Some(session) = sessions.own(id, person).filter(|session| session.is_due(LOOK)) else { return };
        if let Kept::Ended = self.kept(id, &person).await {
            sessions.end(&session);
        }
    }

    /// Waits for those who restore this session, where it is not there. To be held until it is.
    pub(super) async fn turn(&self, sessions: &Sessions, id: &str, person: Person) -> Option<OwnedMutexGuard<()>> {
        if sessions.is_ready(id, person) {
            return None;
        }
        let place = self.hasher.hash_one(id) as usize % TURNS;
        Some(self.turns.get(place)?.clone().lock_owned().await)
    }

    async fn kept(&self, id: &str, person: &Person) -> Kept {
        match timeout(PATIENCE, self.store.load(&key(id, person))).await {
            Ok(Ok(Some(state))) if ended::is_mark(&state) => Kept::Ended,
            Ok(Ok(Some(state))) => Kept::Open(Box::new(state)),
            Ok(Ok(None)) => Kept::Nothing,
            Ok(Err(error)) => {
                tracing::debug!(%error, "what other replicas know of a session is not known");
                Kept::Unknown
            }
            Err(_) => Kept::Unknown,
        }
    }

    /// Deletes the entries of a session that made room for another one. Its id may open it again,
    /// in place of the longest idle session of its owner.
    pub(super) async fn forget(&self, id: &str, person: &Person) {
        let deleted = timeout(PATIENCE, self.store.delete(&key(id, person))).await;
        if !matches!(deleted, Ok(Ok(()))) {
            tracing::debug!("the entries of an ended session stay in the store until they have been idle");
        }
    }

    /// What the id alone says of its session. The store gets it again if it has lost it, and so
    /// counts it again.
    async fn restore(&self, id: &str, person: &Person, is_lost: bool) -> Option<SessionState> {
        let state = self.ids.read(id, person).map(restored)?;
        if is_lost {
            self.keep(id, person, &state).await;
        }
        Some(state)
    }

    async fn keep(&self, id: &str, person: &Person, state: &SessionState) {
        let kept = timeout(PATIENCE, self.store.store(&key(id, person), state)).await;
        let error = match kept {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(late) => late.to_string(),
        };
        static THROTTLE: LogThrottle = LogThrottle::new();
        if THROTTLE.is_due() {
            tracing::warn!(error, "a session could not be stored; other replicas know it by its id alone");
        }
    }
}

/// rmcp asks in the task of a request, so it is known for whom.
#[async_trait::async_trait]
impl SessionStore for Replicas {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let person = caller::person();
        Ok(match self.kept(id, &person).await {
            Kept::Open(state) => Some(*state),
            Kept::Ended => None,
            Kept::Nothing => self.restore(id, &person, true).await,
            Kept::Unknown => self.restore(id, &person, false).await,
        })
    }

    /// Whether it succeeds or not, there is a session.
    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let mut params = state.initialize_params.clone();
        handshake::bound_params(&mut params);
        self.keep(id, &caller::person(), &SessionState::new(params)).await;
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        let person = caller::person();
        let deleted = timeout(PATIENCE, self.store.delete(&key(id, &person))).await;
        // Only an id of ours opens a session by itself, and only for such a one there is a mark: else anybody could write many.
        if self.ids.read(id, &person).is_some() {
            self.keep(id, &person, &ended::mark()).await;
        }
        deleted.unwrap_or(Ok(()))
    }
}

/// The session's key, and its owner if that is a principal. Somebody else's session has another
/// key: it is as good as none.
fn key(id: &str, person: &Person) -> String {
    let session = SessionKey::new(id.as_bytes(), person);
    match OwnerKey::new(person) {
        Some(owner) => format!("{session}.{owner}"),
        None => session.to_string(),
    }
}

fn restored(said: Said) -> SessionState {
    SessionState::new(said.params(caller::version()))
}
