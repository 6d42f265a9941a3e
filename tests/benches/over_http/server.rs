//! Servers of this process, on a local port: ours as an author runs it, and rmcp's as an author writes it with axum.

use super::Failure;
use axum::Router;
use pd_runtime::{
    Shared,
    serve::{Http, HttpOptions},
};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use std::sync::Arc;
use tokio::net::TcpListener;

/// Serves ours until the runtime ends; gives back its URL.
///
/// # Errors
///
/// There is no port.
pub(crate) async fn ours(server: &Shared<()>, options: HttpOptions) -> Result<String, Failure> {
    let http = Http::bind("127.0.0.1:0").await?;
    let (url, server) = (http.url(), server.clone());
    tokio::spawn(async move { http.serve(&server, options).await });
    Ok(url)
}

/// Serves a handler by rmcp alone until the runtime ends, with what is configurable set as ours sets it.
///
/// # Errors
///
/// There is no port.
pub(crate) async fn plain<H: ServerHandler>(
    handler: impl Fn() -> H + Send + Sync + 'static,
) -> Result<String, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(HttpOptions::default().session_idle);
    let service = StreamableHttpService::new(move || Ok(handler()), Arc::new(sessions), config);
    tokio::spawn(async move { axum::serve(listener, Router::new().nest_service("/mcp", service)).await });
    Ok(url)
}
