//! The API of `mock_api.py`, and a server of one document.

use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// The document of the API that has each kind of request and answer.
pub(crate) fn api_document() -> Value {
    serde_json::from_str(include_str!("api.json")).unwrap()
}

/// An API that ends when it is dropped.
pub(crate) struct MockApi {
    pub(crate) url: String,
    directory: TempDir,
    _process: Child,
}

impl MockApi {
    /// Starts the API of a document.
    pub(crate) async fn start(document: &Value) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("document.json");
        fs::write(&file, document.to_string()).unwrap();
        let mut process = Command::new("python3")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/mock_api.py"))
            .arg(&file)
            .arg(directory.path().join("log"))
            .stdout(std::process::Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().unwrap();
        Self {
            url: format!("http://127.0.0.1:{port}"),
            directory,
            _process: process,
        }
    }

    /// Starts a server with this document at `/openapi.json`.
    pub(crate) async fn serving(document: &Value) -> Self {
        let mock = json!({ "headers": { "Content-Type": "application/json" }, "body": document.to_string() });
        let own = json!({ "openapi": "3.0.0", "paths": { "/openapi.json": { "get": { "responses": {}, "x-mock": mock } } } });
        Self::start(&own).await
    }

    fn lines(&self) -> impl Iterator<Item = Value> {
        let log = fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
        // A line that is being written has no end.
        let lines: Vec<Value> = log
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        lines.into_iter()
    }

    fn requests(&self) -> Vec<Value> {
        self.lines()
            .filter(|line| line.get("method").is_some())
            .collect()
    }

    /// Returns the pieces of each endless answer that the client has ended.
    pub(crate) fn ended_answers(&self) -> Vec<u64> {
        self.lines()
            .filter_map(|line| line.get("pieces")?.as_u64())
            .collect()
    }

    /// Returns the number of requests.
    pub(crate) fn count(&self) -> usize {
        self.requests().len()
    }

    /// Returns the latest request.
    pub(crate) fn last(&self) -> Value {
        self.requests().pop().unwrap()
    }
}
