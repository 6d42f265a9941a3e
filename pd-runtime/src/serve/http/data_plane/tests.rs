//! Consumers that fetch rows over sockets: correct, concurrent, killed, slow and unauthorized ones.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod breaking;
mod fetching;
mod foreign;
#[cfg(all(feature = "cli", feature = "metrics"))]
mod told;

use crate::{
    PdServer, Registry, Table,
    selective::data_plane::DataPlane,
    serve::{Http, HttpOptions},
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinHandle,
    time::{Instant, sleep},
};

/// A server with a data plane, on its own port.
struct TestDataPlane {
    server: PdServer<()>,
    address: String,
    serving: JoinHandle<()>,
}

impl Drop for TestDataPlane {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A limit for bodies that no kernel buffers completely.
fn large() -> DataPlane {
    DataPlane::default()
        .max_body_bytes(256 << 20)
        .max_bytes(1 << 30)
}

fn server(plane: DataPlane) -> PdServer<()> {
    PdServer::builder(Registry::builder().build().unwrap(), ())
        .data_plane(plane)
        .build()
        .unwrap()
}

impl TestDataPlane {
    async fn open(plane: DataPlane) -> Self {
        Self::open_with(plane, HttpOptions::default()).await
    }

    async fn open_with(plane: DataPlane, options: HttpOptions) -> Self {
        Self::of(server(plane), options).await
    }

    async fn of(server: PdServer<()>, options: HttpOptions) -> Self {
        let http = Http::bind("127.0.0.1:0").await.unwrap();
        let address = http.address.to_string();
        let shared = server.clone();
        let serving = tokio::spawn(async move { http.serve(&shared, options).await.unwrap() });
        TcpStream::connect(&address).await.unwrap();
        Self {
            server,
            address,
            serving,
        }
    }

    /// Stores rows and returns their path.
    async fn keep(&self, table: Table) -> String {
        while self.server.host().served().plane.base().is_none() {
            tokio::task::yield_now().await;
        }
        let url = self.server.store_rows(table).await.unwrap();
        url.strip_prefix(&format!("http://{}", self.address))
            .expect("it is the address's")
            .to_owned()
    }

    async fn send(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let mut client = TcpStream::connect(&self.address).await.unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}",
            body.len()
        );
        client
            .write_all(format!("{head}\r\n\r\n{body}").as_bytes())
            .await
            .unwrap();
        client
    }

    async fn ask(&self, method: &str, path: &str, body: &str) -> DataAnswer {
        let mut text = String::new();
        self.send(method, path, body)
            .await
            .read_to_string(&mut text)
            .await
            .unwrap();
        DataAnswer::read(&text)
    }

    async fn fetch(&self, path: &str, body: &str) -> DataAnswer {
        self.ask("POST", path, body).await
    }

    /// The first answer that is not 409, within five seconds.
    async fn fetch_when_free(&self, path: &str, body: &str) -> DataAnswer {
        let began = Instant::now();
        loop {
            let answer = self.fetch(path, body).await;
            if answer.status != 409 || began.elapsed() > Duration::from_secs(5) {
                return answer;
            }
            sleep(Duration::from_millis(10)).await;
        }
    }
}

#[derive(Debug)]
struct DataAnswer {
    status: u16,
    head: String,
    body: Value,
}

impl DataAnswer {
    fn read(text: &str) -> Self {
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self {
            status,
            head: head.to_lowercase(),
            body: serde_json::from_str(body).unwrap_or_default(),
        }
    }
}

/// Three days in Oslo.
fn days() -> Table {
    let mut table = Table::new(["city", "high"]).unwrap();
    for high in [21, 22, 23] {
        table.push([json!("Oslo"), json!(high)]).unwrap();
    }
    table
}

/// Rows of a megabyte each.
fn megabytes(count: usize) -> Table {
    let mut table = Table::new(["text"]).unwrap();
    for _ in 0..count {
        table.push(["x".repeat(1 << 20)]).unwrap();
    }
    table
}
