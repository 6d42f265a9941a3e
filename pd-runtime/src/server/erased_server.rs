//! A built server for those who run it: they need to know neither its state nor the author's own handler, and so compile
//! here, once, not in every crate that has a server. There they would take longer than two hundred tools.

use super::{Bare, PdServer, shared_state::Served};
#[cfg(feature = "http")]
use crate::http_sessions::{Inside, Rmcp, Sessions};
#[cfg(feature = "http")]
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::{
    RoleServer, ServerHandler,
    service::{DynService, ServiceExt},
};
use std::{ops::Deref, sync::Arc};
use tokio_util::sync::CancellationToken;

/// A built server, ready to make a handler for each connection.
pub(crate) trait Host: Send + Sync {
    fn served(&self) -> &Served;

    /// A handler for one connection.
    fn connect(&self) -> Connection;

    /// What answers over HTTP.
    #[cfg(feature = "http")]
    fn over_http(&self, sessions: Sessions, config: StreamableHttpServerConfig) -> Arc<dyn Inside>;
}

/// One connection's handler, and how it is told that the client has left.
pub(crate) struct Connection {
    pub(crate) handler: Box<dyn DynService<RoleServer>>,
    pub(crate) left: CancellationToken,
}

/// How a [`Host`] is made of a server around an `H`.
pub(super) type Hosting<H> = fn(Arc<Served>, Arc<H>) -> Arc<dyn Host>;

/// A server around a handler of the author's own.
pub(super) fn around<H: ServerHandler>(served: Arc<Served>, inner: Arc<H>) -> Arc<dyn Host> {
    Arc::new(Arc::new(Parts { served, inner }))
}

/// A server without one. It is not generic and never inlined, so that all it leads to stays in this crate.
#[inline(never)]
pub(super) fn bare(served: Arc<Served>, inner: Arc<Bare>) -> Arc<dyn Host> {
    around(served, inner)
}

/// What is served, and the author's own handler. In one piece, for one is made with every request that carries its own
/// metadata, and again for its headers: each count of holders would pass from thread to thread each time.
pub(super) struct Parts<H> {
    pub(super) served: Arc<Served>,
    pub(super) inner: Arc<H>,
}

impl<H> Deref for Parts<H> {
    type Target = Served;

    fn deref(&self) -> &Served {
        &self.served
    }
}

impl<H: ServerHandler> Host for Arc<Parts<H>> {
    fn served(&self) -> &Served {
        &self.served
    }

    fn connect(&self) -> Connection {
        let left = CancellationToken::new();
        let handler = PdServer { left: Some(left.clone()), ..PdServer::ours(self.clone()) };
        Connection { left, handler: handler.into_dyn() }
    }

    #[cfg(feature = "http")]
    fn over_http(&self, sessions: Sessions, config: StreamableHttpServerConfig) -> Arc<dyn Inside> {
        let parts = self.clone();
        Arc::new(Rmcp::new(move || PdServer::ours(parts.clone()), sessions, config))
    }
}
