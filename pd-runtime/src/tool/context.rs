//! What the server lends every call besides its state: who is calling, progress, cancellation, the peer.

use super::{principal::Principal, tray::Tray};
#[cfg(feature = "fetch")]
use crate::fetch::{FetchPolicy, Fetching};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, InputResponses, ProgressNotificationParam, RequestId},
    service::{Peer, RequestContext},
};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// The call that a tool is answering. Take it as `&CallContext`; clone it to keep it.
///
/// A test makes one with [`CallContext::detached`], or [`CallContext::recording`] to see what the tool reported.
#[derive(Debug, Clone)]
pub struct CallContext {
    inner: Arc<Inner>,
    /// Where a selective tool's rows go, if its caller chose columns.
    tray: Option<Tray>,
    #[cfg(feature = "fetch")]
    fetching: Fetching,
}

#[derive(Debug)]
struct Inner {
    principal: Option<Principal>,
    cancellation: CancellationToken,
    origin: Origin,
    input_responses: Option<InputResponses>,
    request_state: Option<String>,
}

#[derive(Debug)]
enum Origin {
    Request(Box<RequestContext<RoleServer>>),
    Detached,
    Recording(Mutex<Vec<Progress>>),
}

/// One progress report of a recorded call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done.
    pub done: f64,
    /// Of how much, where the tool knows.
    pub total: Option<f64>,
    /// What it is doing; may be empty.
    pub message: String,
}

impl CallContext {
    pub(crate) fn of_request(
        request: RequestContext<RoleServer>,
        principal: Option<Principal>,
        params: &mut CallToolRequestParams,
        #[cfg(feature = "fetch")] fetching: &Fetching,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                principal,
                cancellation: request.ct.clone(),
                origin: Origin::Request(Box::new(request)),
                input_responses: params.input_responses.take(),
                request_state: params.request_state.take(),
            }),
            tray: None,
            #[cfg(feature = "fetch")]
            fetching: fetching.clone(),
        }
    }

    /// A context without a client, for tests and for calling tools from code. Progress goes nowhere.
    pub fn detached() -> Self {
        Self::without_request(Origin::Detached)
    }

    /// A context without a client that keeps what the tool reports; see [`CallContext::recorded`].
    pub fn recording() -> Self {
        Self::without_request(Origin::Recording(Mutex::default()))
    }

    fn without_request(origin: Origin) -> Self {
        Self {
            inner: Arc::new(Inner {
                principal: None,
                cancellation: CancellationToken::new(),
                origin,
                input_responses: None,
                request_state: None,
            }),
            tray: None,
            #[cfg(feature = "fetch")]
            fetching: Fetching::default(),
        }
    }

    /// The same call, whose rows go there. A tool that another one calls is a call of its own.
    pub(crate) fn with_tray(&self, tray: Option<Tray>) -> Self {
        Self { tray, ..self.clone() }
    }

    pub(super) fn tray(&self) -> Option<&Tray> {
        self.tray.as_ref()
    }

    /// Fetches as this policy says what a [`Selected`](crate::Selected) stands for. A server's own contexts do so as its
    /// [`ServerBuilder::fetch`](crate::ServerBuilder::fetch) says; this is for [detached](Self::detached) ones. (Feature `fetch`.)
    #[cfg(feature = "fetch")]
    #[must_use]
    pub fn fetching_by(mut self, policy: FetchPolicy) -> Self {
        self.fetching = Fetching::by(policy);
        self
    }

    #[cfg(feature = "fetch")]
    pub(crate) fn fetching(&self) -> &Fetching {
        &self.fetching
    }

    /// Who is calling, where the transport knows: over HTTP, what middleware put into the request; over stdio nobody.
    pub fn principal(&self) -> Option<&Principal> {
        self.inner.principal.as_ref()
    }

    /// Tells the client how far the call is. Does nothing where the client did not ask for progress.
    ///
    /// `done` must grow with every report of a call (MCP, progress).
    pub async fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        match &self.inner.origin {
            Origin::Detached => {}
            Origin::Recording(reports) => {
                let report = Progress { done, total, message: message.into() };
                reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
            }
            Origin::Request(request) => {
                let Some(token) = request.meta.get_progress_token() else { return };
                let mut report = ProgressNotificationParam::new(token, done).with_message(message.into());
                if let Some(total) = total {
                    report = report.with_total(total);
                }
                // A client that went away cancels the call; there is nobody left to tell.
                let _ = request.peer.notify_progress(report).await;
            }
        }
    }

    /// What a [`CallContext::recording`] kept so far; empty for every other context.
    pub fn recorded(&self) -> Vec<Progress> {
        match &self.inner.origin {
            Origin::Recording(reports) => reports.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Origin::Request(_) | Origin::Detached => Vec::new(),
        }
    }

    /// Whether the client has cancelled the call. Long loops ask this; async code can wait for
    /// [`CallContext::cancellation`].
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancellation.is_cancelled()
    }

    /// The token that is cancelled when the client cancels the call.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.inner.cancellation
    }

    /// The client, for requests and notifications of one's own. `None` without a client.
    pub fn peer(&self) -> Option<&Peer<RoleServer>> {
        self.request().map(|request| &request.peer)
    }

    /// The JSON-RPC id of the call. `None` without a client.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.request().map(|request| &request.id)
    }

    /// All that rmcp knows of the request: `_meta`, HTTP parts and other extensions. `None` without a client.
    pub fn request(&self) -> Option<&RequestContext<RoleServer>> {
        match &self.inner.origin {
            Origin::Request(request) => Some(request),
            Origin::Detached | Origin::Recording(_) => None,
        }
    }

    /// What the client answered to the input that an earlier round of this call asked for
    /// (multi-round-trip requests, MCP 2026-07-28).
    pub fn input_responses(&self) -> Option<&InputResponses> {
        self.inner.input_responses.as_ref()
    }

    /// The state that an earlier round of this call handed to the client (multi-round-trip requests).
    pub fn request_state(&self) -> Option<&str> {
        self.inner.request_state.as_deref()
    }

    /// The call's parameters as rmcp's own tools expect them.
    pub(crate) fn to_rmcp(
        &self,
        name: String,
        arguments: rmcp::model::JsonObject,
    ) -> Result<(CallToolRequestParams, RequestContext<RoleServer>), ErrorData> {
        let Some(request) = self.request() else {
            return Err(ErrorData::internal_error("a tool adopted from rmcp needs a client to call it", None));
        };
        let mut params = CallToolRequestParams::new(name).with_arguments(arguments);
        params.input_responses.clone_from(&self.inner.input_responses);
        params.request_state.clone_from(&self.inner.request_state);
        Ok((params, request.clone()))
    }
}
