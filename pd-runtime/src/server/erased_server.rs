//! A built server without its type parameters. The transports and commands that run a server need
//! to know neither its state nor the author's own handler. They are therefore compiled once, in
//! this crate, and not in every crate that has a server, where compiling them would take longer
//! than two hundred tools.

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

/// A built server that creates a handler for each connection.
pub(crate) trait Host: Send + Sync {
    fn served(&self) -> &Served;

    /// Creates a handler for one connection.
    fn connect(&self) -> Connection;

    /// Creates the service that answers over HTTP.
    #[cfg(feature = "http")]
    fn over_http(&self, sessions: Sessions, config: StreamableHttpServerConfig) -> Arc<dyn Inside>;
}

/// The handler of one connection, and the token to cancel when the client has left.
pub(crate) struct Connection {
    pub(crate) handler: Box<dyn DynService<RoleServer>>,
    pub(crate) left: CancellationToken,
}

/// The function that makes a [`Host`] of a server around an `H`.
pub(super) type Hosting<H> = fn(Arc<Served>, Arc<H>) -> Arc<dyn Host>;

/// Erases a server around a handler of the author's own.
pub(super) fn erase<H: ServerHandler>(served: Arc<Served>, inner: Arc<H>) -> Arc<dyn Host> {
    Arc::new(Arc::new(Parts { served, inner }))
}

/// Erases a server without a handler of the author's own. The function is not generic and never
/// inlined, so that all the code it reaches stays in this crate.
#[inline(never)]
pub(super) fn erase_bare(served: Arc<Served>, inner: Arc<Bare>) -> Arc<dyn Host> {
    erase(served, inner)
}

/// The shared state and the author's own handler, under one reference count. rmcp makes a handler
/// for every self-contained request, and another one to compare its headers. With two counts, two
/// cache lines would move between cores each time.
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
