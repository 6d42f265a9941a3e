//! Sessions over HTTP (MCP up to 2025-11-25): their owners, their limits, the requests in flight in
//! each, and their end. rmcp runs the protocol of each session. The disclosure gate decides what
//! has been disclosed in it.

mod caller;
mod client_flags;
mod delta_version;
mod ended;
mod error;
mod expiry;
mod gatekeeper;
mod http_refusal;
mod id;
mod in_flight;
mod json_answer;
mod opener;
mod priming;
mod replicas;
mod request_guard;
mod rmcp_service;
mod session;
mod session_map;
mod stream_open;
mod transport;
mod unasked;

pub(crate) use delta_version::may_be_delta;
#[cfg(feature = "redis")]
pub(crate) use ended::{is_mark as is_ended_mark, mark as ended_mark};
pub(crate) use gatekeeper::Gatekeeper;
pub(crate) use http_refusal::HttpRefusal;
#[cfg(feature = "redis")]
pub(crate) use id::LIFE as SEALED_ID_LIFE;
pub(crate) use id::SessionIds;
pub(crate) use replicas::ReplicaStore;
pub(crate) use rmcp_service::{BoxedResponse, BufferedRequest, McpService, RmcpService};

use crate::{
    policy::{access::CallerIdentity, limits::Rate, rate_limit::opening_rate::OpeningRate},
    protocol::{extensions::DELTA_ANY_VERSION_PREFIX, negotiated::handshake},
};
use error::SessionRefusal;
use futures::{Stream, StreamExt, stream::once};
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
use session::HttpSession;
use session_map::SessionMap;
use std::{
    future::{pending, ready},
    sync::Arc,
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use transport::SessionTransport;

/// The limits on sessions and on the requests in them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionLimits {
    /// The limit for the whole endpoint.
    pub(crate) sessions: usize,
    /// The limit for one principal.
    pub(crate) of_one: usize,
    /// The limit for all anonymous callers at one address.
    pub(crate) of_address: usize,
    /// The rate at which one payer may open sessions.
    pub(crate) opening_rate: Option<Rate>,
    /// The limit on requests in flight in one session.
    pub(crate) requests: usize,
    /// The lifetime of a session without requests.
    pub(crate) idle: Duration,
}

/// The sessions of an endpoint. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct HttpSessions {
    table: Arc<SessionMap>,
    opening_rate: Arc<OpeningRate>,
    caps: SessionLimits,
    ids: SessionIds,
    /// The store in which other replicas find these sessions.
    replicas: Option<Arc<ReplicaStore>>,
}

/// The error of an operation on a session.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionsError {
    #[error(transparent)]
    NoRoom(#[from] SessionRefusal),
    #[error("could not generate a session id: {0}")]
    NoRandomness(#[from] getrandom::Error),
    #[error("the session has ended; open another one with `initialize`")]
    Ended,
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    EventId(#[from] EventIdParseError),
}

impl HttpSessions {
    pub(crate) fn new(caps: SessionLimits) -> Self {
        let opening_rate = Arc::new(OpeningRate::new(caps.opening_rate));
        Self {
            table: Arc::new(SessionMap::new(&caps)),
            opening_rate,
            caps,
            ids: SessionIds::default(),
            replicas: None,
        }
    }

    /// Returns these sessions with ids that other replicas recognize.
    pub(crate) fn with_ids(self, ids: SessionIds) -> Self {
        Self { ids, ..self }
    }

    /// Returns these sessions as the sessions of one replica among several.
    pub(crate) fn with_replicas(self, replicas: Option<Arc<ReplicaStore>>) -> Self {
        Self { replicas, ..self }
    }

    /// Returns the number of sessions, and of known principals that own one.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> (usize, usize) {
        self.table.counts()
    }

    /// Returns the number of entries in the list of unused sessions.
    #[cfg(test)]
    pub(crate) fn unasked(&self) -> usize {
        self.table.unasked()
    }

    /// Returns whether a session with this id exists and belongs to this person. A foreign session
    /// counts as unknown, so that no caller can probe for ids.
    fn is_own(&self, id: &str, person: CallerIdentity) -> bool {
        self.own_session(id, person).is_some()
    }

    fn own_session(&self, id: &str, person: CallerIdentity) -> Option<Arc<HttpSession>> {
        self.table.get(id).filter(|session| session.is_of(person))
    }

    /// Returns whether the person owns this session and its handshake has completed.
    fn is_ready(&self, id: &str, person: CallerIdentity) -> bool {
        self.own_session(id, person)
            .is_some_and(|session| session.is_ready())
    }

    /// Ends a session.
    fn end(&self, session: &Arc<HttpSession>) {
        // By identity, not by id: another request may have restored the session under the same id
        // since the caller looked it up.
        self.table
            .remove_if(session.id(), |one| std::ptr::eq(one, session.as_ref()));
        session.end();
    }

    /// Ends a session that was removed from the table to make room, here and in the store that
    /// replicas share.
    fn evict(&self, session: &HttpSession) {
        session.end();
        if let Some(replicas) = self.replicas.clone() {
            let id = session.id().to_owned();
            let owner = session.opener.person();
            // In its own task: a slow store must not delay the `initialize` that made room.
            tokio::spawn(async move { replicas.forget(&id, &owner).await });
        }
    }

    /// Returns the session that `has_session` found for this request. A step of a new session has
    /// no such entry yet, so its session is looked up by id.
    fn current_session(&self, id: &SessionId) -> Result<Arc<HttpSession>, SessionsError> {
        caller::session(id)
            .or_else(|| self.own_session(id, caller::person()))
            .ok_or(SessionsError::Ended)
    }

    /// Charges this caller for opening a session.
    fn charge(&self) -> Result<(), SessionRefusal> {
        // `None` means that no request is being answered, so no caller can be charged.
        let charged = caller::charge(|payer| self.opening_rate.charge(payer)).unwrap_or(Ok(()));
        charged
            .map_err(SessionRefusal::TooFast)
            .inspect_err(|why| caller::refuse(*why))
    }

    fn create(&self) -> Result<(SessionId, SessionTransport), SessionsError> {
        // First, so that a caller over its rate gets neither an id nor a worker.
        self.charge()?;
        let id = self.ids.fresh(&caller::person(), caller::client_flags())?;
        Ok((id.clone(), self.open(id)?))
    }

    /// Starts a session for this caller. A caller at its own limit loses its longest idle session.
    /// At the limit of the endpoint, the oldest session without any request ends.
    fn open(&self, id: SessionId) -> Result<SessionTransport, SessionsError> {
        let (handle, worker) = create_local_session(id, config());
        let stop = CancellationToken::new();
        let session = Arc::new(HttpSession::new(handle, caller::opener(), stop.clone()));
        let admitted = self
            .table
            .admit(session.clone())
            .inspect_err(|why| caller::refuse(*why));
        if let Some(evicted) = admitted? {
            tracing::info!(
                was_asked = evicted.was_asked(),
                "session limit reached: a session ends for a new one"
            );
            self.evict(&evicted);
        }
        expiry::watch(&self.table, self.caps.idle);
        Ok(SessionTransport::new(
            WorkerTransport::spawn_with_ct(worker, stop),
            session,
        ))
    }
}

/// Returns rmcp's own session settings.
fn config() -> SessionConfig {
    // rmcp's idle timer counts a notification to a client that has gone as activity, and a long
    // call as none. `expiry` has its own timer.
    let mut config = SessionConfig::default();
    config.keep_alive = None;
    // rmcp drops an answer once it is delivered. It would cache answers of cancelled requests only,
    // which no client asks for.
    config.completed_cache_ttl = Duration::ZERO;
    config
}

impl SessionManager for HttpSessions {
    type Error = SessionsError;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), SessionsError> {
        let created = self.create();
        if matches!(created, Err(SessionsError::NoRoom(_))) && caller::is_known() {
            // The gatekeeper answers the request, and drops this future. rmcp would log each error,
            // and any stranger could fill the log so.
            pending::<()>().await;
        }
        created
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionsError> {
        let session = self.current_session(id)?;
        handshake::limit_message(&mut message);
        note_client(&session, &message);
        let answer = session.handle.initialize(message).await?;
        // Not before the handshake: `has_session` finds ready sessions only.
        session.mark_ready();
        Ok(answer)
    }

    /// Returns whether the caller's session is ready. rmcp calls this only for requests that belong
    /// to a session, and restores the session next if it is not there.
    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionsError> {
        gatekeeper::take_turn(self, id).await;
        let session = self
            .own_session(id, caller::person())
            .filter(|session| session.is_ready());
        let session = session.inspect(|session| {
            session.touch();
            caller::record_session(session);
        });
        Ok(session.is_some())
    }

    /// Ends a session on the client's DELETE, or after rmcp has run it to its end.
    async fn close_session(&self, id: &SessionId) -> Result<(), SessionsError> {
        // Outside of a request, rmcp reports that a session has run to its end. A session that was
        // opened again under the same id since then has not ended, and must survive.
        let asked_for = caller::is_known();
        if let Some(session) = self
            .table
            .remove_if(id, |session| asked_for || session.has_ended())
        {
            session.end();
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let session = self.current_session(id)?;
        if let Err(refusal) = request_guard::begin(&session, &mut message, self.caps.requests).await
        {
            return Ok(once(ready(ServerSseMessage::from_message(refusal))).left_stream());
        }
        // A second `initialize` replaces the parameters that the first one left, so it is reduced
        // in the same way.
        handshake::limit_message(&mut message);
        session.note_asked();
        Ok(priming::strip(stream_open::open(&session, message).await?).right_stream())
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionsError> {
        let session = self.current_session(id)?;
        request_guard::note_cancelled(&session, &message);
        Ok(session.handle.push_message(message, None).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let events = self
            .current_session(id)?
            .handle
            .establish_common_channel()
            .await?
            .inner;
        Ok(priming::standing_event().chain(priming::strip(events)))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(priming::strip(
            self.current_session(id)?
                .handle
                .resume(last_event_id.parse()?)
                .await?
                .inner,
        ))
    }

    async fn restore_session(
        &self,
        id: SessionId,
    ) -> Result<RestoreOutcome<SessionTransport>, SessionsError> {
        match self.table.get(&id) {
            Some(session) if session.is_of(caller::person()) => Ok(RestoreOutcome::AlreadyPresent),
            // rmcp answers this as an unknown session (404).
            Some(_) => Ok(RestoreOutcome::NotSupported),
            None => Ok(RestoreOutcome::Restored(self.open(id)?)),
        }
    }
}

/// Records whether a session's client has the transport of Delta-MCP, in any version.
fn note_client(session: &HttpSession, message: &ClientJsonRpcMessage) {
    let ClientJsonRpcMessage::Request(request) = message else {
        return;
    };
    let ClientRequest::InitializeRequest(initialize) = &request.request else {
        return;
    };
    if initialize
        .params
        .protocol_version
        .as_str()
        .starts_with(DELTA_ANY_VERSION_PREFIX)
    {
        session.note_delta();
    }
}
