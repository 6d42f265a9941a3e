//! Streamable HTTP on axum: MCP up to 2025-11-25 with sessions, and 2026-07-28 without, on one endpoint.

mod authenticate;
mod body;
mod coalesce_events;
pub(super) mod connection;
mod cross_origin;
mod data_plane;
mod endpoint;
mod fast_path;
mod initialize;
mod json_object;
mod oauth;
mod opening;
mod options;
mod proxies;
pub(super) mod request_source;
pub(super) mod response_body;
mod routes;
mod stateless;
mod streams;
mod unauthorized;

pub use authenticate::{Authenticate, bearer};
pub use oauth::ProtectedResource;
#[cfg(feature = "jwt")]
pub use oauth::{Jwt, JwtAlgorithm, JwtKeyError, JwtKeys};
pub use options::HttpOptions;
pub use unauthorized::Unauthorized;

use super::{GRACE, ServeError, shutdown_signal};
use crate::{
    Shared,
    http_sessions::{Door, Ids, Replicas, Sessions},
    policy::Policy,
    selective::data_plane::reachable_address,
    server::erased_server::Host,
};

use axum::Router;
use endpoint::{Endpoint, Way};
use fast_path::Hosts;
use futures::future::BoxFuture;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{StreamableHttpServerConfig, session::SessionStore},
};
use routes::Site;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio_util::sync::CancellationToken;

/// How long answers may take to be written once the calls are done.
const FLUSH: Duration = Duration::from_secs(1);

/// Where the endpoint is, unless an application chooses another path.
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
    /// Binds an address; port 0 takes a free one.
    ///
    /// # Errors
    ///
    /// The address is in use or not this machine's.
    pub async fn bind(address: impl ToSocketAddrs) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// The endpoint's URL, as clients on this machine may use it: a server that is bound to all
    /// addresses (0.0.0.0, `[::]`) is named by the loopback address.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", reachable_address(self.address))
    }

    /// The address that the endpoint is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until SIGINT or SIGTERM arrives; calls under way then finish first, within [`GRACE`].
    ///
    /// Beside the endpoint `/health` answers `GET` and `HEAD` with status 200, whatever the host and
    /// without a token.
    ///
    /// # Errors
    ///
    /// The listener fails, the options allow a host or an origin that is not valid, or they describe
    /// a protected resource without a check of its tokens.
    pub async fn serve<S, H>(self, server: &Shared<S, H>, options: HttpOptions) -> Result<(), ServeError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let served = server.host().served();
        served.plane.serves_on(self.address, served.has_selective_tool());
        serve(self.listener, server.host().clone(), options.bound_to(self.address.ip())).await
    }
}

/// Boxed, so that the future's parts compile here.
fn serve(
    listener: TcpListener,
    host: Arc<dyn Host>,
    options: HttpOptions,
) -> BoxFuture<'static, Result<(), ServeError>> {
    Box::pin(async move {
        options.check()?;
        let (quiet, closed) = (CancellationToken::new(), CancellationToken::new());
        let app = site(&host, &options, PATH, closed.clone()).standalone(&options.origins());
        let serving = connection::serve(listener, app, &options, quiet.clone());
        tokio::pin!(serving);
        tokio::select! {
            () = &mut serving => return Ok(()),
            () = shutdown_signal::requested() => tracing::info!("stopping: finishing calls under way"),
        }
        // No new connections; then the calls; then the streams that would stay open for ever.
        quiet.cancel();
        let closing = async {
            if !host.served().idle(GRACE).await {
                tracing::warn!(seconds = GRACE.as_secs(), "some calls did not finish in time");
            }
            // A finished call's answer is still on its way, and rmcp would drop it.
            tokio::time::sleep(FLUSH).await;
            closed.cancel();
            std::future::pending().await
        };
        tokio::select! {
            _ = tokio::time::timeout(GRACE + Duration::from_secs(5), serving) => Ok(()),
            () = closing => Ok(()),
        }
    })
}

/// The endpoint as a router at `/mcp`, for servers that have routes and middleware of their own; see [`router_at`].
///
/// # Errors
///
/// As [`router_at`].
pub fn router<S, H>(server: &Shared<S, H>, options: &HttpOptions, stop: CancellationToken) -> Result<Router, ServeError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    router_at(PATH, server, options, stop)
}

/// The endpoint as a router at this path, for an application that has routes and middleware of its own.
///
/// ```
/// use pd_runtime::{Shared, serve::{self, CancellationToken, HttpOptions, axum}};
/// use axum::{Router, routing::get};
///
/// async fn run(server: Shared<()>, listener: tokio::net::TcpListener) -> Result<(), Box<dyn std::error::Error>> {
///     let mut options = HttpOptions::default();
///     options.allowed_hosts = vec!["example.com".into()];
///     let stop = CancellationToken::new();
///     let mcp = serve::router_at("/tools/mcp", &server, &options, stop.clone())?;
///
///     let app = Router::new().route("/", get(|| async { "home" })).merge(mcp);
///
///     let stopped = async move {
///         let _ = tokio::signal::ctrl_c().await;
///         server.idle(serve::GRACE).await; // calls under way finish …
///         stop.cancel(); // … and streams end, which would stay open for ever
///     };
///     axum::serve(listener, app).with_graceful_shutdown(stopped).await?;
///     Ok(())
/// }
/// ```
///
/// - **Path.** `path` is the whole path. Merge the router instead of nesting it: beside the endpoint are the documents of
///   [`HttpOptions::protected_resource`], at `/.well-known/oauth-protected-resource` and at that with `path` behind it, and the
///   [data plane](crate::selective::data_plane), at `/s2sp/data/`. Clients ask for them at the root. Without these two, `nest` and
///   `nest_service` work, too.
/// - **Versions.** [`serve::axum`](crate::serve::axum) and [`serve::CancellationToken`](crate::serve::CancellationToken) are the
///   types that this function names. In an application on another version of axum the router is a `tower::Service`:
///   `app.route_service("/tools/mcp", mcp)`, and the same for the other paths.
/// - **Hosts and origins.** The endpoint refuses requests whose `Host` is not a loopback one, and requests from browsers at other
///   origins, with status 403. [`HttpOptions::allowed_hosts`] and [`HttpOptions::allowed_origins`] name those of the application.
///   A CORS layer of the application answers preflight requests before they come here; it should expose `Mcp-Session-Id` and
///   allow `Authorization`, `Content-Type`, `Mcp-Session-Id`, `MCP-Protocol-Version` and what clients send as `Mcp-…`.
/// - **Callers.** Middleware that knows the caller puts a [`Principal`](crate::Principal) into the request's extensions;
///   [`HttpOptions::authenticate`] does so, too. Limits count anonymous callers by their address if the application is served by
///   `into_make_service_with_connect_info::<SocketAddr>()`, of this version of axum.
/// - **Data plane.** It has to be told its [`url`](crate::selective::data_plane::DataPlane::url). What was handed to a foreign server to the end
///   counts there as read, though the client may have had less.
///
/// Cancelling `stop` closes all streams.
///
/// # Errors
///
/// [`ServeError::Path`]: the path has another form than `/tools/mcp`. [`ServeError::InvalidHost`] and
/// [`ServeError::InvalidOrigin`]: an allowed host or origin is not valid. [`ServeError::Unguarded`]: the options describe a
/// protected resource without a check of its tokens. Middleware that checks them does not count; make it an [`Authenticate`].
pub fn router_at<S, H>(
    path: &str,
    server: &Shared<S, H>,
    options: &HttpOptions,
    stop: CancellationToken,
) -> Result<Router, ServeError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    options.check()?;
    routes::check_path(path)?;
    Ok(site(server.host(), options, path, stop).into_router())
}

/// The data plane's routes alone.
pub(super) fn data_routes(host: &Arc<dyn Host>, options: &HttpOptions) -> Router {
    data_plane::routes(host, &options.body_reader(), &options.proxies())
}

fn site(host: &Arc<dyn Host>, options: &HttpOptions, path: &str, stop: CancellationToken) -> Site {
    let ids = shared_ids(&host.served().policy, options);
    let mut config = options.config(stop);
    let replicas = options.session_store.clone().map(|store| Replicas::new(store, ids.clone()));
    let sessions = Sessions::new(options.caps()).with_ids(ids).with_replicas(replicas.clone());
    config.session_store = replicas.clone().map(|replicas| replicas as Arc<dyn SessionStore>);
    around(host, options, path, config, sessions, replicas)
}

fn around(
    host: &Arc<dyn Host>,
    options: &HttpOptions,
    path: &str,
    config: StreamableHttpServerConfig,
    sessions: Sessions,
    replicas: Option<Arc<Replicas>>,
) -> Site {
    let door = options.sessions.then(|| Door::new(sessions.clone(), replicas));
    let (bodies, proxies, streams) = (options.body_reader(), options.proxies(), options.streams());
    let (guard, beside) = authenticate::guard(host, options, path);
    let beside = beside.merge(data_plane::routes(host, &bodies, &proxies));
    let (hosts, closed) = (Hosts::new(&config.allowed_hosts), config.cancellation_token.clone());
    let (inside, host) = (host.over_http(sessions, config), host.clone());
    let source = options.request_source();
    let way = Way { source, guard, proxies, streams, bodies, door, inside, host, hosts, closed };
    Site { endpoint: Endpoint::new(way), path: path.into(), beside }
}

/// Ids that other replicas recognise, where there are some and they share a key.
fn shared_ids(policy: &Policy, options: &HttpOptions) -> Ids {
    match (&options.session_store, &policy.ticket_key) {
        (None, Some(_)) => Ids::default(),
        (None, None) => {
            tracing::info!(
                "tickets are made with a random key: they end with this process, and other replicas do not accept them; \
                 for several replicas set `ticket_key` (--ticket-key-file)"
            );
            Ids::default()
        }
        (Some(_), None) => {
            tracing::warn!(
                "replicas share sessions but no `ticket_key`: without the store they do not know each other's"
            );
            Ids::default()
        }
        (Some(_), Some(key)) => Ids::sealed(std::iter::once(key).chain(&policy.previous_ticket_keys)),
    }
}

#[cfg(test)]
mod tests;
