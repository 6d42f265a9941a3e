//! Connections: accepted up to a limit, and closed when their client is too slow.

mod connection_limit;
mod connection_state;
mod delivery;
mod slow_client;
mod socket;

use super::{HttpOptions, response_body::ResponseBody};
pub(super) use delivery::DeliveryHook;

use axum::{Router, extract::ConnectInfo};
use connection_limit::{AdmittedConnection, ConnectionLimit};
use connection_state::{AnswerBody, ConnectionState};
use http::Response;
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use socket::TimedSocket;
use std::{convert::Infallible, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower_service::Service;

/// The limit on a request's head. The bearer token is its largest part.
const HEAD_MAX: usize = 16 * 1024;
/// The buffer in which hyper holds a request that is incomplete, or an answer that the client has
/// not read.
const BUFFER_MAX: usize = 64 * 1024;
/// The pause after a failure to accept, such as reaching the limit of open files.
const PAUSE: Duration = Duration::from_secs(1);

/// A service that answers requests. Clones share its state.
pub(in crate::serve) trait HttpApp: Clone + Send + Sync + 'static {
    fn answer(
        &self,
        request: Request<Incoming>,
    ) -> impl Future<Output = Response<ResponseBody>> + Send;
}

impl HttpApp for Router {
    async fn answer(&self, request: Request<Incoming>) -> Response<ResponseBody> {
        let Ok(response) = self.clone().call(request).await;
        response.map(ResponseBody::Other)
    }
}

/// The settings that all connections share.
#[derive(Clone)]
struct ConnectionServer<A> {
    app: A,
    http: http1::Builder,
    patience: ClientTimeouts,
    quiet: CancellationToken,
}

/// The time limits of a client.
#[derive(Debug, Clone, Copy)]
struct ClientTimeouts {
    /// For sending the head of a request.
    head: Duration,
    /// For sending the next request.
    idle: Duration,
    /// For reading anything of an answer, and for falling behind in reading.
    write: Duration,
    /// The bytes per second that the client must read while an answer waits.
    rate: u32,
}

/// Serves connections until `quiet` is cancelled. Then it accepts no more, and returns when all
/// connections have sent their answers.
pub(in crate::serve) async fn serve(
    listener: TcpListener,
    app: impl HttpApp,
    options: &HttpOptions,
    quiet: CancellationToken,
) {
    let serving = ConnectionServer::new(app, options, quiet.clone());
    let connections = TaskTracker::new();
    let mut limit = ConnectionLimit::new(options.max_connections);
    let mut next = async || {
        // Accepted before there is room: only a client that waits may end the connection of
        // another.
        let (stream, peer) = accept_next(|| listener.accept()).await;
        (stream, peer, limit.admit().await)
    };
    while let Some((stream, peer, admitted)) = quiet.run_until_cancelled(next()).await {
        connections.spawn(serving.clone().serve(stream, peer, admitted));
    }
    // Closed first: the operating system refuses new connections, and a proxy then uses another
    // server.
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Returns the next connection, retrying after errors.
async fn accept_next<T, F: Future<Output = io::Result<T>>>(accept: impl Fn() -> F) -> T {
    loop {
        match accept().await {
            Ok(accepted) => return accepted,
            // The client was gone before it was accepted. Other connections in the queue are not
            // affected, so no pause.
            Err(error) if is_of_one_client(&error) => {}
            Err(error) => {
                tracing::error!(%error, "could not accept a connection; retrying in a second");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_one_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted
    )
}

impl<A: HttpApp> ConnectionServer<A> {
    fn new(app: A, options: &HttpOptions, quiet: CancellationToken) -> Self {
        let mut http = http1::Builder::new();
        // The socket has its own timers: hyper's would count the idle time between requests as time
        // for the head.
        http.header_read_timeout(None)
            .max_header_size(HEAD_MAX)
            .max_buf_size(BUFFER_MAX);
        let patience = ClientTimeouts {
            head: options.header_timeout,
            idle: options.idle_timeout,
            write: options.write_timeout,
            rate: options.min_write_rate,
        };
        Self {
            app,
            http,
            patience,
            quiet,
        }
    }

    /// Serves one connection to its end.
    async fn serve(self, stream: TcpStream, peer: SocketAddr, admitted: AdmittedConnection) {
        if let Err(error) = socket::tune(&stream, self.patience.write) {
            // A connection works without these options, only less well.
            tracing::debug!(%error, "a connection could not be tuned");
        }
        let phase = admitted.state().clone();
        let socket = TokioIo::new(TimedSocket::new(stream, phase.clone(), self.patience));
        let answering = service_fn(|request| answer(&self.app, request, peer, &phase));
        // A child token per connection: polling a shared one would contend for its lock on every
        // wake-up.
        let quiet = self.quiet.child_token();
        let mut connection = pin!(self.http.serve_connection(socket, answering));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = phase.displaced() => {
                // No request is under way, so the socket closes by being dropped.
                tracing::debug!(%peer, "an idle connection was closed to make room");
                return;
            }
            () = quiet.cancelled() => {
                // The answer under way is still sent. hyper then closes the connection.
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, %peer, "a connection failed");
        }
    }
}

/// Answers one request. Handlers find the client's address as [`ConnectInfo`] in the extensions.
async fn answer(
    app: &impl HttpApp,
    mut request: Request<Incoming>,
    peer: SocketAddr,
    phase: &Arc<ConnectionState>,
) -> Result<Response<AnswerBody>, Infallible> {
    phase.enter_answering();
    request.extensions_mut().insert(ConnectInfo(peer));
    let mut response = app.answer(request).await;
    let delivery = DeliveryHook::take_from(response.extensions_mut());
    Ok(response.map(|body| AnswerBody::new(body, phase.clone(), delivery)))
}

#[cfg(test)]
mod tests;
