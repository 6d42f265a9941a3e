//! Who a request comes from, told to the sessions around rmcp, which asks them without the request.

use super::{Inside, Sessions, refusal, replicas::Replicas, said::Said};
use crate::{
    access::{Authority, Person},
    headers::{SESSION_ID, VERSION},
    tool::principal::Principal,
};
use axum::{body::Body, extract::Request, response::Response};
use http::{HeaderMap, HeaderValue, Method};
use rmcp::{model::ProtocolVersion, transport::streamable_http_server::session::SessionStore};
use std::{cell::Cell, sync::Arc};
use tokio::sync::OwnedMutexGuard;

tokio::task_local! {
    static CALLER: Caller;
}

/// One request's caller.
struct Caller {
    authority: Authority,
    /// Whether there was no room for a session.
    is_refused: Cell<bool>,
    /// The protocol version that it names.
    version: Option<HeaderValue>,
    /// What its client says of itself, if it opens a session that replicas share.
    said: Cell<Said>,
    replicas: Option<Arc<Replicas>>,
    /// Held while it may be restoring a session.
    turn: Cell<Option<OwnedMutexGuard<()>>>,
}

/// Who this request's caller is; outside of requests, nobody.
pub(super) fn person() -> Person {
    CALLER.try_with(|caller| caller.authority.person()).unwrap_or(Person::Nobody)
}

/// Whether a request is being answered.
pub(super) fn is_known() -> bool {
    CALLER.try_with(|_| ()).is_ok()
}

/// The protocol version that applies: clients name it from 2025-06-18 on.
pub(super) fn version() -> ProtocolVersion {
    let named = |caller: &Caller| caller.version.as_ref()?.to_str().ok().map(str::to_owned);
    let named = CALLER.try_with(named).ok().flatten();
    named.and_then(|name| serde_json::from_value(name.into()).ok()).unwrap_or(ProtocolVersion::V_2025_03_26)
}

/// What the client says of itself.
pub(super) fn said() -> Said {
    CALLER.try_with(|caller| caller.said.get()).unwrap_or_default()
}

/// Waits for those who restore this session here, if it is one of another replica's. From then on nobody else does, until this
/// request is answered.
///
/// To be called for a request that rmcp answers at once: a call that belongs to no session, whichever it names, is answered when
/// its tool has ended.
pub(super) async fn take_turn(sessions: &Sessions, id: &str) {
    let Ok(Some(replicas)) = CALLER.try_with(|caller| caller.replicas.clone()) else { return };
    // It waits for no turn while it has one.
    drop(CALLER.with(|caller| caller.turn.take()));
    let turn = replicas.turn(sessions, id, person()).await;
    CALLER.with(|caller| caller.turn.set(turn));
}

/// There is no room for a session: rmcp would call that a defect of the server.
pub(super) fn refuse() {
    // Outside of requests nobody is answered.
    let _ = CALLER.try_with(|caller| caller.is_refused.set(true));
}

impl Caller {
    fn of(request: &Request, replicas: Option<Arc<Replicas>>) -> Self {
        let authority = Authority::Remote(request.extensions().get::<Principal>().cloned());
        let version = request.headers().get(VERSION).cloned();
        let (is_refused, said, turn) = (Cell::new(false), Cell::default(), Cell::default());
        Self { authority, is_refused, version, said, replicas, turn }
    }
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
        CALLER.scope(Caller::of(&request, self.replicas.clone()), self.answer(request, inside)).await
    }

    async fn answer(&self, request: Request, inside: &dyn Inside) -> Response {
        let response = match &self.replicas {
            Some(replicas) if !is_self_contained(request.headers()) => self.pass_on(replicas, request, inside).await,
            _ if request.method() == Method::DELETE && !self.may_end(request.headers()).await => refusal::unknown(),
            _ => inside.answer(request).await,
        };
        if CALLER.with(|caller| caller.is_refused.get()) { refusal::full() } else { response }
    }

    /// A session may have been opened, or ended, at another replica.
    async fn pass_on(&self, replicas: &Replicas, request: Request, inside: &dyn Inside) -> Response {
        let Some(id) = session_id(request.headers()).map(str::to_owned) else {
            return inside.answer(heard(request).await).await;
        };
        replicas.look(&self.sessions, &id, person()).await;
        if request.method() == Method::DELETE {
            if !self.may_end(request.headers()).await {
                return refusal::unknown();
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
    // It has arrived, and is no larger than it may be.
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    CALLER.with(|caller| caller.said.set(Said::in_body(&body)));
    Request::from_parts(parts, Body::from(body))
}
