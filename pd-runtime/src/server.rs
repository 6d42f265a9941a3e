//! The one `rmcp::ServerHandler`: it translates between rmcp and the rooms before it, and decides nothing.

mod answers;
mod bare;
mod builder;
mod calls;
mod custom;
mod ground;
pub(crate) mod host;
mod overlay;
pub(crate) mod served;
mod shared;
mod skills;

pub use bare::Bare;
pub use builder::ServerBuilder;
pub use shared::Shared;

use crate::{
    access::Authority,
    caller::Caller,
    catalogue::Catalogue,
    gate::session::Session,
    policy::meta_tools::Offer,
    registry::Registry,
    seen::{Request, Seen, Visit},
    surface,
    view::View,
};
use answers::never;
use futures::FutureExt;
use host::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use std::{
    borrow::Cow,
    fmt,
    pin::pin,
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
    /// All sessions share it.
    served: Arc<Parts<H>>,
    /// Opened by `initialize`; freed with the handler.
    session: OnceLock<Session>,
    /// Cancelled when the client has left a connection that `serve` watches. There may be very many others.
    left: Option<CancellationToken>,
    /// Whether nobody but `serve` holds it.
    is_ours: bool,
    /// The session, as it is counted.
    visit: OnceLock<Visit>,
}

impl<H> fmt::Debug for PdServer<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PdServer").field("served", &**self.served).field("session", &self.session).finish()
    }
}

impl PdServer {
    /// Starts a server of these tools on this state.
    pub fn builder<S: Send + Sync + 'static>(registry: Registry<S>, state: S) -> ServerBuilder<S> {
        ServerBuilder::new(registry, state)
    }
}

impl<H: ServerHandler> PdServer<H> {
    fn new(served: Arc<Parts<H>>) -> Self {
        Self { served, session: OnceLock::new(), left: None, is_ours: false, visit: OnceLock::new() }
    }

    /// For `serve`.
    fn ours(served: Arc<Parts<H>>) -> Self {
        Self { is_ours: true, ..Self::new(served) }
    }

    fn caller(&self, request: &RequestContext<RoleServer>) -> Caller<'_> {
        Caller::of_request(request, self.session.get(), self.served.policy.disclosure_store.as_deref(), surface::terms)
    }

    /// A request of this method, to those who listen.
    fn request(&self, method: &'static str, context: &RequestContext<RoleServer>) -> Request {
        Request::new(method, method, context, &self.served.observer)
    }

    /// A call, of a tool or of what is offered as a tool about tools.
    fn call_request(&self, offer: Option<&Offer>, context: &RequestContext<RoleServer>) -> Request {
        let method = CallToolRequestMethod::VALUE;
        let wire = offer.map_or(method, |offer| offer.role.default_name());
        let request = Request::new(method, wire, context, &self.served.observer);
        // What calls another tool is about that one.
        if let Some(offer) = offer.filter(|offer| !offer.role.calls()) {
            request.concerns(&offer.name);
        }
        request
    }

    /// What the caller of a request sees.
    fn view<'a>(&'a self, request: &'a Request, caller: &'a Caller<'a>, catalogue: &'a Catalogue) -> View<'a> {
        let seen = Seen::new(&self.served.observer, request, caller, self.visit.get());
        self.served.view(caller, catalogue).seen_by(seen)
    }

    fn inner(&self) -> &H {
        &self.served.inner
    }
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
        let own = self.inner().get_info();
        if self.is_ours { self.served.outline(own) } else { self.served.info(own, None) }
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.introduce(context).boxed().await
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner().supported_protocol_versions()
    }

    async fn initialize(
        &self,
        params: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.open(params, context).boxed().await
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.tools(params, context).boxed().await
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(params, context).boxed().await
    }

    /// For header checks only (SEP-2243), without a caller: a tool that may be hidden is not shown, nor is one without such
    /// arguments, which most calls are of.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let (catalogue, anyone) = (self.served.catalogue(), Authority::Remote(None));
        let entry = catalogue.has_header_arguments.then(|| catalogue.find(name, &anyone))?;
        entry.map(|entry| entry.minimal.clone())
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.resources(params, context).boxed().await
    }

    async fn list_resource_templates(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.templates(params, context).boxed().await
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.read(params, context).boxed().await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.custom(request, context).boxed().await
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = self.inner().accepted_subscription_filter(requested).unwrap_or_default();
        accepted.tools_list_changed = Some(true);
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.tell(context).boxed().await
    }

    async fn list_skills(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let request = self.request(ListSkillsRequestMethod::VALUE, &context);
        async move { request.answer(pin!(self.skills(&request, params, context)), never).await }.boxed().await
    }

    async fn get_skill(
        &self,
        params: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let request = self.request(GetSkillRequestMethod::VALUE, &context);
        async move { request.answer(pin!(self.skill(&request, params, context)), never).await }.boxed().await
    }

    async fn read_resource_directory(
        &self,
        params: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let request = self.request(ReadResourceDirectoryRequestMethod::VALUE, &context);
        async move { request.answer(pin!(self.directory(&request, params, context)), never).await }.boxed().await
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
    }
}
