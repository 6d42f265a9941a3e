//! What is behind the door: rmcp's answer to a request.

use axum::{body::Body, extract::Request, response::Response};
use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{SessionManager, StreamableHttpService},
};

/// Answers requests. rmcp's own service would be copied for each of them, with all that is configured; this one is shared.
pub(crate) trait Inside: Send + Sync {
    fn answer(&self, request: Request) -> BoxFuture<'_, Response>;
}

impl<H: ServerHandler, M: SessionManager> Inside for StreamableHttpService<H, M> {
    fn answer(&self, request: Request) -> BoxFuture<'_, Response> {
        self.handle(request).map(|response| response.map(Body::new)).boxed()
    }
}
