//! rmcp's service behind the entry of sessions.

use crate::protocol;
use axum::body::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http_body_util::{Full, combinators::BoxBody};
use rmcp::{
    RoleServer, ServerHandler,
    model::{ClientCapabilities, Implementation, InitializeRequestParams, ProtocolVersion},
    service::serve_directly_with_ct,
    transport::{
        OneshotTransport,
        streamable_http_server::{
            SessionManager, StreamableHttpServerConfig, StreamableHttpService,
        },
    },
};
use std::{convert::Infallible, sync::Arc};
use tokio_util::sync::CancellationToken;

/// A request with a body that has been read.
pub(crate) type BufferedRequest = http::Request<Full<Bytes>>;

/// An answer as rmcp returns it.
pub(crate) type BoxedResponse = http::Response<BoxBody<Bytes, Infallible>>;

/// A service that answers requests. axum would clone rmcp's own service, with its whole
/// configuration, for each request. This one is shared.
pub(crate) trait McpService: Send + Sync {
    /// Answers any request.
    fn answer(&self, request: BufferedRequest) -> BoxFuture<'_, BoxedResponse>;

    /// Serves one request of 2026-07-28 until it ends or is cancelled.
    fn serve_one(&self, request: OneshotTransport<RoleServer>, cancelled: CancellationToken);
}

/// rmcp's service, with the factory of its handlers.
pub(crate) struct RmcpService<H, M> {
    service: StreamableHttpService<H, M>,
    handler: Arc<dyn Fn() -> H + Send + Sync>,
}

impl<H: ServerHandler, M: SessionManager> RmcpService<H, M> {
    pub(crate) fn new(
        handler: impl Fn() -> H + Send + Sync + 'static,
        sessions: M,
        config: StreamableHttpServerConfig,
    ) -> Self {
        let handler: Arc<dyn Fn() -> H + Send + Sync> = Arc::new(handler);
        let new_handler = handler.clone();
        Self {
            service: StreamableHttpService::new(
                move || Ok(new_handler()),
                Arc::new(sessions),
                config,
            ),
            handler,
        }
    }
}

impl<H: ServerHandler, M: SessionManager> McpService for RmcpService<H, M> {
    fn answer(&self, request: BufferedRequest) -> BoxFuture<'_, BoxedResponse> {
        self.service.handle(request).boxed()
    }

    fn serve_one(&self, request: OneshotTransport<RoleServer>, cancelled: CancellationToken) {
        let serving = serve_directly_with_ct(
            protocol::service((self.handler)()),
            request,
            Some(client()),
            cancelled,
        );
        // The answer arrives through the one-shot transport, so the result of the task is not
        // needed.
        tokio::spawn(serving.waiting());
    }
}

/// Returns placeholder parameters for a client of 2026-07-28. rmcp reads the real ones from the
/// request's metadata.
fn client() -> InitializeRequestParams {
    InitializeRequestParams::new(ClientCapabilities::default(), Implementation::default())
        .with_protocol_version(ProtocolVersion::V_2026_07_28)
}
