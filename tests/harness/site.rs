//! A server on a local port, with the middleware that a deployment has: a bearer token names the principal.

use axum::{Router, extract::Request, middleware::Next, response::Response};
use pd_runtime::{PdServer, Principal};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A server that ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) url: String,
    serving: JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Site {
    /// Serves `shared`, keeping sessions for clients before 2026-07-28 or not.
    pub(crate) async fn open<S, H>(shared: &PdServer<S, H>, sessions: bool) -> Self
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(sessions)
            .with_json_response(true)
            .with_sse_keep_alive(None);
        let shared = shared.clone();
        let service = StreamableHttpService::new(
            move || Ok(shared.handler()),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        Self::serve(Router::new().nest_service("/mcp", service)).await
    }

    /// Serves a router whose endpoint is `/mcp`.
    pub(crate) async fn serve(router: Router) -> Self {
        let router = router.layer(axum::middleware::from_fn(authenticate));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let serving =
            tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        Self { url, serving }
    }
}

/// `Bearer alice` is alice; `Bearer alice shop:refund` is alice with that scope.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let bearer = request
        .headers()
        .get("authorization")
        .and_then(|value| value.to_str().ok());
    if let Some(token) = bearer.and_then(|value| value.strip_prefix("Bearer ")) {
        let mut words = token.split(' ').map(str::to_owned);
        let principal = Principal::new(words.next().unwrap_or_default()).with_scopes(words);
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}
