//! Serves a server on a transport until a signal stops it. The flags that choose a transport are in
//! `cli`.

mod capability_patch;
#[cfg(feature = "http")]
mod data_endpoint;
mod disconnect;
#[cfg(feature = "http")]
pub(crate) mod http;
mod immediate_output;
mod line_watch;
#[cfg(all(feature = "http", feature = "metrics"))]
mod metrics_endpoint;
mod ready_input;
mod send_backlog;
mod served_transport;
pub(crate) mod shutdown_signal;
mod stdin;
mod stdio_guard;
mod stdout;

#[cfg(feature = "http")]
pub use crate::card::{CardError, ServerCard};
/// The version of axum that has the router of [`router_at`]. (Feature `http`.)
#[cfg(feature = "http")]
pub use axum;
#[cfg(feature = "http")]
pub use data_endpoint::DataEndpoint;
#[cfg(feature = "http")]
pub use http::{
    Authenticate, AuthenticationError, Http, HttpOptions, ProtectedResource, bearer, router,
    router_at,
};
#[cfg(feature = "jwt")]
pub use http::{Jwt, JwtAlgorithm, JwtKeyError, JwtKeys};
#[cfg(all(feature = "http", feature = "metrics"))]
pub use metrics_endpoint::MetricsServer;
pub use send_backlog::UNREAD_PATIENCE;
pub use served_transport::ServedTransport;
/// Closes the streams that a server holds open; see [`router_at`].
#[cfg(feature = "http")]
pub use tokio_util::sync::CancellationToken;

use crate::{
    PdServer,
    server::erased_server::{ConnectionHandler, ErasedServer},
};
use futures::future::BoxFuture;
use line_watch::LineWatch;
use rmcp::{
    RoleServer, ServerHandler, ServiceExt, service::ServerInitializeError, transport::Transport,
};
use served_transport::sealed::WatchTransport as _;
use shutdown_signal::ShutdownSignals;
use std::{sync::Arc, time::Duration};

/// The time that calls in flight have to finish after the server was asked to stop.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(30);

/// The error of a server that could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client's first message opened neither a session nor a self-contained request.
    #[error("the client did not open the connection as MCP requires: {0}")]
    Initialize(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The transport failed.
    #[error("the transport failed: {0}")]
    Transport(#[from] std::io::Error),
    /// The task that ran the connection failed.
    #[error("the connection's task failed: {0}")]
    Task(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// `HttpOptions` describe a protected resource, but nothing checks its tokens. The server did
    /// not start.
    #[error(
        "`protected_resource` is set and `authenticate` is not, so tokens would be announced and not checked; set \
         `authenticate`, e.g. to a `serve::Jwt`, or leave `protected_resource` out"
    )]
    Unguarded,
    /// The path of an endpoint is not a plain path. The server did not start.
    #[error(
        "`{0}` is not the path of an endpoint; write it as `/mcp` or `/tools/mcp`, without a slash at its end"
    )]
    Path(String),
    /// One of `HttpOptions::allowed_hosts` is not a valid host, so no request would match it. The
    /// server did not start.
    #[error(
        "`{0}` is not a valid host to allow; write a full name or an IP address, without a scheme, a path or a \
         wildcard, such as `mcp.example.com` or `mcp.example.com:8443`"
    )]
    InvalidHost(String),
    /// One of `HttpOptions::allowed_origins` is not a valid browser origin, so no request would
    /// match it. The server did not start.
    #[error(
        "`{0}` is not a valid origin to allow; write a scheme and a host, and at most a port, such as \
         `https://app.example.com` or `http://localhost:5173`; `:*` as the port allows any port, and other wildcards \
         are not supported"
    )]
    InvalidOrigin(String),
    /// A fact of `HttpOptions::server_card` or of the server is not one that clients accept. The
    /// server did not start.
    #[cfg(feature = "http")]
    #[error("the server card cannot be published: {0}")]
    Card(#[from] CardError),
}

/// Serves one client on standard input and output until the client closes the connection, or until
/// SIGINT or SIGTERM arrives. After a signal, calls in flight have [`SHUTDOWN_GRACE`] to finish.
///
/// On Unix, the protocol has standard input and output for itself until the connection ends. What
/// tools and their child processes print then goes to standard error, and what they read from
/// standard input is empty. On other systems a tool must not print: a byte between two messages
/// breaks the connection with strict clients.
///
/// While 16 MiB or 1,024 messages wait for a client that does not read its answers, the server
/// reads no further requests. If the client then reads nothing for [`UNREAD_PATIENCE`], the
/// connection ends.
///
/// # Errors
///
/// Returns an error if the client does not speak MCP, or if the transport fails.
pub async fn stdio<S: Send + Sync + 'static, H: ServerHandler>(
    server: &PdServer<S, H>,
) -> Result<(), ServeError> {
    over_stdio(server.host().clone()).await
}

/// Boxed, so that the future is compiled in this crate and not in each that calls it.
fn over_stdio(host: Arc<dyn ErasedServer>) -> BoxFuture<'static, Result<(), ServeError>> {
    Box::pin(async move {
        let stdio = stdio_guard::take();
        // Held to the end of the connection. Until then, what tools print goes to standard error.
        let _guard = stdio.guard;
        let input = stdin::stdin(stdio.input, stdio.ready);
        let output = stdout::stdout(stdio.output, stdio.immediate);
        let watch = LineWatch::default();
        let transport = (input, output).watched(&watch);
        host_on(host, transport, watch).await
    })
}

/// Serves one client on any transport of rmcp's, as [`stdio`] does.
///
/// A client on streams of bytes, such as a `TcpStream`, a `UnixStream` or a pair of a reader and a
/// writer, gets an answer to each request that is not valid JSON, as one on standard input does.
/// A [`Transport`] reads its messages by itself: what it drops, the server does not know, and the
/// client gets no answer. This holds for rmcp's `AsyncRwTransport`, so serve on its streams instead.
///
/// # Errors
///
/// Returns an error if the client does not speak MCP, or if the transport fails.
pub async fn transport<S, H, T, A>(server: &PdServer<S, H>, transport: T) -> Result<(), ServeError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
    T: ServedTransport<A>,
{
    let watch = LineWatch::default();
    let transport = transport.watched(&watch);
    host_on(server.host().clone(), transport, watch).await
}

async fn host_on<T: Transport<RoleServer> + 'static>(
    host: Arc<dyn ErasedServer>,
    transport: T,
    watch: LineWatch,
) -> Result<(), ServeError> {
    // Installed before the handshake, so that a signal during it also stops the server cleanly.
    // A future that listens when it is first polled may be polled after the first answer.
    let mut signals = ShutdownSignals::listen();
    let ConnectionHandler { handler, left } = host.connect();
    let grace = host.served().policy.shutdown_grace;
    // Nobody reads the answers of calls after the client has left.
    let gone = left.clone();
    let gone = async move {
        gone.cancelled().await;
        tokio::time::sleep(grace).await;
    };
    let over = tokio_util::sync::CancellationToken::new();
    let transport = disconnect::DisconnectTransport::new(transport, watch, left, over.clone());
    let running = tokio::select! {
        opened = handler.serve(transport) => match opened {
            Ok(running) => running,
            // A client that disconnects before its first message is not an error.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Initialize(Box::new(error))),
        },
        // No call can be under way before the connection is open.
        () = signals.next() => return Ok(()),
    };
    let close = running.cancellation_token();
    let waiting = running.waiting();
    tokio::pin!(waiting);
    tokio::select! {
        ended = &mut waiting => return ended.map(drop).map_err(task_error),
        () = gone => {
            // First, so that no answer of a cancelled call is sent.
            over.cancel();
            close.cancel();
            return Ok(());
        }
        () = signals.next() => tracing::info!("stopping: finishing calls under way"),
    }
    // A second signal ends the wait.
    let finished = tokio::select! {
        finished = host.served().wait_idle(grace) => finished,
        () = signals.next() => false,
    };
    if !finished {
        tracing::warn!(?grace, "some calls did not finish in time");
    }
    // Only now: rmcp drops the answers of unfinished calls when it is cancelled.
    close.cancel();
    waiting.await.map(drop).map_err(task_error)
}

fn task_error(error: tokio::task::JoinError) -> ServeError {
    ServeError::Task(Box::new(error))
}
