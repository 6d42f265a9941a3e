//! The entry of requests into sessions. It records the caller for rmcp's callbacks, and lets one
//! request at a time restore a session of another replica.

use super::{
    BoxedResponse, BufferedRequest, HttpSessions, McpService,
    caller::{self, RequestCaller, person},
    client_flags::ClientFlags,
    delta_version,
    error::{self, SessionRefusal},
    json_answer,
    replicas::ReplicaStore,
};
use crate::protocol::{
    headers::{SESSION_ID, VERSION},
    negotiated::handshake::INITIALIZE_MAX,
};

use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Full};
use rmcp::{model::ProtocolVersion, transport::streamable_http_server::session::SessionStore};
use std::{cell::Cell, future::poll_fn, pin::pin, sync::Arc, task::Poll};
use tokio::sync::OwnedMutexGuard;

tokio::task_local! {
    static TURN: RestoreTurn;
}

/// One request's turn to restore a session.
struct RestoreTurn {
    replicas: Arc<ReplicaStore>,
    /// The lock of the session that this request may be restoring.
    held: Cell<Option<OwnedMutexGuard<()>>>,
}

impl RestoreTurn {
    fn new(replicas: &Arc<ReplicaStore>) -> Self {
        Self {
            replicas: replicas.clone(),
            held: Cell::default(),
        }
    }
}

/// Waits until no other request restores this session, if it belongs to another replica. This
/// request then holds the turn until it is answered.
///
/// Call it only for a request that rmcp answers at once. A call without a session is answered when
/// its tool has ended, and would hold the turn for as long.
pub(super) async fn take_turn(sessions: &HttpSessions, id: &str) {
    let Ok(replicas) = TURN.try_with(|turn| turn.replicas.clone()) else {
        return;
    };
    // Release the turn that this request may hold before waiting: if both are for the same lock,
    // the request would wait for itself.
    drop(TURN.with(|turn| turn.held.take()));
    let held = replicas.acquire_turn(sessions, id, person()).await;
    TURN.with(|turn| turn.held.set(held));
}

/// The entry of requests into sessions.
#[derive(Clone)]
pub(crate) struct Gatekeeper {
    sessions: HttpSessions,
    /// The store from which replicas restore sessions.
    replicas: Option<Arc<ReplicaStore>>,
}

impl Gatekeeper {
    pub(crate) fn new(sessions: HttpSessions, replicas: Option<Arc<ReplicaStore>>) -> Self {
        Self { sessions, replicas }
    }

    /// Answers a request. The caller is the one that middleware recorded in the request's
    /// extensions.
    pub(crate) async fn enter(
        &self,
        request: BufferedRequest,
        rmcp: &dyn McpService,
    ) -> BoxedResponse {
        let caller = RequestCaller::from_request(&request);
        match &self.replicas {
            Some(replicas) => {
                caller
                    .scope(TURN.scope(RestoreTurn::new(replicas), self.answer(request, rmcp)))
                    .await
            }
            None => caller.scope(self.answer(request, rmcp)).await,
        }
    }

    async fn answer(&self, mut request: BufferedRequest, rmcp: &dyn McpService) -> BoxedResponse {
        let headers = request.headers_mut();
        if delta_version::excludes_session(headers) && self.is_delta_session(headers) == Some(true)
        {
            // rmcp then takes the version that was negotiated for the session.
            headers.remove(VERSION);
        }
        let is_delete = request.method() == Method::DELETE;
        let answer = async {
            match json_answer::is_wanted(&request) {
                true => self.answer_in_json(request, rmcp).await,
                false => self.forward(request, rmcp).await,
            }
        };
        match unless_refused(answer).await {
            Err(why) => error::no_room(why),
            Ok(response) if is_delete => with_no_content(response),
            Ok(response) => response,
        }
    }

    /// Answers a request with a client that accepts JSON alone. MCP requires clients to accept
    /// event streams, too, so rmcp refuses such requests. Requests of Delta-MCP clients are
    /// rewritten here, so that rmcp accepts them.
    async fn answer_in_json(
        &self,
        request: BufferedRequest,
        rmcp: &dyn McpService,
    ) -> BoxedResponse {
        let (mut request, is_of_delta) = self.recognize_delta(request).await;
        if !is_of_delta {
            return self.forward(request, rmcp).await;
        }
        json_answer::accept_events(request.headers_mut());
        json_answer::collect_answer(self.forward(request, rmcp).await).await
    }

    /// Returns whether a Delta-MCP client sent this request, in its session or to open one.
    async fn recognize_delta(&self, request: BufferedRequest) -> (BufferedRequest, bool) {
        if let Some(is_of_delta) = self.is_delta_session(request.headers()) {
            return (request, is_of_delta);
        }
        let (parts, body) = request.into_parts();
        let Ok(body) = body.collect().await;
        let body = body.to_bytes();
        let is_of_delta = body.len() <= INITIALIZE_MAX && ClientFlags::from_body(&body).is_delta();
        (
            BufferedRequest::from_parts(parts, Full::new(body)),
            is_of_delta,
        )
    }

    /// Returns whether the session that these headers name belongs to this caller and to a
    /// Delta-MCP client. Returns `None` if they name no session.
    fn is_delta_session(&self, headers: &HeaderMap) -> Option<bool> {
        let id = session_id(headers)?;
        Some(match self.sessions.own_session(id, person()) {
            Some(session) => session.is_delta(),
            // The session may be at another replica. Its id carries the client's flags.
            None => self
                .sessions
                .ids
                .read(id, &person())
                .is_some_and(ClientFlags::is_delta),
        })
    }

    async fn forward(&self, request: BufferedRequest, rmcp: &dyn McpService) -> BoxedResponse {
        match &self.replicas {
            Some(replicas) if !is_self_contained(request.headers()) => {
                self.forward_with_replicas(replicas, request, rmcp).await
            }
            // rmcp ends any session that a DELETE names, without asking for its owner.
            _ if request.method() == Method::DELETE && !self.may_end(request.headers()).await => {
                error::unknown()
            }
            _ => rmcp.answer(request).await,
        }
    }

    /// Answers a request in a session that another replica may have opened or ended.
    async fn forward_with_replicas(
        &self,
        replicas: &ReplicaStore,
        request: BufferedRequest,
        rmcp: &dyn McpService,
    ) -> BoxedResponse {
        let Some(id) = session_id(request.headers()).map(str::to_owned) else {
            return rmcp.answer(with_flags_recorded(request).await).await;
        };
        replicas.check_ended(&self.sessions, &id, person()).await;
        if request.method() == Method::DELETE {
            if !self.may_end(request.headers()).await {
                return error::unknown();
            }
            take_turn(&self.sessions, &id).await;
        }
        rmcp.answer(request).await
    }

    /// Returns whether this caller may end the session that the headers name. A session of another
    /// replica is looked up in the store.
    async fn may_end(&self, headers: &HeaderMap) -> bool {
        let Some(id) = session_id(headers) else {
            return true;
        };
        if self.sessions.is_own(id, person()) {
            return true;
        }
        match &self.replicas {
            // A key contains the caller's identity, so `load` finds the caller's own sessions only.
            Some(replicas) if self.sessions.table.get(id).is_none() => {
                !matches!(replicas.load(id).await, Ok(None))
            }
            _ => false,
        }
    }
}

/// Awaits an answer, unless this request is refused a session. The refusal is recorded while the
/// answer is polled, and the answer does not come then.
async fn unless_refused<T>(answer: impl Future<Output = T>) -> Result<T, SessionRefusal> {
    let mut answer = pin!(answer);
    poll_fn(|context| {
        let polled = answer.as_mut().poll(context);
        match caller::no_room() {
            Some(why) => Poll::Ready(Err(why)),
            None => polled.map(Ok),
        }
    })
    .await
}

/// Replaces rmcp's 202 "accepted" for an ended session with 204. The session is over by then, and
/// some clients report 202 as a failure.
fn with_no_content(mut response: BoxedResponse) -> BoxedResponse {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_ID)?.to_str().ok()
}

/// Returns whether a request belongs to no session. From 2026-07-28 on none does, even if it names
/// one.
fn is_self_contained(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).map(HeaderValue::as_bytes);
    // Versions are dates in ISO form, so they compare as text.
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str().as_bytes())
}

/// Records the client's flags before rmcp reads the request. rmcp generates the session's id, which
/// carries the flags, before it parses `initialize`.
async fn with_flags_recorded(request: BufferedRequest) -> BufferedRequest {
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await;
    let body = body.to_bytes();
    caller::record_flags(&body);
    BufferedRequest::from_parts(parts, Full::new(body))
}
