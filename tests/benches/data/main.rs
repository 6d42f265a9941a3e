//! How long it takes to fetch a megabyte of rows from the data plane over loopback, on a kept connection; a median of more than
//! 5 ms is a failure.
//!
//! ```sh
//! just bench-data
//! ```
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use pd_runtime::{
    PdServer, Registry, Table,
    serve::{Http, HttpOptions},
};
use serde_json::json;
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

/// 29 columns, as the alerts have that MCP-SD measures with.
const COLUMNS: usize = 29;
const BYTES: usize = 1 << 20;
const ROUNDS: usize = 201;
const BUDGET: Duration = Duration::from_millis(5);

#[tokio::main]
async fn main() -> ExitCode {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("nothing is measured under `cargo test`; run `just bench-data`");
        return ExitCode::SUCCESS;
    }
    let (server, client) = (serve().await, reqwest::Client::new());
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(fetch(&server, &client).await);
    }
    times.sort_unstable();
    let at = |place: usize| times.get(place).copied().unwrap_or_default();
    let [best, median, slow] = [0, ROUNDS / 2, ROUNDS * 95 / 100].map(at);
    println!(
        "{} KiB in {ROUNDS} fetches: best {best:.2?}, median {median:.2?}, 95 % within {slow:.2?}",
        BYTES >> 10
    );
    if median <= BUDGET {
        return ExitCode::SUCCESS;
    }
    eprintln!("the median may be {BUDGET:?}");
    ExitCode::FAILURE
}

async fn serve() -> PdServer<()> {
    let server = PdServer::builder(Registry::builder().build().unwrap(), ())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap();
    let (shared, http) = (server.clone(), Http::bind("127.0.0.1:0").await.unwrap());
    tokio::spawn(async move { http.serve(&shared, HttpOptions::default()).await.unwrap() });
    while server.store_rows(Table::default()).await.is_err() {
        tokio::task::yield_now().await;
    }
    server
}

/// From the request to the last byte of the answer.
async fn fetch(server: &PdServer<()>, client: &reqwest::Client) -> Duration {
    let url = server.store_rows(rows()).await.unwrap();
    let begun = Instant::now();
    let answer = client.post(url).body("{}").send().await.unwrap();
    let bytes = answer.error_for_status().unwrap().bytes().await.unwrap();
    let took = begun.elapsed();
    assert!(bytes.len() >= BYTES, "{}", bytes.len());
    took
}

fn rows() -> Table {
    let mut table = Table::new((0..COLUMNS).map(|number| format!("column_{number}"))).unwrap();
    let row = || (0..COLUMNS).map(|number| json!(format!("a cell of {number} with some text")));
    for _ in 0..BYTES / (COLUMNS * 40) {
        table.push(row()).unwrap();
    }
    table
}
