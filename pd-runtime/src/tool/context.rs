//! The context of a call: the caller, progress, cancellation, the client.

use super::client_session::ClientSession;
use super::{
    client_call::ClientCall,
    principal::{CallerAuthority, Principal},
    prior_answers::{PriorAnswers, RoundInput},
    progress::Progress,
    recording_client::RecordedCall,
    row_slot::RowSlot,
};
use crate::protocol::{
    answer_memory::AnswerMemory,
    lossy::{LossyParts, LossyValue},
};
#[cfg(feature = "fetch")]
use crate::selective::fetch::{FetchPolicy, OptionalFetcher};
use parking_lot::Mutex;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, InputRequiredResult, InputResponses, ProgressNotificationParam,
        RequestId,
    },
    service::{Peer, RequestContext},
};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The call that a tool is answering. Take it as `&CallContext`, and clone it to keep it.
///
/// A test creates one with [`CallContext::detached`], or with [`CallContext::recording`] to read
/// the progress that the tool reported.
/// [`RecordingClient::context`](crate::tool::RecordingClient::context) creates one for tools that
/// talk to their client.
#[derive(Debug, Clone)]
pub struct CallContext {
    origin: CallOrigin,
    authority: CallerAuthority,
    /// The session of the client, if it has one.
    session: Option<Arc<ClientSession>>,
    input_responses: Option<Arc<InputResponses>>,
    request_state: Option<Arc<str>>,
    /// The answers to `ask` in earlier rounds.
    answers: Option<Arc<PriorAnswers>>,
    /// The slot for a selective tool's rows, if the caller chose columns.
    tray: Option<RowSlot>,
    #[cfg(feature = "fetch")]
    fetching: OptionalFetcher,
}

#[derive(Debug, Clone)]
enum CallOrigin {
    Request(Arc<ClientCall>),
    /// A call by the client of a test.
    Recorded(Arc<RecordedCall>),
    /// A call without a client.
    Detached(Arc<DetachedCall>),
}

/// A call by code.
#[derive(Debug, Default)]
struct DetachedCall {
    cancellation: CancellationToken,
    /// The progress so far, if it is recorded.
    reports: Option<Mutex<Vec<Progress>>>,
}

impl CallContext {
    pub(crate) fn from_request(
        request: Arc<ClientCall>,
        authority: CallerAuthority,
        session: Option<Arc<ClientSession>>,
        #[cfg(feature = "fetch")] fetching: &OptionalFetcher,
    ) -> Self {
        Self {
            authority,
            session,
            #[cfg(feature = "fetch")]
            fetching: fetching.clone(),
            ..Self::from_origin(CallOrigin::Request(request))
        }
    }

    /// Creates the context of a request that is passed on, which fetches no rows of its own.
    #[doc(hidden)]
    pub fn relayed(
        request: ClientCall,
        authority: CallerAuthority,
        session: Option<Arc<ClientSession>>,
    ) -> Self {
        Self {
            authority,
            session,
            ..Self::from_origin(CallOrigin::Request(Arc::new(request)))
        }
    }

    /// Creates a context without a client, for tests and for calling tools from code. Progress
    /// reports are discarded.
    pub fn detached() -> Self {
        Self::from_origin(CallOrigin::Detached(Arc::default()))
    }

    /// Creates a context without a client that records progress reports; see
    /// [`CallContext::recorded`].
    pub fn recording() -> Self {
        let reports = Some(Mutex::default());
        Self::from_origin(CallOrigin::Detached(Arc::new(DetachedCall {
            reports,
            ..DetachedCall::default()
        })))
    }

    /// Creates the context of a call by the client of a test.
    pub(super) fn recorded_by(call: RecordedCall) -> Self {
        Self::from_origin(CallOrigin::Recorded(Arc::new(call)))
    }

    fn from_origin(origin: CallOrigin) -> Self {
        Self {
            origin,
            // Without a transport the caller is the process itself. `with_authority` narrows this
            // for remote calls.
            authority: CallerAuthority::Owner,
            session: None,
            input_responses: None,
            request_state: None,
            answers: None,
            tray: None,
            #[cfg(feature = "fetch")]
            fetching: OptionalFetcher::default(),
        }
    }

    /// Sets the principal that makes the call, for tests. [`principal`](Self::principal) returns
    /// it, and [`Registry::call_with`](crate::Registry::call_with) and
    /// [`PdServer::call`](crate::PdServer::call) apply its access rights, as they would over HTTP.
    #[must_use]
    pub fn with_principal(self, principal: Principal) -> Self {
        self.with_authority(CallerAuthority::Remote(Some(principal)))
    }

    /// Sets the caller to an unauthenticated one on the network, for tests. Without this and
    /// without [`with_principal`](Self::with_principal) the caller is the user who started the
    /// process and sees every tool.
    #[must_use]
    pub fn with_anonymous_caller(self) -> Self {
        self.with_authority(CallerAuthority::Remote(None))
    }

    pub(super) fn with_authority(self, authority: CallerAuthority) -> Self {
        Self { authority, ..self }
    }

    /// Adds the client's answers to an earlier round of the call.
    #[doc(hidden)]
    pub fn with_input(self, responses: Option<InputResponses>, state: Option<String>) -> Self {
        let RoundInput {
            responses,
            state,
            answers,
        } = RoundInput::new(responses, state);
        Self {
            // Shared, because tools clone their context, and answers may be large.
            input_responses: responses.map(Arc::new),
            request_state: state.map(Arc::from),
            answers: answers.map(Arc::new),
            ..self
        }
    }

    pub(crate) fn prior_answers(&self) -> Option<&PriorAnswers> {
        self.answers.as_deref()
    }

    /// Returns how many questions the tool has asked before this one.
    pub(super) fn count_question(&self) -> usize {
        // A call without a client has no question that could be repeated under a number.
        self.client_call().map_or(0, ClientCall::count_question)
    }

    /// Returns the place for the parts of an upstream's answer that rmcp's types lose. Returns
    /// `None` if the server's handler is run without this crate's transports.
    #[doc(hidden)]
    pub fn lossy_parts(&self) -> Option<&LossyParts> {
        self.request().and_then(LossyParts::from_request)
    }

    /// Returns the session of the client, if it has one.
    #[doc(hidden)]
    pub fn client_session(&self) -> Option<&Arc<ClientSession>> {
        self.session.as_ref()
    }

    /// Keeps a value until the answer to the client's request is written.
    #[doc(hidden)]
    pub fn hold_until_answered(&self, value: impl std::any::Any + Send + Sync) {
        if let Some(memory) = self.request().and_then(AnswerMemory::from_request) {
            memory.hold(value);
        }
    }

    /// Keeps an upstream's result for the answer, because a type may lose a part of it.
    #[doc(hidden)]
    pub fn keep_result(&self, raw: Value, typed: &impl Serialize) {
        if let Some(parts) = self.lossy_parts() {
            parts.add_result(LossyValue::new(raw, typed));
        }
    }

    #[doc(hidden)]
    pub fn authority(&self) -> &CallerAuthority {
        &self.authority
    }

    /// Returns the caller of a call that code makes, or `None` for a client's call. For a client's
    /// call the server has already checked access, and calls by the tool itself are the tool's own
    /// decision.
    pub(crate) fn direct_caller(&self) -> Option<&CallerAuthority> {
        match &self.origin {
            CallOrigin::Request(_) => None,
            CallOrigin::Recorded(_) | CallOrigin::Detached(_) => Some(&self.authority),
        }
    }

    /// Returns the next round of a call that requires input, if the client of a test answers it.
    pub(crate) fn continued(&self, required: InputRequiredResult) -> Option<Self> {
        match &self.origin {
            CallOrigin::Recorded(call) => call.client.continued(required, &self.authority),
            CallOrigin::Request(_) | CallOrigin::Detached(_) => None,
        }
    }

    /// Returns the same call with another slot for rows. A tool that another tool calls must not
    /// fill the slot of the outer call.
    pub(crate) fn with_tray(&self, tray: Option<RowSlot>) -> Self {
        Self {
            tray,
            ..self.clone()
        }
    }

    #[doc(hidden)]
    pub fn tray(&self) -> Option<&RowSlot> {
        self.tray.as_ref()
    }

    /// Sets the policy by which a [`Selected`](crate::Selected) fetches rows. The contexts of a
    /// server use its [`ServerBuilder::fetch`](crate::ServerBuilder::fetch). This method is for
    /// [detached](Self::detached) contexts. (Feature `fetch`.)
    #[cfg(feature = "fetch")]
    #[must_use]
    pub fn fetching_by(mut self, policy: FetchPolicy) -> Self {
        self.fetching = OptionalFetcher::new(policy);
        self
    }

    #[cfg(feature = "fetch")]
    pub(crate) fn fetching(&self) -> &OptionalFetcher {
        &self.fetching
    }

    /// Returns the principal, if the transport knows it. Over HTTP, middleware puts it into the
    /// request. Over stdio it is `None`.
    pub fn principal(&self) -> Option<&Principal> {
        self.authority.principal()
    }

    /// Reports progress to the client. Does nothing if the client did not request progress, or has
    /// cancelled the call.
    ///
    /// `done` must increase with every report of a call (MCP, progress).
    pub async fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let CallOrigin::Detached(call) = &self.origin
            && let Some(reports) = &call.reports
        {
            let report = Progress {
                done,
                total,
                message: message.into(),
            };
            // The lock is released before the next await, because this branch returns.
            reports.lock().push(report);
            return;
        }
        // A client that has cancelled a request no longer waits for its progress.
        let Some(request) = self.request().filter(|_| !self.is_cancelled()) else {
            return;
        };
        let Some(token) = request.meta.get_progress_token() else {
            return;
        };
        let mut report = ProgressNotificationParam::new(token, done);
        let message = message.into();
        // A client shows an empty message as one.
        if !message.is_empty() {
            report = report.with_message(message);
        }
        if let Some(total) = total {
            report = report.with_total(total);
        }
        // A client that has disconnected cancels the call, so a failed report needs no handling.
        let _ = request.peer.notify_progress(report).await;
    }

    /// Returns the progress that a [`CallContext::recording`] or a
    /// [`RecordingClient`](crate::tool::RecordingClient) has recorded so far. It is empty for every
    /// other context.
    pub fn recorded(&self) -> Vec<Progress> {
        match &self.origin {
            CallOrigin::Recorded(call) => call.client.progress(),
            CallOrigin::Detached(call) => call
                .reports
                .as_ref()
                .map(|reports| reports.lock().clone())
                .unwrap_or_default(),
            CallOrigin::Request(_) => Vec::new(),
        }
    }

    /// Returns whether the client has cancelled the call. Long loops of `blocking` tools check
    /// this. Async code can wait for [`CallContext::cancellation`].
    pub fn is_cancelled(&self) -> bool {
        self.cancellation().is_cancelled()
    }

    /// Returns the token that is cancelled when the client cancels the call: by a notification, by
    /// the end of its session or, since MCP 2026-07-28, by closing the stream of the answer.
    ///
    /// The server drops the future of an async tool 250 milliseconds later, and frees its permits.
    /// A tool that must not stop between two steps runs them in a spawned task. A `blocking` tool
    /// runs on and keeps its permits until it returns.
    pub fn cancellation(&self) -> &CancellationToken {
        match &self.origin {
            CallOrigin::Request(call) => &call.ct,
            CallOrigin::Recorded(recorded) => &recorded.call.ct,
            CallOrigin::Detached(call) => &call.cancellation,
        }
    }

    /// Returns the client, for requests and notifications that the tool sends itself. `None`
    /// without a client.
    pub fn peer(&self) -> Option<&Peer<RoleServer>> {
        self.request().map(|request| &request.peer)
    }

    /// Returns the JSON-RPC id of the call. `None` without a client.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.request().map(|request| &request.id)
    }

    /// Returns rmcp's context of the request: `_meta`, HTTP parts and other extensions. `None`
    /// without a client.
    pub fn request(&self) -> Option<&RequestContext<RoleServer>> {
        self.client_call().map(|call| &**call)
    }

    fn client_call(&self) -> Option<&ClientCall> {
        match &self.origin {
            CallOrigin::Request(call) => Some(call),
            CallOrigin::Recorded(recorded) => Some(&recorded.call),
            CallOrigin::Detached(_) => None,
        }
    }

    /// Returns the client's answers to the input that an earlier round of this call required
    /// (multi-round-trip requests, MCP 2026-07-28).
    pub fn input_responses(&self) -> Option<&InputResponses> {
        self.input_responses.as_deref()
    }

    /// Returns the state that an earlier round of this call handed to the client (multi-round-trip
    /// requests).
    pub fn request_state(&self) -> Option<&str> {
        self.request_state.as_deref()
    }

    /// Returns the call's parameters in the form that rmcp's own tools expect.
    pub(crate) fn to_rmcp(
        &self,
        name: String,
        arguments: rmcp::model::JsonObject,
    ) -> Result<(CallToolRequestParams, RequestContext<RoleServer>), ErrorData> {
        let Some(request) = self.request() else {
            let text = "a tool adopted from rmcp needs a client: call it with the context of a \
                        `pd_runtime::tool::RecordingClient`, made inside of a Tokio runtime (`#[tokio::test]`)";
            return Err(ErrorData::internal_error(text, None));
        };
        // rmcp's parameters own their parts, and this context keeps them for other readers.
        let mut params = CallToolRequestParams::new(name).with_arguments(arguments);
        params.input_responses = self.input_responses.as_deref().cloned();
        params.request_state = self.request_state.as_deref().map(str::to_owned);
        Ok((params, request.clone()))
    }
}
