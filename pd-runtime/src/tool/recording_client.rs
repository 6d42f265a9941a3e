//! An in-memory client for tests of tools that talk to their client.

mod answers;
mod transport;

use super::{
    client_call::ClientCall,
    principal::{CallerAuthority, Principal},
    progress::Progress,
    silent_handler::SilentHandler,
};
use answers::ClientAnswers;
use parking_lot::{Mutex, MutexGuard};
#[expect(
    deprecated,
    reason = "clients still receive log messages, sample and have roots"
)]
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
    Implementation, InitializeRequestParams, InputRequest, InputRequiredResult, InputResponses,
    LoggingMessageNotificationParam, NumberOrString, ProgressToken, ProtocolVersion, RequestId,
    Root, ServerNotification, ServerRequest,
};
use rmcp::{
    RoleServer,
    service::{RequestContext, RunningService, serve_directly},
};
use serde_json::Value;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};
use transport::MemoryTransport;

/// An in-memory client for tests. It records what a tool sends to its client, and answers the
/// tool's requests.
///
/// Tools adopted from rmcp need one, because they may use rmcp's `Peer` and `RequestContext`.
///
/// ```
/// use pd_runtime::{
///     prelude::*,
///     rmcp::model::{ElicitResult, ElicitationAction},
///     tool::RecordingClient,
/// };
/// use serde_json::json;
///
/// # use pd_runtime::rmcp::{RoleServer, service::Peer, model::{
/// #     ClientResult, ElicitRequest, ElicitRequestParams, ElicitationSchema, ServerRequest,
/// # }};
/// # /// As `Peer::create_elicitation`, which needs the feature `elicitation` of rmcp.
/// # trait Elicit { async fn ask_user(&self, message: &str) -> Result<ElicitResult, ToolError>; }
/// # impl Elicit for Peer<RoleServer> {
/// #     async fn ask_user(&self, message: &str) -> Result<ElicitResult, ToolError> {
/// #         let params = ElicitRequestParams::FormElicitationParams {
/// #             meta: None,
/// #             message: message.into(),
/// #             requested_schema: ElicitationSchema::new(Default::default()),
/// #         };
/// #         let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
/// #         match self.send_request(request).await? {
/// #             ClientResult::ElicitResult(result) => Ok(result),
/// #             _ => Err(ToolError::new("NO_NAME", "no name")),
/// #         }
/// #     }
/// # }
/// /// Greet the user by the name that the user enters
/// #[pd_tool]
/// async fn greet(call: &CallContext) -> Result<String, ToolError> {
///     let peer = call.peer().ok_or_else(|| ToolError::new("NO_CLIENT", "nobody can be asked"))?;
///     let entered = peer.ask_user("What is your name?").await?;
///     call.progress(1.0, Some(1.0), "asked").await;
///     Ok(format!("Hello, {}!", entered.content.unwrap_or_default()["name"]))
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let registry: Registry<()> = pd_runtime::registry! { greet };
/// let client = RecordingClient::new().with_elicitation(|_| {
///     ElicitResult::new(ElicitationAction::Accept).with_content(json!({"name": "Ada"}))
/// });
///
/// let result = registry.call_with(&(), "greet", json!({}), &client.context()).await?;
/// assert_eq!(result.content[0].as_text().unwrap().text, "Hello, \"Ada\"!");
/// assert_eq!(client.requests().len(), 1);
/// assert_eq!(client.progress()[0].message, "asked");
/// # Ok::<(), ToolError>(())
/// # }).unwrap();
/// ```
///
/// A clone shares the records. By default the client speaks MCP 2025-11-25, in which a tool sends
/// requests to its client. A client of 2026-07-28
/// ([`with_protocol_version`](Self::with_protocol_version)) answers a result that requires input
/// instead: [`Registry::call_with`](crate::Registry::call_with) then calls the tool again with the
/// answers.
#[derive(Clone)]
pub struct RecordingClient {
    version: ProtocolVersion,
    answers: ClientAnswers,
    authority: CallerAuthority,
    log: Arc<MessageLog>,
    code: ClientCode,
}

/// The functions that compile a second connection of rmcp's and the types that travel on it. Only
/// `RecordingClient::new` names them, which is compiled into the crate that calls it: a server
/// without such tests does without.
#[derive(Clone, Copy)]
struct ClientCode {
    connect: fn(&RecordingClient) -> Option<RecordedCall>,
    answer_input: fn(&ClientAnswers, InputRequest, &MessageLog) -> Option<Value>,
}

/// The messages that tools sent to one client.
#[derive(Debug, Default)]
struct MessageLog {
    notifications: Mutex<Vec<ServerNotification>>,
    requests: Mutex<Vec<ServerRequest>>,
    /// The id of the next call, which is also the call's progress token.
    next_call: AtomicI64,
}

impl MessageLog {
    fn notifications(&self) -> MutexGuard<'_, Vec<ServerNotification>> {
        self.notifications.lock()
    }

    fn requests(&self) -> MutexGuard<'_, Vec<ServerRequest>> {
        self.requests.lock()
    }
}

impl Default for RecordingClient {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RecordingClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordingClient")
            .field("version", &self.version)
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}

impl RecordingClient {
    /// Creates a client of MCP 2025-11-25 that answers only pings.
    #[inline]
    pub fn new() -> Self {
        let answers = ClientAnswers::default();
        let log = Arc::default();
        let authority = CallerAuthority::Owner;
        let code = ClientCode {
            connect: Self::connect,
            answer_input: ClientAnswers::answer_input,
        };
        Self {
            version: ProtocolVersion::V_2025_11_25,
            answers,
            authority,
            log,
            code,
        }
    }

    /// Sets the protocol version of the client's calls.
    #[must_use]
    pub fn with_protocol_version(mut self, version: ProtocolVersion) -> Self {
        self.version = version;
        self
    }

    /// Sets the caller, as [`CallContext::with_principal`](crate::CallContext::with_principal)
    /// does. The context's [`request`](crate::CallContext::request) contains the principal, as a
    /// request over HTTP does.
    #[must_use]
    pub fn with_principal(mut self, principal: Principal) -> Self {
        self.authority = CallerAuthority::Remote(Some(principal));
        self
    }

    /// Answers elicitation by forms and by URLs, and declares the capability.
    #[must_use]
    pub fn with_elicitation(
        mut self,
        answer: impl Fn(ElicitRequestParams) -> ElicitResult + Send + Sync + 'static,
    ) -> Self {
        self.answers.elicitation = Some(Arc::new(answer));
        self
    }

    /// Answers sampling, and declares the capability.
    #[must_use]
    #[expect(deprecated, reason = "clients still sample")]
    pub fn with_sampling(
        mut self,
        answer: impl Fn(CreateMessageRequestParams) -> CreateMessageResult + Send + Sync + 'static,
    ) -> Self {
        self.answers.sampling = Some(Arc::new(answer));
        self
    }

    /// Answers the request for roots, and declares the capability.
    #[must_use]
    #[expect(deprecated, reason = "clients still have roots")]
    pub fn with_roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.answers.roots = Some(roots.into_iter().collect());
        self
    }

    /// Opens the connection of a new call, if this is possible here.
    pub(super) fn open_call(&self) -> Option<RecordedCall> {
        (self.code.connect)(self)
    }

    /// Returns the caller of this client's calls.
    pub(super) fn authority(&self) -> &CallerAuthority {
        &self.authority
    }

    /// Returns the answers to the input that a result requires, and the state for the next round.
    ///
    /// Returns `None` before MCP 2026-07-28, which introduced such results, and if the client has
    /// no answer.
    pub(super) fn answer_required(
        &self,
        required: InputRequiredResult,
    ) -> Option<(InputResponses, Option<String>)> {
        // Protocol versions are ISO dates, so their order as strings is their order in time.
        if self.version.as_str() < ProtocolVersion::V_2026_07_28.as_str() {
            return None;
        }
        let requests = required.input_requests.unwrap_or_default();
        // A round needs all answers, so the first request without one ends the call.
        let answered: Option<InputResponses> = requests
            .into_iter()
            .map(|(key, request)| {
                Some((
                    key,
                    (self.code.answer_input)(&self.answers, request, &self.log)?,
                ))
            })
            .collect();
        Some((answered?, required.request_state))
    }

    /// Opens a connection for one call. Each call has its own connection, which ends with the
    /// call's context.
    #[inline]
    fn connect(&self) -> Option<RecordedCall> {
        // `serve_directly` spawns a task, which panics outside of a runtime.
        tokio::runtime::Handle::try_current().ok()?;
        let client = Implementation::new("recording-client", env!("CARGO_PKG_VERSION"));
        let info = InitializeRequestParams::new(self.answers.capabilities(), client)
            .with_protocol_version(self.version.clone());
        let transport = MemoryTransport::new(self.answers.clone(), self.log.clone());
        // `serve_directly` skips the handshake, since `info` contains what `initialize` would have
        // sent.
        let running = serve_directly(SilentHandler, transport, Some(info));
        let id = NumberOrString::Number(self.log.next_call.fetch_add(1, Ordering::Relaxed));
        let mut request = RequestContext::new(RequestId::from(id.clone()), running.peer().clone());
        request.meta.set_progress_token(ProgressToken(id));
        // A request over stdio has no HTTP parts.
        if let CallerAuthority::Remote(principal) = &self.authority {
            let (mut parts, ()) = http::Request::new(()).into_parts();
            principal
                .iter()
                .for_each(|principal| drop(parts.extensions.insert(principal.clone())));
            request.extensions.insert(parts);
        }
        Some(RecordedCall {
            call: ClientCall::new(request),
            client: self.clone(),
            _running: running,
        })
    }

    /// Returns the notifications that tools sent, in order.
    pub fn notifications(&self) -> Vec<ServerNotification> {
        self.log.notifications().clone()
    }

    /// Returns the requests that tools sent, in order. Input that a result of 2026-07-28 requires
    /// counts as a request.
    pub fn requests(&self) -> Vec<ServerRequest> {
        self.log.requests().clone()
    }

    /// Returns the progress that tools reported, in order.
    pub fn progress(&self) -> Vec<Progress> {
        let notifications = self.log.notifications();
        let reports = notifications
            .iter()
            .filter_map(|notification| match notification {
                ServerNotification::ProgressNotification(report) => Some(&report.params),
                _ => None,
            });
        reports
            .map(|report| Progress {
                done: report.progress,
                total: report.total,
                message: report.message.clone().unwrap_or_default(),
            })
            .collect()
    }

    /// Returns the log messages that tools sent, in order.
    #[expect(deprecated, reason = "servers still send log messages")]
    pub fn log_messages(&self) -> Vec<LoggingMessageNotificationParam> {
        let notifications = self.log.notifications();
        let messages = notifications
            .iter()
            .filter_map(|notification| match notification {
                ServerNotification::LoggingMessageNotification(message) => {
                    Some(message.params.clone())
                }
                _ => None,
            });
        messages.collect()
    }
}

/// One call by a [`RecordingClient`], with its connection. Dropping the call closes the connection.
#[derive(Debug)]
pub(super) struct RecordedCall {
    pub(super) call: ClientCall,
    pub(super) client: RecordingClient,
    _running: RunningService<RoleServer, SilentHandler>,
}
