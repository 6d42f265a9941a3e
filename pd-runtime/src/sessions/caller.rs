//! Who a request comes from, told to the sessions around rmcp, which asks them without the request.

use super::{Sessions, refusal};
use crate::{
    access::{Authority, Person},
    tool::principal::Principal,
};
use axum::{extract::Request, middleware::Next, response::Response};
use http::{HeaderMap, Method};
use rmcp::transport::streamable_http_server::session::SessionStore;
use std::{cell::Cell, sync::Arc};

const SESSION_ID: &str = "mcp-session-id";

tokio::task_local! {
    static CALLER: Caller;
}

/// One request's caller.
struct Caller {
    authority: Authority,
    /// Whether there was no room for a session.
    is_refused: Cell<bool>,
}

/// Who this request's caller is; outside of requests, nobody.
pub(super) fn person() -> Person {
    CALLER.try_with(|caller| caller.authority.person()).unwrap_or(Person::Nobody)
}

/// Whether a request is being answered.
pub(super) fn is_known() -> bool {
    CALLER.try_with(|_| ()).is_ok()
}

/// There is no room for a session: rmcp would call that a defect of the server.
pub(super) fn refuse() {
    // Outside of requests nobody is answered.
    let _ = CALLER.try_with(|caller| caller.is_refused.set(true));
}

/// Where requests enter.
#[derive(Clone)]
pub(crate) struct Door {
    sessions: Sessions,
    /// What other replicas restore sessions from.
    store: Option<Arc<dyn SessionStore>>,
}

impl Door {
    pub(crate) fn new(sessions: Sessions, store: Option<Arc<dyn SessionStore>>) -> Self {
        Self { sessions, store }
    }

    /// Answers a request of whoever middleware says that it comes from.
    pub(crate) async fn enter(&self, request: Request, next: Next) -> Response {
        let authority = Authority::Remote(request.extensions().get::<Principal>().cloned());
        if request.method() == Method::DELETE && !self.may_end(request.headers(), authority.person()).await {
            return refusal::unknown();
        }
        let answering = async {
            let response = next.run(request).await;
            if CALLER.with(|caller| caller.is_refused.get()) { refusal::full() } else { response }
        };
        CALLER.scope(Caller { authority, is_refused: Cell::new(false) }, answering).await
    }

    /// rmcp ends whatever session a request names. One of another replica's is in the store.
    async fn may_end(&self, headers: &HeaderMap, person: Person) -> bool {
        let id = headers.get(SESSION_ID).and_then(|id| id.to_str().ok());
        let Some(id) = id else { return true };
        if self.sessions.is_own(id, person) {
            return true;
        }
        match &self.store {
            Some(store) if self.sessions.table.get(id).is_none() => !matches!(store.load(id).await, Ok(None)),
            _ => false,
        }
    }
}
