//! What strangers send about rows: bytes that a store gives back as a table, and what a consumer asks the data plane for. Bytes are
//! a table or are refused; whoever asks for nothing that there is has taken nothing.

use super::{endpoint::Endpoint, run};
use http::StatusCode;
use pd_runtime::{PdServer, Registry, Table, selective::data_plane::DataPlane, serve::HttpOptions};
use serde_json::{Value, json};
use std::sync::LazyLock;

const BASE: &str = "http://data.example";
const ROWS: usize = 3;

static SERVER: LazyLock<PdServer<()>> = LazyLock::new(|| {
    let registry = Registry::builder()
        .build()
        .expect("no tools are a registry");
    let plane = DataPlane::default().public_url(BASE);
    PdServer::builder(registry, ())
        .listing(pd_runtime::Listing::Minimal)
        .data_plane(plane)
        .build()
        .expect("it keeps its rules")
});

/// A letter below `a` comes before a table's bytes, any other before a question.
pub fn check(data: &[u8]) {
    match data.split_first() {
        Some((..b'a', bytes)) => unpack(bytes),
        Some((_, question)) => run(ask(question)),
        None => {}
    }
}

/// What was read as a table is written as the bytes that it was read from, and shows as many rows as it says.
fn unpack(bytes: &[u8]) {
    let Ok(table) = Table::from_bytes(bytes) else {
        return;
    };
    assert_eq!(table.to_bytes(), bytes);
    if table.len() <= 4_096 {
        run(async {
            let reply = take(&keep(table).await, b"{}").await;
            assert_eq!(reply.0, StatusCode::OK, "{}", reply.1);
        });
    }
}

async fn ask(question: &[u8]) {
    let path = keep(weather()).await;
    let (status, told) = take(&path, question).await;
    let had = match status {
        StatusCode::OK => rows(&told),
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE => Vec::new(),
        other => panic!("{other}: {told}"),
    };
    assert!(had.len() <= ROWS, "{told}");
    let (again, all) = take(&path, b"{}").await;
    match had.is_empty() {
        true => assert_eq!(
            (again, rows(&all).len()),
            (StatusCode::OK, ROWS),
            "nothing was had, and all is gone"
        ),
        false => assert_eq!(again, StatusCode::NOT_FOUND, "rows were had twice"),
    }
}

/// The rows of an answer, each with its number and nothing but columns that there are.
fn rows(told: &str) -> Vec<Value> {
    let mut answer: Value =
        serde_json::from_str(told).unwrap_or_else(|error| panic!("{error}: {told}"));
    let Value::Array(rows) = answer["body"].take() else {
        panic!("no rows: {told}")
    };
    assert_eq!(answer["total_rows"], rows.len(), "{told}");
    for row in &rows {
        let keys = row.as_object().expect("a row is an object").keys();
        assert!(
            row["_row_id"].as_u64().is_some_and(|id| id < ROWS as u64),
            "{row}"
        );
        assert!(
            keys.into_iter()
                .all(|key| ["_row_id", "city", "high"].contains(&&**key)),
            "{row}"
        );
    }
    rows
}

fn weather() -> Table {
    let mut table = Table::new(["city", "high"]).expect("two columns");
    for (city, high) in [
        ("Oslo", json!(3)),
        ("Bø", json!(null)),
        ("\"Å\"", json!([1.5])),
    ] {
        table.push([json!(city), high]).expect("two cells");
    }
    table
}

async fn keep(table: Table) -> String {
    let url = SERVER.store_rows(table).await.expect("there is room");
    url.strip_prefix(BASE).expect("it is the base's").to_owned()
}

async fn take(path: &str, question: &[u8]) -> (StatusCode, String) {
    let reply = Endpoint::with(&SERVER, &HttpOptions::default())
        .post(path, question.to_vec())
        .await;
    (reply.status, reply.body)
}
