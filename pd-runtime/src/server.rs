//! The one `rmcp::ServerHandler`: it translates between rmcp and the rooms before it, and decides nothing.

mod builder;
mod catalog_source;
mod custom;
pub(crate) mod dispatch;
pub(crate) mod erased_server;
pub(crate) mod extras;
mod guarded;
mod handler;
mod identity;
mod in_flight;
mod merged_lists;
mod no_handler;
mod overlay;
mod param_headers;
mod prompts;
mod requests;
mod resources;
mod shared;
pub(crate) mod shared_state;
mod skills;

pub use builder::ServerBuilder;
pub use no_handler::Bare;
pub use resources::ResourceProvider;
pub use shared::Shared;

use crate::{
    catalog::Catalogue,
    disclosure::{
        caller::Caller,
        gate::session::Session,
        recorder::{Request, Seen, Visit},
        view::View,
    },
    policy::{access::Person, meta_tools::Offer},
    protocol::negotiated::Terms,
    registry::Registry,
    surface,
};
use erased_server::Parts;
use rmcp::{
    RoleServer, ServerHandler,
    handler::server::router::tool::ToolRouter,
    model::{CallToolRequestMethod, ConstString},
    service::RequestContext,
};
use std::{
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
    /// All sessions share it.
    served: Arc<Parts<H>>,
    /// Opened by `initialize`; freed with the handler.
    session: OnceLock<Session>,
    /// What self-contained requests of this connection were given, under `remember_connection`. It is apart from the
    /// session: the two generations of the protocol share no disclosure. Boxed, since few handlers have one.
    connection: OnceLock<Box<Session>>,
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

    /// Starts a server of an rmcp handler as it is: its tools, described progressively, and everything else it answers.
    ///
    /// See [`RegistryBuilder::adopt`](crate::RegistryBuilder::adopt) for the router's visibility and for the parts of a handler
    /// that are never called. Where tools are moved one by one, the long form adds a registry of one's own:
    ///
    /// ```
    /// use pd_runtime::{prelude::*, rmcp};
    /// use rmcp::{ServerHandler, tool, tool_handler, tool_router};
    ///
    /// struct Counter;
    ///
    /// #[tool_router(vis = "pub")]
    /// impl Counter {
    ///     /// Count to three
    ///     #[tool]
    ///     fn count(&self) -> String {
    ///         "1, 2, 3".to_owned()
    ///     }
    /// }
    ///
    /// #[tool_handler(name = "counter", version = "1.0.0")]
    /// impl ServerHandler for Counter {}
    ///
    /// /// Count to two
    /// #[pd_tool]
    /// fn count_less(_counter: &Counter) -> &'static str {
    ///     "1, 2"
    /// }
    ///
    /// # fn main() -> Result<(), pd_runtime::Problems> {
    /// let adopted = PdServer::adopt(Counter, Counter::tool_router()).build()?;
    ///
    /// let registry: Registry<Counter> = pd_runtime::registry! { count_less };
    /// let mixed = PdServer::builder(registry, Counter).adopt(Counter::tool_router()).with_state_as_handler().build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn adopt<H: ServerHandler>(handler: H, router: ToolRouter<H>) -> ServerBuilder<H, H> {
        ServerBuilder::new(Registry::builder().freeze(), handler).adopt(router).with_state_as_handler()
    }
}

impl<H: ServerHandler> PdServer<H> {
    fn new(served: Arc<Parts<H>>) -> Self {
        let (session, connection, visit) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { served, session, connection, left: None, is_ours: false, visit }
    }

    /// For `serve`.
    fn ours(served: Arc<Parts<H>>) -> Self {
        Self { is_ours: true, ..Self::new(served) }
    }

    fn caller(&self, request: &RequestContext<RoleServer>) -> Caller<'_> {
        let policy = &self.served.policy;
        let caller =
            Caller::of_request(request, self.session.get(), policy.disclosure_store.as_deref(), surface::terms);
        match policy.remember_connection {
            true => caller.with_connection(|| self.connection.get_or_init(new_connection)),
            false => caller,
        }
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

/// The memory of a connection of 2026-07-28. What the client declares comes with each request.
fn new_connection() -> Box<Session> {
    Box::new(Session::new(Person::Owner, Terms::default(), true))
}
