//! An endpoint for Prometheus, on an address of its own: numbers are for whoever runs the server, not for its clients.

use super::http::{HttpOptions, accept};
use crate::Metrics;
use axum::{Router, extract::State, http::header::CONTENT_TYPE, response::IntoResponse, routing::get};
use std::net::SocketAddr;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio_util::sync::CancellationToken;

/// Where the endpoint is.
const PATH: &str = "/metrics";
/// How many connections there may be. A Prometheus has one.
const CONNECTIONS_MAX: usize = 64;
/// The format's media type.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A bound endpoint that tells [`Metrics`] to Prometheus. (Features `http` and `metrics`.)
///
/// Bind it where only those reach it who run the server. It asks for no token. It holds 64 connections; whoever is slow or silent
/// loses theirs as on an [`Http`](super::Http) endpoint by default.
///
/// ```no_run
/// use pd_runtime::{Metrics, prelude::*, serve::{self, Scrape}};
///
/// # async fn run(registry: Registry<()>) -> Result<(), Box<dyn std::error::Error>> {
/// let metrics = Metrics::prometheus();
/// let server = PdServer::builder(registry, ()).metrics(metrics.clone()).build()?;
/// let scrape = Scrape::bind("127.0.0.1:9464").await?;
/// tokio::spawn(scrape.serve(metrics));
/// serve::stdio(&server).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Scrape {
    listener: TcpListener,
    address: SocketAddr,
}

impl Scrape {
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

    /// The endpoint's URL.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Answers until it is dropped: `GET /metrics`, and nothing else.
    pub async fn serve(self, metrics: Metrics) {
        let app = Router::new().route(PATH, get(told)).with_state(metrics);
        let options = HttpOptions { max_connections: CONNECTIONS_MAX, ..HttpOptions::default() };
        accept::serve(self.listener, app, &options, CancellationToken::new()).await;
    }
}

async fn told(State(metrics): State<Metrics>) -> impl IntoResponse {
    ([(CONTENT_TYPE, TEXT)], metrics.render())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::time::Duration;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
        time::timeout,
    };

    async fn scraped() -> TcpStream {
        let scrape = Scrape::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(scrape.address).await.unwrap();
        tokio::spawn(scrape.serve(Metrics::prometheus()));
        client
    }

    #[tokio::test]
    async fn who_asks_is_told() {
        let mut client = scraped().await;
        client.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(TEXT), "{answer}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_says_nothing_is_given_up() {
        let mut client = scraped().await;
        let closed = timeout(Duration::from_secs(60), client.read_to_end(&mut Vec::new())).await;
        assert!(closed.is_ok());
    }
}
