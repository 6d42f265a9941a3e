//! An endpoint for Prometheus on its own address. Metrics are for the operator, not for
//! clients.

use super::http::{
    HttpOptions, connection,
    request_source::{AllowedHosts, host_pattern::without_brackets},
};
use crate::{Metrics, selective::data_plane::reachable_address};

use axum::{
    Router,
    extract::State,
    response::{IntoResponse, Response},
    routing::get,
};
use http::{
    HeaderMap, StatusCode,
    header::{CONTENT_TYPE, HOST},
    uri::Authority,
};
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio_util::sync::CancellationToken;

/// The path of the endpoint.
const PATH: &str = "/metrics";
/// The limit on connections. One Prometheus server uses one.
const CONNECTIONS_MAX: usize = 64;
/// How long a connection may be silent.
const SILENCE_MAX: Duration = Duration::from_secs(2);
/// The media type of Prometheus' text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A bound endpoint that serves [`Metrics`] to Prometheus. (Features `http` and `metrics`.)
///
/// Bind it to an address that only the operator can reach: it requires no token. It holds 64
/// connections. It closes one that is silent for two seconds, and slow ones as an
/// [`Http`](super::Http) endpoint does by default.
///
/// To prevent DNS rebinding, it answers a request only if its host is `localhost`, an IP address,
/// or one of [`with_allowed_hosts`](Self::with_allowed_hosts). Other requests get status 403.
///
/// ```no_run
/// use pd_runtime::{Metrics, prelude::*, serve::{self, MetricsServer}};
///
/// # async fn run(registry: Registry<()>) -> Result<(), Box<dyn std::error::Error>> {
/// let metrics = Metrics::prometheus();
/// let server = PdServer::builder(registry, ()).metrics(metrics.clone()).build()?;
/// let scrape = MetricsServer::bind("127.0.0.1:9464").await?;
/// tokio::spawn(scrape.serve(metrics));
/// serve::stdio(&server).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MetricsServer {
    listener: TcpListener,
    address: SocketAddr,
    allowed_hosts: Vec<String>,
}

impl MetricsServer {
    /// Binds an address. Port 0 selects a free one.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is in use or does not belong to this machine.
    pub async fn bind(address: impl ToSocketAddrs) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self {
            listener,
            address,
            allowed_hosts: Vec::new(),
        })
    }

    /// Sets the host names that requests may use, each with or without a port, as in
    /// [`HttpOptions::allowed_hosts`]. Empty by default.
    #[must_use]
    pub fn with_allowed_hosts(self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            allowed_hosts: hosts.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// Returns the endpoint's URL as clients on this machine use it. A server that is bound to all
    /// addresses (0.0.0.0, `[::]`) is named by the loopback address.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", reachable_address(self.address))
    }

    /// Serves `GET /metrics`, and nothing else, until the future is dropped.
    pub async fn serve(self, metrics: Metrics) {
        let state = Arc::new((metrics, AllowedHosts::new(&self.allowed_hosts)));
        let app = Router::new().route(PATH, get(render)).with_state(state);
        let options = HttpOptions {
            max_connections: CONNECTIONS_MAX,
            header_timeout: SILENCE_MAX,
            idle_timeout: SILENCE_MAX,
            ..HttpOptions::default()
        };
        // The token is never cancelled: the caller ends this endpoint by dropping the future.
        connection::serve(self.listener, app, &options, CancellationToken::new()).await;
    }
}

async fn render(State(state): State<Arc<(Metrics, AllowedHosts)>>, headers: HeaderMap) -> Response {
    let (metrics, allowed_hosts) = &*state;
    if is_allowed(&headers, allowed_hosts) {
        return ([(CONTENT_TYPE, TEXT)], metrics.render()).into_response();
    }
    let message =
        "Forbidden: this Host is not allowed; allow it with `--allow-host`, or ask by IP address";
    (StatusCode::FORBIDDEN, message).into_response()
}

/// Returns whether a request's host rules out DNS rebinding: a browser that was led here by foreign
/// DNS sends the foreign name. IP addresses do not come from DNS, and many scrapers use them.
fn is_allowed(headers: &HeaderMap, allowed_hosts: &AllowedHosts) -> bool {
    let host = headers
        .get(HOST)
        .and_then(|host| Authority::try_from(host.as_bytes()).ok());
    host.is_some_and(|host| {
        let name = without_brackets(host.host());
        let is_here = name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok();
        is_here || allowed_hosts.allow(&host)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
        time::timeout,
    };

    async fn scraped() -> TcpStream {
        let scrape = MetricsServer::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(scrape.address).await.unwrap();
        tokio::spawn(
            scrape
                .with_allowed_hosts(["metrics.example", "other.example:9464"])
                .serve(Metrics::prometheus()),
        );
        client
    }

    /// The whole answer to a request for this host.
    async fn answer(client: &mut TcpStream, host: &str) -> String {
        let request = format!("GET /metrics HTTP/1.1\r\n{host}connection: close\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn who_asks_is_told() {
        let answer = answer(&mut scraped().await, "host: localhost\r\n").await;
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.contains(TEXT),
            "{answer}"
        );
    }

    #[tokio::test]
    async fn a_host_that_is_not_allowed_is_refused() {
        for host in [
            "localhost:9464",
            "10.1.2.3:9464",
            "[::1]:9464",
            "METRICS.example",
            "metrics.example:1",
            "other.example:9464",
        ] {
            let answer = answer(&mut scraped().await, &format!("host: {host}\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{host}: {answer}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "10.1.2.3.evil.example:9464",
            "other.example:1",
            "",
        ] {
            let answer = answer(&mut scraped().await, &format!("host: {host}\r\n")).await;
            assert!(
                answer.starts_with("HTTP/1.1 403") && !answer.contains(TEXT),
                "{host}: {answer}"
            );
        }
        assert!(
            answer(&mut scraped().await, "")
                .await
                .starts_with("HTTP/1.1 403"),
            "no host at all"
        );
    }

    #[tokio::test]
    async fn more_than_64_connections_wait() {
        let scrape = MetricsServer::bind("127.0.0.1:0").await.unwrap();
        let address = scrape.address;
        tokio::spawn(scrape.serve(Metrics::prometheus()));
        let mut held = Vec::new();
        for _ in 0..CONNECTIONS_MAX {
            held.push(TcpStream::connect(address).await.unwrap());
        }
        let mut last = TcpStream::connect(address).await.unwrap();
        let mut asking = Box::pin(answer(&mut last, "host: localhost\r\n"));
        assert!(
            timeout(Duration::from_millis(300), &mut asking)
                .await
                .is_err(),
            "there is no place for it"
        );
        held.pop();
        let answer = timeout(Duration::from_secs(5), asking).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    #[tokio::test]
    async fn idle_connections_do_not_keep_a_scraper_out() {
        let scrape = MetricsServer::bind("127.0.0.1:0").await.unwrap();
        let address = scrape.address;
        tokio::spawn(scrape.serve(Metrics::prometheus()));
        let mut idle = Vec::new();
        for _ in 0..CONNECTIONS_MAX + 16 {
            idle.push(TcpStream::connect(address).await.unwrap());
        }
        let mut last = TcpStream::connect(address).await.unwrap();
        let answer = timeout(
            Duration::from_secs(8),
            answer(&mut last, "host: localhost\r\n"),
        )
        .await
        .unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_says_nothing_is_given_up() {
        let mut client = scraped().await;
        let closed = timeout(Duration::from_secs(60), client.read_to_end(&mut Vec::new())).await;
        assert!(closed.is_ok());
    }
}
