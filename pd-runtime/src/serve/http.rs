//! Streamable HTTP on axum: MCP up to 2025-11-25 with sessions, and 2026-07-28 without, on one
//! endpoint.

mod auth_guard;
mod authenticate;
mod body;
mod card_endpoint;
mod coalesce_events;
pub(super) mod connection;
mod cross_origin;
mod data_plane;
mod delta_initialize;
mod endpoint;
mod fast_path;
mod held_bytes;
mod initialize_charge;
mod initialize_size;
mod json_object;
mod lossy_answer;
mod oauth;
mod options;
mod proxies;
pub(super) mod request_source;
pub(super) mod response_body;
mod response_patch;
mod routes;
mod single_request;
mod streams;
mod unauthorized;
mod unreadable_body;

pub use authenticate::{Authenticate, bearer};
pub use oauth::ProtectedResource;
#[cfg(feature = "jwt")]
pub use oauth::{Jwt, JwtAlgorithm, JwtKeyError, JwtKeys};
pub use options::HttpOptions;
pub use unauthorized::AuthenticationError;

use super::{ServeError, shutdown_signal::ShutdownSignals};
use crate::{
    PdServer,
    http_sessions::{Gatekeeper, HttpSessions, ReplicaStore, SessionIds},
    policy::Policy,
    selective::data_plane::reachable_address,
    server::erased_server::ErasedServer,
};

use auth_guard::AuthGuard;
use axum::Router;
use card_endpoint::CardEndpoint;
use endpoint::{EndpointPipeline, McpEndpoint};
use fast_path::PlainHosts;
use futures::future::BoxFuture;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{StreamableHttpServerConfig, session::SessionStore},
};
use routes::HttpRoutes;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio_util::sync::CancellationToken;

/// The time for writing answers once the calls have finished.
const FLUSH: Duration = Duration::from_secs(1);

/// The path of the endpoint, unless an application sets another one.
const PATH: &str = "/mcp";

/// A bound HTTP endpoint.
///
/// ```no_run
/// # use pd_runtime::{prelude::*, serve::{Http, HttpOptions}};
/// # async fn run(registry: Registry<()>) -> Result<(), Box<dyn std::error::Error>> {
/// let server = PdServer::builder(registry, ()).build()?;
/// let http = Http::bind("127.0.0.1:0").await?;
/// eprintln!("serving MCP on {}", http.url());
/// http.serve(&server, HttpOptions::default()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Http {
    listener: TcpListener,
    address: SocketAddr,
}

impl Http {
    /// Binds an address. Port 0 selects a free one.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is in use or does not belong to this machine.
    pub async fn bind(address: impl ToSocketAddrs) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Returns the endpoint's URL as clients on this machine use it. A server that is bound to all
    /// addresses (0.0.0.0, `[::]`) is named by the loopback address.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", reachable_address(self.address))
    }

    /// Returns the address that the endpoint is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until SIGINT or SIGTERM arrives. Calls in flight then have
    /// [`SHUTDOWN_GRACE`](super::SHUTDOWN_GRACE) to finish.
    ///
    /// Beside the endpoint, `/health` answers `GET` and `HEAD` with status 200, for any host and
    /// without a token.
    ///
    /// # Errors
    ///
    /// Returns an error if the listener fails, if the options allow a host or an origin that is not
    /// valid, or if they describe a protected resource without a check of its tokens.
    pub async fn serve<S, H>(
        self,
        server: &PdServer<S, H>,
        options: HttpOptions,
    ) -> Result<(), ServeError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let served = server.host().served();
        served
            .plane
            .serves_on(self.address, served.has_selective_tool());
        serve(
            self.listener,
            server.host().clone(),
            options.bound_to(self.address.ip()),
        )
        .await
    }
}

/// Boxed, so that the future is compiled in this crate and not in each that calls it.
fn serve(
    listener: TcpListener,
    host: Arc<dyn ErasedServer>,
    options: HttpOptions,
) -> BoxFuture<'static, Result<(), ServeError>> {
    Box::pin(async move {
        options.check()?;
        let mut signals = ShutdownSignals::listen();
        let quiet = CancellationToken::new();
        let closed = CancellationToken::new();
        let app =
            http_routes(&host, &options, PATH, closed.clone())?.standalone(&options.origins());
        let serving = connection::serve(listener, app, &options, quiet.clone());
        tokio::pin!(serving);
        tokio::select! {
            () = &mut serving => return Ok(()),
            () = signals.next() => tracing::info!("stopping: finishing calls under way"),
        }
        // The order matters: first refuse connections, then let calls finish, then close the
        // streams that would otherwise stay open forever.
        quiet.cancel();
        let grace = host.served().policy.shutdown_grace;
        let closing = async {
            // A second signal ends the wait.
            let finished = tokio::select! {
                finished = host.served().wait_idle(grace) => finished,
                () = signals.next() => false,
            };
            if !finished {
                tracing::warn!(?grace, "some calls did not finish in time");
            }
            // The answer of a finished call is still being written, and rmcp would drop it.
            // Not longer than the grace period, so that a server without one stops at once.
            tokio::time::sleep(FLUSH.min(grace)).await;
            closed.cancel();
            // This branch only drives the shutdown. The connections end the server, when the last
            // one has closed.
            std::future::pending().await
        };
        tokio::select! {
            // A sixth beyond the grace period, so that a client that never reads cannot keep the
            // process alive.
            _ = tokio::time::timeout(grace + (grace / 6).max(FLUSH.min(grace)), serving) => Ok(()),
            () = closing => Ok(()),
        }
    })
}

/// Returns the endpoint as a router at `/mcp`, for applications that have their own routes and
/// middleware; see [`router_at`].
///
/// # Errors
///
/// Returns the errors of [`router_at`].
pub fn router<S, H>(
    server: &PdServer<S, H>,
    options: &HttpOptions,
    stop: CancellationToken,
) -> Result<Router, ServeError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    router_at(PATH, server, options, stop)
}

/// Returns the endpoint as a router at this path, for applications that have their own routes and
/// middleware.
///
/// ```
/// use pd_runtime::{PdServer, serve::{self, CancellationToken, HttpOptions, axum}};
/// use axum::{Router, routing::get};
///
/// async fn run(
///     server: PdServer<()>,
///     listener: tokio::net::TcpListener,
/// ) -> Result<(), Box<dyn std::error::Error>> {
///     let options = HttpOptions::new().allowed_hosts(["example.com"]);
///     let stop = CancellationToken::new();
///     let mcp = serve::router_at("/tools/mcp", &server, &options, stop.clone())?;
///
///     let app = Router::new().route("/", get(|| async { "home" })).merge(mcp);
///
///     let stopped = async move {
///         let _ = tokio::signal::ctrl_c().await;
///         server.wait_idle(serve::SHUTDOWN_GRACE).await; // calls under way finish …
///         stop.cancel(); // … and streams end, which would stay open for ever
///     };
///     axum::serve(listener, app).with_graceful_shutdown(stopped).await?;
///     Ok(())
/// }
/// ```
///
/// - **Path.** `path` is the whole path. Merge the router instead of nesting it. Beside the
///   endpoint it serves the documents of [`HttpOptions::protected_resource`], at
///   `/.well-known/oauth-protected-resource` and below it at `path`, and the rows of the data plane
///   ([`data_plane`](crate::selective::data_plane)), at `/s2sp/data/`. Clients request both at the
///   root. Without these two, `nest` and `nest_service` also work.
/// - **Versions.** [`serve::axum`](crate::serve::axum) and
///   [`serve::CancellationToken`](crate::serve::CancellationToken) are the types in this function's
///   signature. In an application with another version of axum the router is a `tower::Service`:
///   `app.route_service("/tools/mcp", mcp)`, and the same for the other paths.
/// - **Hosts and origins.** The endpoint refuses requests with a `Host` that is not a loopback
///   host, and browser requests from other origins, with status 403. An application names its own
///   hosts and origins with [`HttpOptions::allowed_hosts`] and [`HttpOptions::allowed_origins`]. A
///   CORS layer of the application answers preflight requests before they arrive here. It should
///   expose `Mcp-Session-Id` and allow `Authorization`, `Content-Type`, `Mcp-Session-Id`,
///   `MCP-Protocol-Version` and the `Mcp-…` headers that clients send.
/// - **Callers.** Middleware that knows the caller puts a [`Principal`](crate::Principal) into the
///   request's extensions, as [`HttpOptions::authenticate`] does. Limits count anonymous callers by
///   address if the application is served by `into_make_service_with_connect_info::<SocketAddr>()`
///   of this version of axum.
/// - **Data plane.** It needs its
///   [`public_url`](crate::selective::data_plane::DataPlane::public_url). Rows that were passed to
///   a foreign HTTP server completely count as read, even if the client has received less.
///
/// Cancelling `stop` closes all streams.
///
/// # Errors
///
/// Returns [`ServeError::Path`] if the path has another form than `/tools/mcp`,
/// [`ServeError::InvalidHost`] or [`ServeError::InvalidOrigin`] if an allowed host or origin is not
/// valid, and [`ServeError::Unguarded`] if the options describe a protected resource without a
/// check of its tokens. Middleware that checks them does not count; implement [`Authenticate`]
/// instead.
pub fn router_at<S, H>(
    path: &str,
    server: &PdServer<S, H>,
    options: &HttpOptions,
    stop: CancellationToken,
) -> Result<Router, ServeError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    options.check()?;
    routes::check_path(path)?;
    Ok(http_routes(server.host(), options, path, stop)?.into_router())
}

/// Returns the routes of the data plane alone.
pub(super) fn data_routes(host: &Arc<dyn ErasedServer>, options: &HttpOptions) -> Router {
    data_plane::routes(host, &options.body_reader(), &options.proxies())
}

fn http_routes(
    host: &Arc<dyn ErasedServer>,
    options: &HttpOptions,
    path: &str,
    stop: CancellationToken,
) -> Result<HttpRoutes, ServeError> {
    let ids = shared_ids(&host.served().policy, options);
    let mut config = options.config(stop);
    let replicas = options
        .session_store
        .clone()
        .map(|store| ReplicaStore::new(store, ids.clone()));
    let sessions = HttpSessions::new(options.caps())
        .with_ids(ids)
        .with_replicas(replicas.clone());
    config.session_store = replicas
        .clone()
        .map(|replicas| replicas as Arc<dyn SessionStore>);
    let mut routes = assemble(host, options, path, config, sessions, replicas);
    if let Some(card) = &options.server_card {
        let resource = options.protected_resource.as_ref();
        let resource = resource.map(|resource| resource.url().to_owned());
        let card = CardEndpoint::new(card.clone(), resource, path, host)?;
        routes.beside = routes.beside.merge(card.routes());
    }
    Ok(routes)
}

fn assemble(
    host: &Arc<dyn ErasedServer>,
    options: &HttpOptions,
    path: &str,
    config: StreamableHttpServerConfig,
    sessions: HttpSessions,
    replicas: Option<Arc<ReplicaStore>>,
) -> HttpRoutes {
    let gatekeeper = options
        .sessions
        .then(|| Gatekeeper::new(sessions.clone(), replicas));
    let bodies = options.body_reader();
    let proxies = options.proxies();
    let streams = options.streams();
    let (guard, beside) = AuthGuard::with_metadata(
        host,
        options.authenticate.clone(),
        options.protected_resource.clone(),
        path,
    );
    let beside = beside.merge(data_plane::routes(host, &bodies, &proxies));
    let hosts = PlainHosts::new(&config.allowed_hosts);
    let closed = config.cancellation_token.clone();
    let rmcp = host.over_http(sessions, config);
    let host = host.clone();
    let source = options.request_source();
    let pipeline = EndpointPipeline {
        source,
        guard,
        proxies,
        streams,
        bodies,
        gatekeeper,
        rmcp,
        host,
        hosts,
        closed,
    };
    HttpRoutes {
        endpoint: McpEndpoint::new(pipeline),
        path: path.into(),
        beside,
    }
}

/// Returns the generator of session ids. Its ids are sealed for other replicas if replicas share a
/// store and a key.
fn shared_ids(policy: &Policy, options: &HttpOptions) -> SessionIds {
    match (&options.session_store, &policy.ticket_key) {
        (None, Some(_)) => SessionIds::default(),
        (None, None) => {
            tracing::info!(
                "tickets are made with a random key: they end with this process, and other replicas do not accept them; \
                 for several replicas set `ticket_key` (--ticket-key-file)"
            );
            SessionIds::default()
        }
        (Some(_), None) => {
            tracing::warn!(
                "replicas share sessions but no `ticket_key`: while the store cannot be reached, they do not know each other's sessions"
            );
            SessionIds::default()
        }
        (Some(_), Some(key)) => {
            SessionIds::sealed(std::iter::once(key).chain(&policy.previous_ticket_keys))
        }
    }
}

#[cfg(test)]
mod tests;
