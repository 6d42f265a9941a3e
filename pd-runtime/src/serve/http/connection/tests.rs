//! Clients that are slow, silent, many, or gone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod answers;
mod requests;
mod room;

use super::*;
use axum::{
    body::{Body, Bytes},
    extract::ConnectInfo,
    routing::get,
};
use futures::StreamExt;
use std::{
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
    time::Instant,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    task::JoinHandle,
    time::{sleep, timeout},
};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
const LARGE: usize = 32 * 1024 * 1024;

/// Short timeouts, all different.
fn options() -> HttpOptions {
    HttpOptions {
        header_timeout: Duration::from_millis(200),
        idle_timeout: Duration::from_millis(800),
        write_timeout: Duration::from_millis(400),
        ..HttpOptions::default()
    }
}

struct TestServer {
    address: SocketAddr,
    quiet: CancellationToken,
    serving: JoinHandle<()>,
}

impl TestServer {
    async fn open(options: HttpOptions) -> Self {
        let app = Router::new()
            .route(
                "/",
                get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }),
            )
            .route(
                "/slow",
                get(async || sleep(Duration::from_millis(1_000)).await),
            )
            .route("/large", get(async || vec![b'x'; LARGE]));
        Self::serve(app, options).await
    }

    async fn serve(app: Router, options: HttpOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let quiet = CancellationToken::new();
        let stop = quiet.clone();
        let serving = tokio::spawn(async move { serve(listener, app, &options, stop).await });
        Self {
            address,
            quiet,
            serving,
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

/// Reads until the connection is closed, or silent for a while.
async fn read(client: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let mut part = [0; 4096];
    while let Ok(Ok(read @ 1..)) = timeout(Duration::from_millis(100), client.read(&mut part)).await
    {
        all.extend_from_slice(&part[..read]);
    }
    String::from_utf8(all).unwrap()
}

/// Returns the time until the connection is closed.
async fn closed_after(client: &mut TcpStream) -> Duration {
    let began = Instant::now();
    let mut rest = Vec::new();
    // Closed with an error is closed.
    let _ = timeout(Duration::from_secs(10), client.read_to_end(&mut rest))
        .await
        .expect("it stays open");
    began.elapsed()
}

fn about(duration: Duration, millis: u64) -> bool {
    (Duration::from_millis(millis * 9 / 10)..Duration::from_millis(millis + 600))
        .contains(&duration)
}
