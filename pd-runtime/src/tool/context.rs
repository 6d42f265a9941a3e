//! What the server lends every call besides its state: who is calling, progress, cancellation, the peer.

use super::{
    principal::{Authority, Principal},
    recording_client::RecordedCall,
    row_slot::Tray,
};
#[cfg(feature = "fetch")]
use crate::selective::fetch::{FetchPolicy, Fetching};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, InputRequiredResult, InputResponses, ProgressNotificationParam, RequestId},
    service::{Peer, RequestContext},
};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// The call that a tool is answering. Take it as `&CallContext`; clone it to keep it.
///
/// A test makes one with [`CallContext::detached`], or with [`CallContext::recording`] to see what progress the tool reported.
/// [`RecordingClient::context`](crate::RecordingClient::context) makes one for tools that talk to their client.
#[derive(Debug, Clone)]
pub struct CallContext {
    inner: Arc<Inner>,
    authority: Authority,
    input_responses: Option<Arc<InputResponses>>,
    request_state: Option<Arc<str>>,
    /// Where a selective tool's rows go, if its caller chose columns.
    tray: Option<Tray>,
    #[cfg(feature = "fetch")]
    fetching: Fetching,
}

#[derive(Debug)]
struct Inner {
    cancellation: CancellationToken,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    Request(Box<RequestContext<RoleServer>>),
    /// A test's client.
    Recorded(Box<RecordedCall>),
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
        authority: Authority,
        #[cfg(feature = "fetch")] fetching: &Fetching,
    ) -> Self {
        Self {
            authority,
            #[cfg(feature = "fetch")]
            fetching: fetching.clone(),
            ..Self::of_origin(request.ct.clone(), Origin::Request(Box::new(request)))
        }
    }

    /// A context without a client, for tests and for calling tools from code. Progress goes nowhere.
    pub fn detached() -> Self {
        Self::of_origin(CancellationToken::new(), Origin::Detached)
    }

    /// A context without a client that keeps what the tool reports; see [`CallContext::recorded`].
    pub fn recording() -> Self {
        Self::of_origin(CancellationToken::new(), Origin::Recording(Mutex::default()))
    }

    /// The context of a call by a test's client.
    pub(super) fn recorded_by(call: RecordedCall) -> Self {
        Self::of_origin(call.request.ct.clone(), Origin::Recorded(Box::new(call)))
    }

    fn of_origin(cancellation: CancellationToken, origin: Origin) -> Self {
        Self {
            inner: Arc::new(Inner { cancellation, origin }),
            authority: Authority::Owner,
            input_responses: None,
            request_state: None,
            tray: None,
            #[cfg(feature = "fetch")]
            fetching: Fetching::default(),
        }
    }

    /// The same call by this principal, for tests: [`principal`](Self::principal) returns it, and
    /// [`Registry::call_with`](crate::Registry::call_with) and [`Shared::call`](crate::Shared::call) show it the tools that it
    /// may see, as over HTTP.
    #[must_use]
    pub fn with_principal(self, principal: Principal) -> Self {
        self.with_authority(Authority::Remote(Some(principal)))
    }

    /// The same call by someone on the network whom nobody authenticated, for tests. Without this and without
    /// [`with_principal`](Self::with_principal) the caller is the user who started the process and sees every tool.
    #[must_use]
    pub fn with_anonymous_caller(self) -> Self {
        self.with_authority(Authority::Remote(None))
    }

    pub(super) fn with_authority(self, authority: Authority) -> Self {
        Self { authority, ..self }
    }

    /// The same call with the answers of the client to an earlier round of it.
    pub(crate) fn with_input(self, responses: Option<InputResponses>, state: Option<String>) -> Self {
        Self { input_responses: responses.map(Arc::new), request_state: state.map(Arc::from), ..self }
    }

    pub(crate) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The caller of a call that code makes. `None` in a call that a client makes: whether the tool exists for its caller was
    /// decided before, and what the tool itself calls is the tool's own decision.
    pub(crate) fn direct_caller(&self) -> Option<&Authority> {
        match &self.inner.origin {
            Origin::Request(_) => None,
            Origin::Recorded(_) | Origin::Detached | Origin::Recording(_) => Some(&self.authority),
        }
    }

    /// The next round of a call that requires input, where a test's client answers it.
    pub(crate) fn continued(&self, required: InputRequiredResult) -> Option<Self> {
        match &self.inner.origin {
            Origin::Recorded(call) => call.client.continued(required, &self.authority),
            Origin::Request(_) | Origin::Detached | Origin::Recording(_) => None,
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
        self.authority.principal()
    }

    /// Tells the client how far the call is. Does nothing where the client did not ask for progress.
    ///
    /// `done` must grow with every report of a call (MCP, progress).
    pub async fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let Origin::Recording(reports) = &self.inner.origin {
            let report = Progress { done, total, message: message.into() };
            reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
            return;
        }
        let Some(request) = self.request() else { return };
        let Some(token) = request.meta.get_progress_token() else { return };
        let mut report = ProgressNotificationParam::new(token, done).with_message(message.into());
        if let Some(total) = total {
            report = report.with_total(total);
        }
        // A client that went away cancels the call; there is nobody left to tell.
        let _ = request.peer.notify_progress(report).await;
    }

    /// What progress a [`CallContext::recording`] or a [`RecordingClient`](crate::RecordingClient) recorded so far; empty for
    /// every other context.
    pub fn recorded(&self) -> Vec<Progress> {
        match &self.inner.origin {
            Origin::Recording(reports) => reports.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Origin::Recorded(call) => call.client.progress(),
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
            Origin::Recorded(call) => Some(&call.request),
            Origin::Detached | Origin::Recording(_) => None,
        }
    }

    /// What the client answered to the input that an earlier round of this call asked for
    /// (multi-round-trip requests, MCP 2026-07-28).
    pub fn input_responses(&self) -> Option<&InputResponses> {
        self.input_responses.as_deref()
    }

    /// The state that an earlier round of this call handed to the client (multi-round-trip requests).
    pub fn request_state(&self) -> Option<&str> {
        self.request_state.as_deref()
    }

    /// The call's parameters as rmcp's own tools expect them.
    pub(crate) fn to_rmcp(
        &self,
        name: String,
        arguments: rmcp::model::JsonObject,
    ) -> Result<(CallToolRequestParams, RequestContext<RoleServer>), ErrorData> {
        let Some(request) = self.request() else {
            let text = "a tool adopted from rmcp needs a client: call it with the context of a \
                        `pd_runtime::RecordingClient`, made inside of a Tokio runtime (`#[tokio::test]`)";
            return Err(ErrorData::internal_error(text, None));
        };
        let mut params = CallToolRequestParams::new(name).with_arguments(arguments);
        params.input_responses = self.input_responses.as_deref().cloned();
        params.request_state = self.request_state.as_deref().map(str::to_owned);
        Ok((params, request.clone()))
    }
}
