//! rmcp's own client on every transport and in every era, with results as JSON.

use super::site::Site;
use pd_runtime::PdServer;
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, ServerHandler, ServiceError,
    ServiceExt,
    model::*,
    service::{
        NotificationContext, PeerRequestOptions, RequestContext, RoleClient, RunningService,
    },
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// A transport and a lifecycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// One connection in memory, `initialize`.
    Session,
    /// One connection in memory, 2026-07-28.
    Inline,
    /// HTTP with sessions.
    HttpSession,
    /// HTTP, 2026-07-28.
    HttpInline,
    /// HTTP without sessions, `initialize`.
    HttpStateless,
}

impl Era {
    pub(crate) const ALL: [Self; 5] = [
        Self::Session,
        Self::Inline,
        Self::HttpSession,
        Self::HttpInline,
        Self::HttpStateless,
    ];

    /// Whether a server remembers what this client has read.
    pub(crate) fn has_session(self) -> bool {
        matches!(self, Self::Session | Self::HttpSession)
    }

    pub(crate) fn is_http(self) -> bool {
        !matches!(self, Self::Session | Self::Inline)
    }

    pub(crate) fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Inline | Self::HttpInline => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
            _ => ClientLifecycleMode::Initialize,
        }
    }
}

/// What a client noticed beside its answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Noticed {
    pub(crate) progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
    pub(crate) list_changes: Arc<AtomicUsize>,
    /// Other notifications, each as its method and the text that matters.
    pub(crate) others: Arc<Mutex<Vec<String>>>,
}

impl Noticed {
    fn note(&self, text: impl Into<String>) {
        self.others.lock().unwrap().push(text.into());
    }
}

/// The client's side of what a server may ask.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listener {
    capabilities: ClientCapabilities,
    noticed: Noticed,
}

impl Listener {
    fn with(capabilities: Value) -> Self {
        let capabilities = serde_json::from_value(capabilities).expect("client capabilities");
        Self {
            capabilities,
            noticed: Noticed::default(),
        }
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(self.capabilities.clone(), Implementation::new("wire", "0"))
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let message = serde_json::to_value(&params).unwrap()["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        self.noticed.note(format!("asked {message}"));
        let mut accepted = ElicitResult::new(ElicitationAction::Accept);
        accepted.content = Some(json!({ "name": "Ada" }));
        Ok(accepted)
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.noticed.progress.lock().unwrap().push(params);
    }

    #[expect(deprecated, reason = "servers before 2026-07-28 still ask for roots")]
    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///home/ada")]))
    }

    #[expect(deprecated, reason = "servers still send log messages")]
    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.noticed.note(format!(
            "log {}",
            params.data["at"].as_str().unwrap_or_default()
        ));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.noticed.note(format!("updated {}", params.uri));
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.noticed.note("prompts");
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.noticed.list_changes.fetch_add(1, Ordering::SeqCst);
    }
}

/// A connected rmcp client.
pub(crate) struct Client {
    pub(crate) running: RunningService<RoleClient, Listener>,
    pub(crate) noticed: Noticed,
    _site: Option<Site>,
}

/// Connects a client without capabilities.
pub(crate) async fn connect<S, H>(era: Era, shared: &PdServer<S, H>) -> Client
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    connect_with(era, shared, json!({ "elicitation": {} })).await
}

/// Connects a client with these capabilities.
pub(crate) async fn connect_with<S, H>(
    era: Era,
    shared: &PdServer<S, H>,
    capabilities: Value,
) -> Client
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    if era.is_http() {
        let site = Site::open(shared, era == Era::HttpSession).await;
        let client = connect_to(era, &site.url, None, capabilities).await;
        return Client {
            _site: Some(site),
            ..client
        };
    }
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let handler = shared.handler();
    tokio::spawn(async move {
        handler
            .serve(theirs)
            .await
            .expect("a handshake")
            .waiting()
            .await
    });
    let listener = Listener::with(capabilities);
    let noticed = listener.noticed.clone();
    let running = listener
        .serve_with_lifecycle(ours, era.lifecycle())
        .await
        .expect("a handshake");
    Client {
        running,
        noticed,
        _site: None,
    }
}

/// Connects a client to a server that is there, with a bearer token or none.
pub(crate) async fn connect_to(
    era: Era,
    url: &str,
    token: Option<&str>,
    capabilities: Value,
) -> Client {
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config.auth_header = token.map(str::to_owned);
    let transport = StreamableHttpClientTransport::from_config(config);
    let listener = Listener::with(capabilities);
    let noticed = listener.noticed.clone();
    let running = listener
        .serve_with_lifecycle(transport, era.lifecycle())
        .await
        .expect("a handshake");
    Client {
        running,
        noticed,
        _site: None,
    }
}

impl Client {
    /// Waits until the server has told so often that its list changed.
    pub(crate) async fn hears_changes(&self, times: usize) {
        let heard = async {
            while self.noticed.list_changes.load(Ordering::SeqCst) < times {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), heard)
            .await
            .expect("a change in time");
    }

    /// Waits until the client has noticed this beside its answers.
    pub(crate) async fn notices(&self, text: &str) {
        let noticed = async {
            while !self
                .noticed
                .others
                .lock()
                .unwrap()
                .iter()
                .any(|other| other == text)
            {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), noticed)
            .await
            .unwrap_or_else(|_| {
                panic!(
                    "no `{text}` among {:?}",
                    self.noticed.others.lock().unwrap()
                );
            });
    }

    /// `tools/list`, as the client understood it.
    pub(crate) async fn list(&self) -> Value {
        serde_json::to_value(self.running.list_tools(None).await.expect("a list")).unwrap()
    }

    /// `resources/read`, as the client understood it.
    pub(crate) async fn read(&self, uri: &str) -> Value {
        let read = self
            .running
            .read_resource(ReadResourceRequestParams::new(uri))
            .await
            .expect("contents");
        serde_json::to_value(read).unwrap()
    }

    /// The descriptions of these tools, by the resource.
    pub(crate) async fn describe(&self, names: &str) -> Value {
        super::told(
            &self
                .read(&format!("resource:///tool_descriptions?tools={names}"))
                .await,
        )
    }

    /// A call that ends in a result.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Value {
        self.try_call(name, arguments)
            .await
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A call that may end in a protocol error.
    pub(crate) async fn try_call(
        &self,
        name: &str,
        arguments: Value,
    ) -> Result<Value, ServiceError> {
        self.call_with_meta(name, arguments, Value::Null).await
    }

    /// A call with `_meta` of its own.
    pub(crate) async fn call_with_meta(
        &self,
        name: &str,
        arguments: Value,
        meta: Value,
    ) -> Result<Value, ServiceError> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        let mut params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        if let Value::Object(meta) = meta {
            params.set_meta(serde_json::from_value(Value::Object(meta)).expect("request metadata"));
        }
        self.running
            .call_tool(params)
            .await
            .map(|result| serde_json::to_value(result).unwrap())
    }

    /// A call with the ticket that its description asks for, where it asks for one.
    pub(crate) async fn call_described(&self, name: &str, mut arguments: Value) -> Value {
        let described = self.describe(name).await;
        if let Some(ticket) = ticket(&described[name]) {
            arguments["disclosure_ticket"] = json!(ticket);
        }
        self.call(name, arguments).await
    }

    /// A request that rmcp has no method for.
    pub(crate) async fn custom(&self, method: &str, params: Value) -> Result<Value, ServiceError> {
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        match self.running.send_request(request).await? {
            ServerResult::CustomResult(CustomResult(value)) => Ok(value),
            other => panic!("not a custom result: {other:?}"),
        }
    }

    /// A call that can be cancelled.
    pub(crate) async fn start(&self, name: &str) -> rmcp::service::RequestHandle<RoleClient> {
        let request = CallToolRequest::new(CallToolRequestParams::new(name.to_owned()));
        let request = ClientRequest::CallToolRequest(request);
        self.running
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await
            .expect("sent")
    }
}

/// The ticket that a description asks for.
pub(crate) fn ticket(description: &Value) -> Option<&str> {
    description
        .pointer("/inputSchema/properties/disclosure_ticket/const")?
        .as_str()
}

/// The code of a protocol error.
pub(crate) fn error_of<T: std::fmt::Debug>(ended: Result<T, ServiceError>) -> ErrorData {
    match ended {
        Err(ServiceError::McpError(error)) => error,
        other => panic!("not a protocol error: {other:?}"),
    }
}
