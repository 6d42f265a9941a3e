//! Sessions over HTTP (MCP up to 2025-11-25): whose they are, how many there may be, what is under way in them, and when
//! they end. rmcp runs each of them; what is disclosed in one is the gate's business.

mod caller;
mod client_flags;
mod ended;
mod error;
mod expiry;
mod gatekeeper;
mod http_refusal;
mod id;
mod in_flight;
mod json_answer;
mod opener;
mod replicas;
mod request_guard;
mod rmcp_service;
mod session;
mod session_map;
mod stream_open;
mod transport;
mod unasked;

#[cfg(feature = "redis")]
pub(crate) use ended::{is_mark as is_ended_mark, mark as ended_mark};
pub(crate) use gatekeeper::Door;
pub(crate) use http_refusal::HttpRefusal;
pub(crate) use id::Ids;
#[cfg(feature = "redis")]
pub(crate) use id::LIFE as SEALED_ID_LIFE;
pub(crate) use replicas::Replicas;
pub(crate) use rmcp_service::{Inside, Request, Response, Rmcp};

use crate::{
    policy::{access::Person, limits::Rate, rate_limit::opening_rate::OpeningRate},
    protocol::{extensions::DELTA_VERSION_PREFIX, negotiated::handshake},
};
use error::NoRoom;
use futures::{
    Stream, StreamExt,
    stream::{once, poll_fn},
};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage},
    transport::{
        WorkerTransport,
        streamable_http_server::session::{
            RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
            local::{EventIdParseError, SessionConfig, SessionError, create_local_session},
        },
    },
};
use session::Session;
use session_map::Table;
use std::{future::ready, sync::Arc, time::Duration};
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;
use transport::Watched;

/// How many sessions there may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    /// In all.
    pub(crate) sessions: usize,
    /// Of one principal.
    pub(crate) of_one: usize,
    /// Of anonymous callers at one address.
    pub(crate) of_address: usize,
    /// How often one payer may open a session.
    pub(crate) opening_rate: Option<Rate>,
    /// Requests under way in one session.
    pub(crate) requests: usize,
    /// How long one in which nothing is asked lives.
    pub(crate) idle: Duration,
}

/// All sessions of an endpoint. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Sessions {
    table: Arc<Table>,
    opening_rate: Arc<OpeningRate>,
    caps: Caps,
    ids: Ids,
    /// Where other replicas look for these sessions.
    replicas: Option<Arc<Replicas>>,
}

/// A session could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionsError {
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    #[error("there is no randomness for a session's id: {0}")]
    NoRandomness(#[from] getrandom::Error),
    #[error("the session has ended; open another one with `initialize`")]
    Ended,
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    EventId(#[from] EventIdParseError),
}

impl Sessions {
    pub(crate) fn new(caps: Caps) -> Self {
        let opening_rate = Arc::new(OpeningRate::new(caps.opening_rate));
        Self { table: Arc::new(Table::new(&caps)), opening_rate, caps, ids: Ids::default(), replicas: None }
    }

    /// The same, with ids that other replicas recognise.
    pub(crate) fn with_ids(self, ids: Ids) -> Self {
        Self { ids, ..self }
    }

    /// The same, as one of these replicas.
    pub(crate) fn with_replicas(self, replicas: Option<Arc<Replicas>>) -> Self {
        Self { replicas, ..self }
    }

    /// How many there are, and of how many known people.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> (usize, usize) {
        self.table.counts()
    }

    /// How many sessions are remembered as ones in which nothing was asked.
    #[cfg(test)]
    pub(crate) fn unasked(&self) -> usize {
        self.table.unasked()
    }

    /// Whether there is this session, and it is this person's. One of somebody else's is as good as none.
    fn is_own(&self, id: &str, person: Person) -> bool {
        self.own(id, person).is_some()
    }

    fn own(&self, id: &str, person: Person) -> Option<Arc<Session>> {
        self.table.get(id).filter(|session| session.is_of(person))
    }

    /// The same, once its handshake is through.
    fn is_ready(&self, id: &str, person: Person) -> bool {
        self.own(id, person).is_some_and(|session| session.is_ready())
    }

    /// Ends a session.
    fn end(&self, session: &Arc<Session>) {
        self.table.remove_if(session.id(), |one| std::ptr::eq(one, session.as_ref()));
        session.end();
    }

    /// Ends a session that was taken out of the table to make room, here and in the store that
    /// replicas share.
    fn evict(&self, session: &Session) {
        session.end();
        if let Some(replicas) = self.replicas.clone() {
            let (id, owner) = (session.id().to_owned(), session.opener.person());
            tokio::spawn(async move { replicas.forget(&id, &owner).await });
        }
    }

    /// The session that rmcp has found for this caller.
    fn found(&self, id: &SessionId) -> Result<Arc<Session>, SessionsError> {
        caller::session(id).or_else(|| self.own(id, caller::person())).ok_or(SessionsError::Ended)
    }

    /// Counts a session that this caller asks for.
    fn charge(&self) -> Result<(), NoRoom> {
        let charged = caller::charge(|payer| self.opening_rate.charge(payer)).unwrap_or(Ok(()));
        charged.map_err(NoRoom::TooFast).inspect_err(|why| caller::refuse(*why))
    }

    /// Starts a session for this caller, at the cost of one of theirs where they have too many, or of one in which nothing was
    /// asked where there are too many.
    fn open(&self, id: SessionId) -> Result<Watched, SessionsError> {
        let (handle, worker) = create_local_session(id, config());
        let stop = CancellationToken::new();
        let session = Arc::new(Session::new(handle, caller::opener(), stop.clone()));
        let admitted = self.table.admit(session.clone()).inspect_err(|why| caller::refuse(*why));
        if let Some(outlived) = admitted? {
            tracing::info!(was_asked = outlived.was_asked(), "session limit reached: a session ends for a new one");
            self.evict(&outlived);
        }
        expiry::watch(&self.table, self.caps.idle);
        Ok(Watched::new(WorkerTransport::spawn_with_ct(worker, stop), session))
    }
}

/// rmcp's own settings. Its clock for idle sessions counts a notification to a client that has gone as life, and a long call
/// as none: `expiry` has another. It forgets answers once they are given, and keeps those of cancelled requests only, which
/// nobody asks for.
fn config() -> SessionConfig {
    let mut config = SessionConfig::default();
    config.keep_alive = None;
    config.completed_cache_ttl = Duration::ZERO;
    config
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = Watched;

    async fn create_session(&self) -> Result<(SessionId, Watched), SessionsError> {
        self.charge()?;
        let id = self.ids.fresh(&caller::person(), caller::said())?;
        Ok((id.clone(), self.open(id)?))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionsError> {
        let session = self.found(id)?;
        handshake::bound(&mut message);
        note_client(&session, &message);
        let answer = session.handle.initialize(message).await?;
        session.get_ready();
        Ok(answer)
    }

    /// Asked for those requests only that rmcp takes for ones of a session; where it is not there, it is restored next.
    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionsError> {
        gatekeeper::take_turn(self, id).await;
        let session = self.own(id, caller::person()).filter(|session| session.is_ready());
        let found = session.inspect(|session| {
            session.touch();
            caller::found(session);
        });
        Ok(found.is_some())
    }

    /// A client asked for it, or rmcp has run it to its end. In the latter case it may have been opened again since, under
    /// the same id.
    async fn close_session(&self, id: &SessionId) -> Result<(), SessionsError> {
        let asked_for = caller::is_known();
        if let Some(session) = self.table.remove_if(id, |session| asked_for || session.has_ended()) {
            session.end();
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let session = self.found(id)?;
        if let Err(refusal) = request_guard::begin(&session, &mut message, self.caps.requests).await {
            return Ok(once(ready(ServerSseMessage::from_message(refusal))).left_stream());
        }
        // A second `initialize` would replace what the first one left.
        handshake::bound(&mut message);
        session.note_asked();
        Ok(events(stream_open::open(&session, message).await?).right_stream())
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), SessionsError> {
        let session = self.found(id)?;
        request_guard::note_cancelled(&session, &message);
        Ok(session.handle.push_message(message, None).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(events(self.found(id)?.handle.establish_common_channel().await?.inner))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(events(self.found(id)?.handle.resume(last_event_id.parse()?).await?.inner))
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Watched>, SessionsError> {
        match self.table.get(&id) {
            Some(session) if session.is_of(caller::person()) => Ok(RestoreOutcome::AlreadyPresent),
            // To rmcp that means: unknown.
            Some(_) => Ok(RestoreOutcome::NotSupported),
            None => Ok(RestoreOutcome::Restored(self.open(id)?)),
        }
    }
}

/// Records which protocol a session's client speaks.
fn note_client(session: &Session, message: &ClientJsonRpcMessage) {
    let ClientJsonRpcMessage::Request(request) = message else { return };
    let ClientRequest::InitializeRequest(initialize) = &request.request else { return };
    if initialize.params.protocol_version.as_str().starts_with(DELTA_VERSION_PREFIX) {
        session.note_delta();
    }
}

/// What a session sends on one stream.
fn events(mut events: Receiver<ServerSseMessage>) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static {
    poll_fn(move |context| events.poll_recv(context))
}
