//! Where requests enter, each with its caller; a session of another replica is restored by one of them at a time.

use super::{
    Inside, Request, Response, Sessions,
    caller::{self, Caller, person},
    client_flags::Said,
    error, json_answer,
    replicas::Replicas,
};
use crate::protocol::{
    headers::{SESSION_ID, VERSION},
    negotiated::handshake::INITIALIZE_MAX,
};

use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Full};
use rmcp::{model::ProtocolVersion, transport::streamable_http_server::session::SessionStore};
use std::{cell::Cell, sync::Arc};
use tokio::sync::OwnedMutexGuard;

tokio::task_local! {
    static TURN: Turn;
}

/// One request's turn to restore a session.
struct Turn {
    replicas: Arc<Replicas>,
    /// There while it may be restoring one.
    held: Cell<Option<OwnedMutexGuard<()>>>,
}

impl Turn {
    fn of(replicas: &Arc<Replicas>) -> Self {
        Self { replicas: replicas.clone(), held: Cell::default() }
    }
}

/// Waits for those who restore this session here, if it is one of another replica's. From then on nobody else does, until this
/// request is answered.
///
/// To be called for a request that rmcp answers at once: a call that belongs to no session, whichever it names, is answered when
/// its tool has ended.
pub(super) async fn take_turn(sessions: &Sessions, id: &str) {
    let Ok(replicas) = TURN.try_with(|turn| turn.replicas.clone()) else { return };
    // It waits for no turn while it has one.
    drop(TURN.with(|turn| turn.held.take()));
    let held = replicas.turn(sessions, id, person()).await;
    TURN.with(|turn| turn.held.set(held));
}

/// Where requests enter.
#[derive(Clone)]
pub(crate) struct Door {
    sessions: Sessions,
    /// What other replicas restore sessions from.
    replicas: Option<Arc<Replicas>>,
}

impl Door {
    pub(crate) fn new(sessions: Sessions, replicas: Option<Arc<Replicas>>) -> Self {
        Self { sessions, replicas }
    }

    /// Answers a request of whoever middleware says that it comes from.
    pub(crate) async fn enter(&self, request: Request, inside: &dyn Inside) -> Response {
        let caller = Caller::of(&request);
        match &self.replicas {
            Some(replicas) => caller.asks(TURN.scope(Turn::of(replicas), self.answer(request, inside))).await,
            None => caller.asks(self.answer(request, inside)).await,
        }
    }

    async fn answer(&self, request: Request, inside: &dyn Inside) -> Response {
        let is_delete = request.method() == Method::DELETE;
        let response = match json_answer::is_wanted(&request) {
            true => self.answer_in_json(request, inside).await,
            false => self.go_in(request, inside).await,
        };
        match caller::no_room() {
            Some(why) => error::no_room(why),
            None if is_delete => ended(response),
            None => response,
        }
    }

    /// Delta's clients accept JSON alone. MCP demands that others accept event streams, too, so rmcp refuses those.
    async fn answer_in_json(&self, request: Request, inside: &dyn Inside) -> Response {
        let (mut request, is_of_delta) = self.recognize_delta(request).await;
        if !is_of_delta {
            return self.go_in(request, inside).await;
        }
        json_answer::accept_events(request.headers_mut());
        json_answer::collected(self.go_in(request, inside).await).await
    }

    /// Whether a client of Delta's sends this request: in its session, or to open one.
    async fn recognize_delta(&self, request: Request) -> (Request, bool) {
        let Some(id) = session_id(request.headers()) else {
            let (parts, body) = request.into_parts();
            let Ok(body) = body.collect().await;
            let body = body.to_bytes();
            let is_of_delta = body.len() <= INITIALIZE_MAX && Said::in_body(&body).is_delta();
            return (Request::from_parts(parts, Full::new(body)), is_of_delta);
        };
        let is_of_delta = match self.sessions.own(id, person()) {
            Some(session) => session.is_delta(),
            // Another replica's.
            None => self.sessions.ids.read(id, &person()).is_some_and(Said::is_delta),
        };
        (request, is_of_delta)
    }

    async fn go_in(&self, request: Request, inside: &dyn Inside) -> Response {
        match &self.replicas {
            Some(replicas) if !is_self_contained(request.headers()) => self.pass_on(replicas, request, inside).await,
            _ if request.method() == Method::DELETE && !self.may_end(request.headers()).await => error::unknown(),
            _ => inside.answer(request).await,
        }
    }

    /// A session may have been opened, or ended, at another replica.
    async fn pass_on(&self, replicas: &Replicas, request: Request, inside: &dyn Inside) -> Response {
        let Some(id) = session_id(request.headers()).map(str::to_owned) else {
            return inside.answer(heard(request).await).await;
        };
        replicas.look(&self.sessions, &id, person()).await;
        if request.method() == Method::DELETE {
            if !self.may_end(request.headers()).await {
                return error::unknown();
            }
            take_turn(&self.sessions, &id).await;
        }
        inside.answer(request).await
    }

    /// rmcp ends whatever session a request names. One of another replica's is in the store.
    async fn may_end(&self, headers: &HeaderMap) -> bool {
        let Some(id) = session_id(headers) else { return true };
        if self.sessions.is_own(id, person()) {
            return true;
        }
        match &self.replicas {
            Some(replicas) if self.sessions.table.get(id).is_none() => !matches!(replicas.load(id).await, Ok(None)),
            _ => false,
        }
    }
}

/// rmcp answers the end of a session with 202, "accepted", but it is over by then. Some clients report that as a failure.
fn ended(mut response: Response) -> Response {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_ID)?.to_str().ok()
}

/// From 2026-07-28 on requests belong to no session, whichever they name.
fn is_self_contained(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).map(HeaderValue::as_bytes);
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str().as_bytes())
}

/// Takes note of what a client says of itself: its session's id tells other replicas. rmcp makes the id before anybody has read
/// the request.
async fn heard(request: Request) -> Request {
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await;
    let body = body.to_bytes();
    caller::hear(&body);
    Request::from_parts(parts, Full::new(body))
}
