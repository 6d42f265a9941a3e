//! Connections: accepted while there is room, and given up when their client is too slow.

mod connection_state;
mod delivery;
mod slow_client;
mod socket;

use super::{HttpOptions, response_body::Content};
pub(super) use delivery::Delivery;

use axum::{Router, extract::ConnectInfo};
use connection_state::{Answer, Phase};
use http::Response;
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use socket::Socket;
use std::{convert::Infallible, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower_service::Service;

/// How large a request's head may be; a bearer token is the largest part of it.
const HEAD_MAX: usize = 16 * 1024;
/// How much of a request or an answer hyper keeps while it waits for the rest, or for the client.
const BUFFER_MAX: usize = 64 * 1024;
/// How long to wait when no connection can be accepted: until files are closed, say.
const PAUSE: Duration = Duration::from_secs(1);

/// What answers requests. Clones share everything.
pub(in crate::serve) trait App: Clone + Send + Sync + 'static {
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Response<Content>> + Send;
}

impl App for Router {
    async fn answer(&self, request: Request<Incoming>) -> Response<Content> {
        let Ok(response) = self.clone().call(request).await;
        response.map(Content::Other)
    }
}

/// What every connection is served with.
#[derive(Clone)]
struct Serving<A> {
    app: A,
    http: http1::Builder,
    patience: Patience,
    quiet: CancellationToken,
}

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// For the head of a request.
    head: Duration,
    /// For the next request.
    idle: Duration,
    /// For taking anything of an answer, or for falling behind in it.
    write: Duration,
    /// How many bytes a second of an answer that waits it must take.
    rate: u32,
}

/// Serves connections until it is told to be quiet: then takes no more, and ends when all have had their answers.
pub(in crate::serve) async fn serve(
    listener: TcpListener,
    app: impl App,
    options: &HttpOptions,
    quiet: CancellationToken,
) {
    let serving = Serving::new(app, options, quiet.clone());
    let connections = TaskTracker::new();
    let mut room = Room::new(options.max_connections);
    while let Some((stream, peer, permit)) = quiet.run_until_cancelled(room.next(&listener)).await {
        connections.spawn(serving.clone().serve(stream, peer, permit));
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// For how many connections there is room. When there is none, clients wait with the operating system, which keeps no more
/// than a few bytes for each: most can be served a moment later, and to be turned away would be an error to all of them.
struct Room {
    permits: Arc<Semaphore>,
    is_full: bool,
}

impl Room {
    fn new(max: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(max.clamp(1, Semaphore::MAX_PERMITS))), is_full: false }
    }

    async fn next(&mut self, listener: &TcpListener) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
        let permit = self.permit().await;
        let (stream, peer) = accepted(|| listener.accept()).await;
        (stream, peer, permit)
    }

    async fn permit(&mut self) -> OwnedSemaphorePermit {
        loop {
            if let Ok(permit) = self.permits.clone().try_acquire_owned() {
                self.is_full = false;
                return permit;
            }
            if !std::mem::replace(&mut self.is_full, true) {
                tracing::warn!("there are as many connections as there may be; clients wait");
            }
            if let Ok(permit) = self.permits.clone().acquire_owned().await {
                return permit;
            }
        }
    }
}

/// The next connection, whatever fails before.
async fn accepted<T, F: Future<Output = io::Result<T>>>(accept: impl Fn() -> F) -> T {
    loop {
        match accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_of_one_client(&error) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted; trying again in a second");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_one_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

impl<A: App> Serving<A> {
    fn new(app: A, options: &HttpOptions, quiet: CancellationToken) -> Self {
        let mut http = http1::Builder::new();
        // The socket keeps time itself: hyper's clock would take the time between requests for that of a head.
        http.header_read_timeout(None).max_header_size(HEAD_MAX).max_buf_size(BUFFER_MAX);
        let patience = Patience {
            head: options.header_timeout,
            idle: options.idle_timeout,
            write: options.write_timeout,
            rate: options.min_write_rate,
        };
        Self { app, http, patience, quiet }
    }

    /// One connection, to its end.
    async fn serve(self, stream: TcpStream, peer: SocketAddr, _permit: OwnedSemaphorePermit) {
        if let Err(error) = socket::tune(&stream, self.patience.write) {
            tracing::debug!(%error, "a connection could not be tuned");
        }
        let phase = Arc::new(Phase::default());
        let socket = TokioIo::new(Socket::new(stream, phase.clone(), self.patience));
        let answering = service_fn(|request| answer(&self.app, request, peer, &phase));
        // A token of its own: all connections would look at one with everything that they do.
        let quiet = self.quiet.child_token();
        let mut connection = pin!(self.http.serve_connection(socket, answering));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = quiet.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, %peer, "a connection failed");
        }
    }
}

/// Answers one request; who reads it may look for its [`ConnectInfo`].
async fn answer(
    app: &impl App,
    mut request: Request<Incoming>,
    peer: SocketAddr,
    phase: &Arc<Phase>,
) -> Result<Response<Answer>, Infallible> {
    phase.answers();
    request.extensions_mut().insert(ConnectInfo(peer));
    let mut response = app.answer(request).await;
    let delivery = Delivery::watched(response.extensions_mut());
    Ok(response.map(|body| Answer::new(body, phase.clone(), delivery)))
}

#[cfg(test)]
mod tests;
