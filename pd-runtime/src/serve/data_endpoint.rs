//! The data plane on its own address, for a server with clients on another transport.

use super::http::{HttpOptions, connection, data_routes};
use crate::{PdServer, selective::data_plane::reachable_address};

use rmcp::ServerHandler;
use std::net::SocketAddr;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio_util::sync::CancellationToken;

/// The limit on connections.
const CONNECTIONS_MAX: usize = 1_024;

/// A bound endpoint that serves only the rows that tools withhold, for servers on stdio. (Feature
/// `http`.) An [`Http`](super::Http) endpoint serves them beside MCP.
///
/// Bind it to loopback if the tools that fetch rows run on this machine: a URL is all that a reader
/// needs. The endpoint holds 1,024 connections. It closes slow or silent ones as an
/// [`Http`](super::Http) endpoint does by default.
///
/// ```no_run
/// use pd_runtime::{prelude::*, serve::{self, DataEndpoint}};
///
/// # async fn run(registry: Registry<()>) -> Result<(), Box<dyn std::error::Error>> {
/// let server = PdServer::builder(registry, ()).build()?;
/// let endpoint = DataEndpoint::bind("127.0.0.1:0").await?;
/// tokio::spawn(endpoint.serve(&server));
/// serve::stdio(&server).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DataEndpoint {
    listener: TcpListener,
    address: SocketAddr,
}

impl DataEndpoint {
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

    /// Returns the origin of the rows' URLs, unless
    /// [`DataPlane::public_url`](crate::selective::data_plane::DataPlane::public_url) sets another
    /// one.
    pub fn url(&self) -> String {
        format!("http://{}", reachable_address(self.address))
    }

    /// Serves until the future is dropped. The server stores rows from this call on, not only from
    /// the first poll.
    #[must_use = "no request is answered before this is polled"]
    pub fn serve<S, H>(self, server: &PdServer<S, H>) -> impl Future<Output = ()> + Send + use<S, H>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let options = HttpOptions {
            max_connections: CONNECTIONS_MAX,
            ..HttpOptions::default()
        };
        let routes = data_routes(server.host(), &options);
        let served = server.host().served();
        // Before the future is first polled: a tool that runs earlier must already get URLs.
        served
            .plane
            .serves_on(self.address, served.has_selective_tool());
        // The token is never cancelled: the caller ends this endpoint by dropping the future.
        async move { connection::serve(self.listener, routes, &options, CancellationToken::new()).await }
    }
}
