//! The data plane on an address of its own, for a server whose clients come over another transport.

use super::http::{HttpOptions, connection, data_routes};
use crate::{Shared, selective::data_plane::reachable_address};

use rmcp::ServerHandler;
use std::net::SocketAddr;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio_util::sync::CancellationToken;

/// How many connections there may be.
const CONNECTIONS_MAX: usize = 1_024;

/// A bound endpoint for the rows that a server's tools do not show, and nothing else: for servers on stdio. (Feature `http`.) An
/// [`Http`](super::Http) endpoint has the same beside MCP.
///
/// Bind it to loopback where the tools that fetch are on this machine: whoever has a URL has the rows. It holds 1,024 connections;
/// whoever is slow or silent loses theirs as on an [`Http`](super::Http) endpoint by default.
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

    /// What the URLs of rows begin with, unless [`DataPlane::url`](crate::selective::data_plane::DataPlane::url) says otherwise.
    pub fn url(&self) -> String {
        format!("http://{}", reachable_address(self.address))
    }

    /// Answers until it is dropped. From when this is called the server keeps rows, not only from when it is first polled.
    #[must_use = "nobody is answered before this is polled"]
    pub fn serve<S, H>(self, server: &Shared<S, H>) -> impl Future<Output = ()> + Send + use<S, H>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let options = HttpOptions { max_connections: CONNECTIONS_MAX, ..HttpOptions::default() };
        let routes = data_routes(server.host(), &options);
        let served = server.host().served();
        served.plane.serves_on(self.address, served.has_selective_tool());
        async move { connection::serve(self.listener, routes, &options, CancellationToken::new()).await }
    }
}
