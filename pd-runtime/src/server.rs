//! The crate's `rmcp::ServerHandler`. It translates between rmcp and the modules below it. They
//! make all decisions.

mod answers;
pub(crate) mod builder;
mod catalog_source;
mod custom;
pub(crate) mod dispatch;
mod early_index;
pub(crate) mod erased_server;
pub(crate) mod extras;
mod group_contents;
mod guarded;
mod identity;
mod in_flight;
mod missing_tools;
mod no_handler;
#[cfg(feature = "overlay")]
mod overlay;
mod param_headers;
pub(crate) mod pd_server;
mod prompts;
mod prompts_and_resources;
mod resources;
mod rmcp_handler;
pub(crate) mod server_core;
mod skills;

pub use no_handler::NoHandler;
pub(crate) use pd_server::PdServer;
pub use resources::ResourceProvider;

use crate::{
    catalog::Catalog,
    disclosure::{
        caller::Caller,
        gate::{first_request::FirstToolRequest, session::DisclosureSession},
        recorder::{RequestRecorder, RequestSpan, SessionMetrics},
        view::CallerView,
    },
    policy::{access::CallerIdentity, meta_tools::OfferedMetaTool},
    protocol::negotiated::ClientTerms,
    surface,
};
use erased_server::ServerParts;
use rmcp::{
    RoleServer, ServerHandler,
    model::{CallToolRequestMethod, ConstString},
    service::{NotificationContext, RequestContext},
};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};
use tokio_util::sync::CancellationToken;

/// The handler of one connection to an MCP server that discloses its tools progressively.
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
/// `PdHandler` implements [`ServerHandler`]. An author's own handler may contain a `PdHandler` and
/// forward the requests about tools to it, as an alternative to
/// [`with_handler`](crate::ServerBuilder::with_handler).
pub struct PdHandler<H = NoHandler> {
    /// The state that all sessions of the server share.
    served: Arc<ServerParts<H>>,
    /// The session that `initialize` opened. It is freed with the handler.
    session: OnceLock<DisclosureSession>,
    /// The disclosures made to self-contained requests of this connection, under
    /// `remember_connection`. They are kept apart from the session, because the two generations of
    /// the protocol share no disclosures. The field is boxed because few handlers use it.
    connection: OnceLock<Box<DisclosureSession>>,
    /// A token that is canceled when the client has left, on connections that `serve` watches. A
    /// process may have very many other handlers, which have no token.
    left: Option<CancellationToken>,
    /// Whether `serve` is the only holder of this handler.
    is_ours: bool,
    /// The session's entry in the metrics.
    session_metrics: OnceLock<SessionMetrics>,
    /// The first request about tools.
    first_request: FirstToolRequest,
}

impl<H> fmt::Debug for PdHandler<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PdHandler")
            .field("served", &**self.served)
            .field("session", &self.session)
            .finish()
    }
}

impl<H: ServerHandler> PdHandler<H> {
    fn new(served: Arc<ServerParts<H>>) -> Self {
        let session = OnceLock::new();
        let connection = OnceLock::new();
        let session_metrics = OnceLock::new();
        let first_request = FirstToolRequest::default();
        Self {
            served,
            session,
            connection,
            left: None,
            is_ours: false,
            session_metrics,
            first_request,
        }
    }

    /// Creates a handler that only `serve` holds, so that `get_info` may return the short outline.
    fn ours(served: Arc<ServerParts<H>>) -> Self {
        Self {
            is_ours: true,
            ..Self::new(served)
        }
    }

    /// Resolves the caller of a request.
    fn caller(&self, request: &RequestContext<RoleServer>) -> Caller<'_> {
        let policy = &self.served.policy;
        let mut caller = Caller::from_request(
            request,
            self.session.get(),
            policy.disclosure_store.as_deref(),
            surface::terms,
        );
        // The closure creates the memory on first use, because most connections never need one.
        // Only the process's own client is remembered, so the literal mode can serve HTTP, too.
        if policy.remember_connection || policy.is_literal {
            caller.enter_connection(|| self.connection.get_or_init(new_connection));
        }
        if policy.adapts_to_hosts {
            caller.find_host(request);
        }
        caller.add_evidence(
            request,
            policy.session_per_call,
            &self.first_request,
            &self.served.refused_calls,
            self.session_metrics.get().map(|session| session.number),
        );
        caller
    }

    /// Starts recording a request of this method.
    fn request(&self, method: &'static str, context: &RequestContext<RoleServer>) -> RequestSpan {
        RequestSpan::new(method, method, context, &self.served.observer)
    }

    /// Starts recording a `tools/call` of a tool or, if `offer` is present, of a meta-tool.
    fn call_request(
        &self,
        offer: Option<&OfferedMetaTool>,
        context: &RequestContext<RoleServer>,
    ) -> RequestSpan {
        let method = CallToolRequestMethod::VALUE;
        let surface = offer.map_or(method, |offer| offer.role.default_name());
        let request = RequestSpan::new(method, surface, context, &self.served.observer);
        // A meta-tool that calls another tool is recorded under that tool's name, which is not
        // known yet.
        if let Some(offer) = offer.filter(|offer| !offer.role.calls()) {
            request.set_tool(&offer.name);
        }
        request
    }

    /// Returns the catalog as the caller of this request may see it.
    fn view<'a>(
        &'a self,
        request: &'a RequestSpan,
        caller: &'a Caller<'a>,
        catalog: &'a Catalog,
    ) -> CallerView<'a> {
        let recorder = RequestRecorder::new(
            &self.served.observer,
            request,
            caller,
            self.session_metrics.get(),
        );
        self.served.view(caller, catalog).with_recorder(recorder)
    }

    /// Adds the client's session to a request, so that a tool or handler can keep something for it.
    fn with_session(&self, mut context: RequestContext<RoleServer>) -> RequestContext<RoleServer> {
        // The caller is not resolved here: that costs more than the rest, and the answer does it.
        if let Some(session) = self.session.get()
            && let Some(client) = session.client.get()
            && Caller::is_in_session(&context, session)
        {
            context.extensions.insert(client.clone());
        }
        context
    }

    /// Adds the client's session to a notification.
    fn with_client(
        &self,
        mut context: NotificationContext<RoleServer>,
    ) -> NotificationContext<RoleServer> {
        if let Some(client) = self.session.get().and_then(|session| session.client.get()) {
            context.extensions.insert(client.clone());
        }
        context
    }

    fn inner(&self) -> &H {
        &self.served.inner
    }
}

/// Creates the memory of a connection that speaks MCP 2026-07-28. The terms are empty, because the
/// client declares its capabilities with each request.
fn new_connection() -> Box<DisclosureSession> {
    Box::new(DisclosureSession::new(
        CallerIdentity::Owner,
        ClientTerms::default(),
        true,
    ))
}
