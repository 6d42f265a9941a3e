//! Servers of this process, on a local port: ours as an author runs it, and rmcp's as an author writes it with axum.

use super::Failure;
use axum::{Router, serve::ListenerExt};
use pd_runtime::{
    Limits, PdServer,
    config::Rate,
    serve::{Http, HttpOptions},
};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use std::{sync::Arc, time::Duration};
use tokio::net::TcpListener;

/// Connections are kept while others take their turns.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// As much is counted as by default, but one client may ask as often as it can.
pub(crate) fn unreached() -> Limits {
    let often = Rate::per_second(1_000_000);
    let of_all = Limits::default()
        .calls(often)
        .searches(often)
        .descriptions(often);
    of_all
        .session_calls(often)
        .session_searches(often)
        .session_descriptions(often)
}

/// Serves ours until the runtime ends; gives back its URL.
///
/// # Errors
///
/// There is no port.
pub(crate) async fn ours(server: &PdServer<()>, options: HttpOptions) -> Result<String, Failure> {
    // All sessions of a bench come from one address.
    let options = options
        .max_sessions_per_address(usize::MAX)
        .initialize_rate(None)
        .max_streams_per_caller(usize::MAX);
    let options = options.idle_timeout(KEPT);
    let http = Http::bind("127.0.0.1:0").await?;
    let (url, server) = (http.url(), server.clone());
    tokio::spawn(async move { http.serve(&server, options).await });
    Ok(url)
}

/// Serves a handler by rmcp alone until the runtime ends, with what is configurable set as ours sets it. Answers leave at once:
/// left as axum has it, the end of an event stream waits 40 ms for the client's acknowledgement of its beginning.
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
    sessions.session_config.keep_alive = Some(Duration::from_secs(60 * 60)); // our default
    let service = StreamableHttpService::new(move || Ok(handler()), Arc::new(sessions), config);
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    tokio::spawn(async move {
        axum::serve(listener, Router::new().nest_service("/mcp", service)).await
    });
    Ok(url)
}
