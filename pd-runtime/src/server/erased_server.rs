//! A built server without its type parameters. The transports and commands that run a server need
//! to know neither its state nor the author's own handler. They are therefore compiled once, in
//! this crate, and not in every crate that has a server, where compiling them would take longer
//! than two hundred tools.

#[cfg(feature = "http")]
use super::identity::implementation;
use super::{NoHandler, PdHandler, server_core::ServerCore};
use crate::protocol;
#[cfg(feature = "http")]
use crate::{
    card::ServerFacts,
    http_sessions::{HttpSessions, McpService, RmcpService},
};
#[cfg(feature = "http")]
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::{
    RoleServer, ServerHandler,
    service::{DynService, ServiceExt},
};
use std::{ops::Deref, sync::Arc};
use tokio_util::sync::CancellationToken;

/// A built server that creates a handler for each connection.
pub(crate) trait ErasedServer: Send + Sync {
    fn served(&self) -> &ServerCore;

    /// Creates a handler for one connection.
    fn connect(&self) -> ConnectionHandler;

    /// Returns what the server states about itself to everyone.
    #[cfg(feature = "http")]
    fn card_facts(&self) -> ServerFacts;

    /// Creates the service that answers over HTTP.
    #[cfg(feature = "http")]
    fn over_http(
        &self,
        sessions: HttpSessions,
        config: StreamableHttpServerConfig,
    ) -> Arc<dyn McpService>;
}

/// The handler of one connection, and the token to cancel when the client has left.
pub(crate) struct ConnectionHandler {
    pub(crate) handler: Box<dyn DynService<RoleServer>>,
    pub(crate) left: CancellationToken,
}

/// The function that makes an [`ErasedServer`] of a server around an `H`.
pub(super) type EraseServerFn<H> = fn(Arc<ServerCore>, Arc<H>) -> Arc<dyn ErasedServer>;

/// Erases a server around a handler of the author's own.
pub(super) fn erase<H: ServerHandler>(
    served: Arc<ServerCore>,
    inner: Arc<H>,
) -> Arc<dyn ErasedServer> {
    Arc::new(Arc::new(ServerParts { served, inner }))
}

/// Erases a server without a handler of the author's own. The function is not generic and never
/// inlined, so that all the code it reaches stays in this crate.
#[inline(never)]
pub(super) fn erase_bare(served: Arc<ServerCore>, inner: Arc<NoHandler>) -> Arc<dyn ErasedServer> {
    erase(served, inner)
}

/// The shared state and the author's own handler, under one reference count. rmcp makes a handler
/// for every self-contained request, and another one to compare its headers. With two counts, two
/// cache lines would move between cores each time.
pub(super) struct ServerParts<H> {
    pub(super) served: Arc<ServerCore>,
    pub(super) inner: Arc<H>,
}

impl<H> Deref for ServerParts<H> {
    type Target = ServerCore;

    fn deref(&self) -> &ServerCore {
        &self.served
    }
}

impl<H: ServerHandler> ErasedServer for Arc<ServerParts<H>> {
    fn served(&self) -> &ServerCore {
        &self.served
    }

    fn connect(&self) -> ConnectionHandler {
        let left = CancellationToken::new();
        let handler = PdHandler {
            left: Some(left.clone()),
            ..PdHandler::ours(self.clone())
        };
        ConnectionHandler {
            left,
            handler: protocol::service(handler).into_dyn(),
        }
    }

    #[cfg(feature = "http")]
    fn card_facts(&self) -> ServerFacts {
        let catalog = self.served.catalog();
        let versions = ServerHandler::supported_protocol_versions(&self.inner);
        ServerFacts {
            info: implementation(&catalog, ServerHandler::get_info(&self.inner).server_info),
            versions: versions.iter().map(ToString::to_string).collect(),
            instructions: catalog.info.instructions.to_string(),
        }
    }

    #[cfg(feature = "http")]
    fn over_http(
        &self,
        sessions: HttpSessions,
        config: StreamableHttpServerConfig,
    ) -> Arc<dyn McpService> {
        let parts = self.clone();
        Arc::new(RmcpService::new(
            move || PdHandler::ours(parts.clone()),
            sessions,
            config,
        ))
    }
}
