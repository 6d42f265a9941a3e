//! The one `rmcp::ServerHandler`: it translates between rmcp and the rooms before it, and decides nothing.

mod bare;
mod builder;
pub(crate) mod host;
mod served;
mod shared;

pub use bare::Bare;
pub use builder::ServerBuilder;
pub use shared::Shared;

use crate::{
    caller::{Caller, authority, declares_by_handshake},
    dispatch::Dispatcher,
    gate::session::Session,
    hub::Seat,
    policy::DESCRIBE_TOOLS,
    registry::Registry,
    surface::{extension, listing, meta_tools, resource},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::Value;
use served::Served;
use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, OnceLock},
};
use tokio_util::sync::CancellationToken;

/// An MCP server that discloses its tools progressively, on one connection.
///
/// ```no_run
/// use pd_runtime::prelude::*;
/// use rmcp::{ServiceExt, transport::stdio};
///
/// /// Say hello
/// #[pd_tool]
/// fn hello(
///     /// Whom to greet.
///     name: String,
/// ) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = PdServer::builder(pd_runtime::registry! { hello }, ()).build()?;
/// server.handler().serve(stdio()).await?.waiting().await?;
/// # Ok(())
/// # }
/// ```
///
/// It is a [`ServerHandler`] like any other: an author's own handler may hold one and hand it the requests that are
/// about tools, instead of going [`around`](ServerBuilder::around).
pub struct PdServer<H = Bare> {
    served: Arc<Served>,
    /// The author's own; all sessions share it.
    inner: Arc<H>,
    /// Opened by `initialize`; freed with the handler.
    session: OnceLock<Session>,
    /// The session's place among those that hear of changes.
    seat: OnceLock<Seat>,
    /// Cancelled when the client has left a connection that `serve` watches.
    left: CancellationToken,
}

impl<H> fmt::Debug for PdServer<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PdServer").field("served", &self.served).field("session", &self.session).finish()
    }
}

impl PdServer {
    /// Starts a server of these tools on this state.
    pub fn builder<S: Send + Sync + 'static>(registry: Registry<S>, state: S) -> ServerBuilder<S> {
        ServerBuilder::new(registry, state)
    }
}

impl<H: ServerHandler> PdServer<H> {
    fn new(served: Arc<Served>, inner: Arc<H>) -> Self {
        Self { served, inner, session: OnceLock::new(), seat: OnceLock::new(), left: CancellationToken::new() }
    }

    fn caller(&self, request: &RequestContext<RoleServer>) -> Caller<'_> {
        Caller::of_request(request, self.session.get())
    }

    /// A `tools/call` that rmcp could not read, and so takes for a method of the author's own.
    async fn call_unreadable(
        &self,
        params: Option<Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let name = params.as_ref().and_then(|params| params.get("name")).and_then(Value::as_str);
        let Some(name) = name else { return Err(ErrorData::invalid_params("`name` must be the name of a tool", None)) };
        if params.as_ref().and_then(|params| params.get("arguments")).is_none_or(Value::is_object) {
            return Err(ErrorData::invalid_params("a parameter of `tools/call` has the wrong type", None));
        }
        let (catalogue, policy, tickets) = (self.served.catalogue(), &self.served.policy, &self.served.tickets);
        let caller = self.caller(context);
        let result = if policy.describe_tools && name == DESCRIBE_TOOLS {
            meta_tools::call(None, &caller, &catalogue, policy, tickets).await
        } else {
            let Some(entry) = catalogue.find(name, &caller.authority) else { return Err(unknown_tool(name)) };
            let dispatcher = Dispatcher { catalogue: &catalogue, policy, tickets };
            dispatcher.call_without_object(entry, &caller).await
        };
        let mut result = serde_json::to_value(result).unwrap_or_default();
        if !caller.modern
            && let Some(result) = result.as_object_mut()
        {
            result.shift_remove("resultType");
        }
        Ok(CustomResult(result))
    }

    fn inner(&self) -> &H {
        &self.inner
    }
}

/// We hand out no cursors, so any cursor is someone else's.
fn first_page(request: Option<&PaginatedRequestParams>) -> bool {
    request.is_none_or(|params| params.cursor.is_none())
}

/// The same bytes for a tool that does not exist and one that this caller may not see.
fn unknown_tool(name: &str) -> ErrorData {
    let shown: String = name.chars().take(64).collect();
    ErrorData::invalid_params(format!("Unknown tool: {shown}"), None)
}

macro_rules! forward {
    ($($method:ident($params:ty) -> $result:ty;)*) => {$(
        async fn $method(&self, params: $params, context: RequestContext<RoleServer>) -> Result<$result, ErrorData> {
            self.inner().$method(params, context).await
        }
    )*};
}

macro_rules! forward_notifications {
    ($($method:ident($params:ty);)*) => {$(
        async fn $method(&self, params: $params, context: NotificationContext<RoleServer>) {
            self.inner().$method(params, context).await;
        }
    )*};
}

impl<H: ServerHandler> ServerHandler for PdServer<H> {
    fn get_info(&self) -> ServerConfig {
        self.served.info(self.inner().get_info())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner().supported_protocol_versions()
    }

    async fn initialize(
        &self,
        params: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let (owner, peer) = (authority(&context), context.peer.clone());
        let handshake = context.clone();
        let opened = self.inner().initialize(params.clone(), context).await?;
        peer.set_peer_info(params);
        let modern = opened.protocol_version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
        // A second `initialize` on one connection opens no second session.
        self.session.get_or_init(|| Session::new(owner, declares_by_handshake(&handshake), modern));
        self.seat.get_or_init(|| Seat::take(peer, self.served.changes()));
        Ok(self.served.info(opened))
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if !first_page(params.as_ref()) {
            return Err(ErrorData::invalid_params("this cursor is not ours: all tools stand on the first page", None));
        }
        Ok(listing::list(&self.caller(&context), &self.served.catalogue(), &self.served.policy))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _running = self.served.running();
        let (catalogue, policy, tickets) = (self.served.catalogue(), &self.served.policy, &self.served.tickets);
        let caller = self.caller(&context);
        if policy.describe_tools && params.name == DESCRIBE_TOOLS {
            return Ok(meta_tools::call(params.arguments, &caller, &catalogue, policy, tickets).await.into());
        }
        let Some(entry) = catalogue.find(&params.name, &caller.authority) else {
            return Err(unknown_tool(&params.name));
        };
        let dispatcher = Dispatcher { catalogue: &catalogue, policy, tickets };
        Ok(dispatcher.call(entry, params, &caller, context).await)
    }

    /// For header checks only (SEP-2243), without a caller: a tool that may be hidden is not shown.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let anyone = crate::access::Authority::Remote(None);
        self.served.catalogue().find(name, &anyone).map(|entry| entry.minimal.clone())
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let ours = first_page(params.as_ref()).then(|| resource::resource(self.served.is_gated()));
        let mut listed = self.inner().list_resources(params, context).await?;
        listed.resources.splice(0..0, ours);
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let ours = first_page(params.as_ref()).then(resource::template);
        let mut listed = self.inner().list_resource_templates(params, context).await?;
        listed.resource_templates.splice(0..0, ours);
        Ok(listed)
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(query) = resource::query(&params.uri) else {
            let unknown = bare::unknown_resource(&params.uri);
            let read = self.inner().read_resource(params, context).await;
            // A handler without resources of its own knows no method for them; the server does.
            return read.map_err(|error| if error.code == ErrorCode::METHOD_NOT_FOUND { unknown } else { error });
        };
        let (catalogue, policy, tickets) = (self.served.catalogue(), &self.served.policy, &self.served.tickets);
        let caller = self.caller(&context);
        Ok(resource::read(&params.uri, query, &caller, &catalogue, policy, tickets).await.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == CallToolRequestMethod::VALUE {
            return self.call_unreadable(request.params, &context).await;
        }
        if request.method != extension::DESCRIBE {
            return self.inner().on_custom_request(request, context).await;
        }
        let (catalogue, policy, tickets) = (self.served.catalogue(), &self.served.policy, &self.served.tickets);
        let caller = self.caller(&context);
        extension::describe(request.params.as_ref(), &caller, &catalogue, policy, tickets).await.map(CustomResult)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = self.inner().accepted_subscription_filter(requested).unwrap_or_default();
        accepted.tools_list_changed = Some(true);
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let (sink, mut changes) = (context.sink().clone(), self.served.changes());
        let telling = async {
            while changes.changed().await.is_ok() {
                // A closed subscription ends `listen` below.
                let _ = sink.notify_tool_list_changed().await;
            }
        };
        tokio::select! {
            ended = self.inner().listen(context) => ended,
            () = telling => Ok(()),
            () = self.left.cancelled() => Ok(()),
        }
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.inner().ping(context).await
    }

    #[expect(deprecated, reason = "clients before 2026-07-28 still subscribe this way")]
    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.inner().subscribe(params, context).await
    }

    #[expect(deprecated, reason = "clients before 2026-07-28 still unsubscribe this way")]
    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.inner().unsubscribe(params, context).await
    }

    #[expect(deprecated, reason = "clients before 2026-07-28 still set a log level this way")]
    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.inner().set_level(params, context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.inner().on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.inner().on_roots_list_changed(context).await;
    }

    forward_notifications! {
        on_cancelled(CancelledNotificationParam);
        on_progress(ProgressNotificationParam);
        on_custom_notification(CustomNotification);
    }

    forward! {
        complete(CompleteRequestParams) -> CompleteResult;
        get_prompt(GetPromptRequestParams) -> GetPromptResponse;
        list_prompts(Option<PaginatedRequestParams>) -> ListPromptsResult;
        get_task(GetTaskParams) -> GetTaskResult;
        update_task(UpdateTaskParams) -> ();
        cancel_task(CancelTaskParams) -> ();
        list_skills(Option<PaginatedRequestParams>) -> ListSkillsResult;
        get_skill(GetSkillRequestParams) -> GetSkillResult;
        read_resource_directory(ReadResourceDirectoryRequestParams) -> ReadResourceDirectoryResult;
    }
}
