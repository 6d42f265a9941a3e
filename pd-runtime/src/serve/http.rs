//! Streamable HTTP on axum: MCP up to 2025-11-25 with sessions, and 2026-07-28 without, on one endpoint.

mod authenticate;

pub use authenticate::{Authenticate, Unauthorized, bearer};

use super::{GRACE, ServeError, declared, stop};
use crate::{Shared, server::host::Host};
use axum::{Router, middleware};
use futures::future::BoxFuture;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{StreamableHttpServerConfig, session::local::LocalSessionManager},
};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio_util::sync::CancellationToken;

/// How long answers may take to be written once the calls are done.
const FLUSH: Duration = Duration::from_secs(1);

/// Where the endpoint is.
const PATH: &str = "/mcp";

/// How HTTP is served.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Whether clients up to 2025-11-25 get sessions. Without them they prove disclosures by tickets, and any replica
    /// can answer any request. True by default.
    pub sessions: bool,
    /// Hosts that requests may name besides loopback ones: a guard against DNS rebinding. Empty by default.
    pub allowed_hosts: Vec<String>,
    /// Browser origins that requests may come from besides loopback ones; requests without an origin pass. Empty by default.
    pub allowed_origins: Vec<String>,
    /// How long an idle session lives. One hour by default.
    pub session_idle: Duration,
    /// Tells who sent a request, and lets nobody else in. Without it, which is the default, callers are nobody: they see the
    /// tools that ask for no scope, unless middleware around [`router`] says who they are.
    pub authenticate: Option<Arc<dyn Authenticate>>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            sessions: true,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            session_idle: Duration::from_secs(60 * 60),
            authenticate: None,
        }
    }
}

impl HttpOptions {
    fn config(&self, stop: CancellationToken) -> StreamableHttpServerConfig {
        let loopback = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        let loopback_origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"].map(str::to_owned);
        StreamableHttpServerConfig::default()
            .with_legacy_session_mode(self.sessions)
            .with_json_response(true)
            .with_allowed_hosts(loopback.into_iter().chain(self.allowed_hosts.clone()))
            .with_allowed_origins(loopback_origins.into_iter().chain(self.allowed_origins.clone()))
            .enforce_origin_validation()
            .with_cancellation_token(stop)
    }
}

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

    /// The endpoint's URL.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves until SIGINT or SIGTERM arrives; calls under way then finish first, within [`GRACE`].
    ///
    /// # Errors
    ///
    /// The listener fails.
    pub async fn serve<S, H>(self, server: &Shared<S, H>, options: HttpOptions) -> Result<(), ServeError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        serve(self.listener, server.host().clone(), options).await
    }
}

/// Boxed, so that the future's parts compile here.
fn serve(
    listener: TcpListener,
    host: Arc<dyn Host>,
    options: HttpOptions,
) -> BoxFuture<'static, Result<(), ServeError>> {
    Box::pin(async move {
        let (quiet, closed) = (CancellationToken::new(), CancellationToken::new());
        let app = route(host.as_ref(), &options, closed.clone());
        let accepting = quiet.clone();
        let serving =
            axum::serve(listener, app).with_graceful_shutdown(async move { accepting.cancelled().await }).into_future();
        tokio::pin!(serving);
        tokio::select! {
            ended = &mut serving => return ended.map_err(Into::into),
            () = stop::requested() => tracing::info!("stopping: finishing calls under way"),
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
            ended = tokio::time::timeout(GRACE + Duration::from_secs(5), serving) => {
                ended.unwrap_or(Ok(())).map_err(Into::into)
            }
            () = closing => Ok(()),
        }
    })
}

/// The endpoint as a router, for servers that have routes and middleware of their own. Middleware that knows the caller
/// puts a [`Principal`](crate::Principal) into the request's extensions; [`HttpOptions::authenticate`] does so too.
///
/// Cancelling `stop` closes all streams.
pub fn router<S, H>(server: &Shared<S, H>, options: &HttpOptions, stop: CancellationToken) -> Router
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    route(server.host().as_ref(), options, stop)
}

fn route(host: &dyn Host, options: &HttpOptions, stop: CancellationToken) -> Router {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(options.session_idle);
    let router = host.router(PATH, sessions, options.config(stop)).layer(middleware::from_fn(declared::in_response));
    match options.authenticate.clone() {
        Some(who) => router.layer(middleware::from_fn_with_state(who, authenticate::admit)),
        None => router,
    }
}
