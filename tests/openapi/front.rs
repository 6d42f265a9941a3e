//! A gateway in front of one API, whose document and configuration are files.

use crate::{
    harness::client::{Client, Era, connect},
    mock::{MockApi, api_document},
};
use pd_gateway::{Gateway, GatewayConfig};
use pd_runtime::{Listing, PdServer};
use serde_json::{Value, json};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::time::sleep;

pub(crate) const KEY: &str = "key-of-the-api";
pub(crate) const TOKEN: &str = "hunter2-hunter2";

/// A gateway in front of one API.
pub(crate) struct Front {
    pub(crate) directory: TempDir,
    pub(crate) gateway: Gateway,
}

impl Front {
    /// Starts a gateway whose one entry has these keys.
    pub(crate) async fn new(document: &Value, entry: Value) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let gateway = open(&directory, document, entry);
        gateway.refresh().await;
        Self { directory, gateway }
    }

    /// The same with a lock.
    pub(crate) async fn locked(document: &Value, entry: Value) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let gateway = open(&directory, document, entry);
        let gateway = gateway.with_lock(lock_of(&directory)).unwrap();
        gateway.refresh().await;
        Self { directory, gateway }
    }

    pub(crate) async fn to(api: &MockApi) -> Self {
        let auth =
            json!({ "key": KEY, "user": "ada:pass word", "token": TOKEN, "query": "k&=1234567" });
        Self::new(
            &api_document(),
            json!({ "url": format!("{}/v1", api.url), "auth": auth }),
        )
        .await
    }

    /// Ends the gateway, and starts another one with this document and the same lock.
    pub(crate) async fn restarted(self, document: &Value, entry: Value) -> Self {
        self.gateway.stop().await;
        let gateway = open(&self.directory, document, entry);
        let gateway = gateway.with_lock(self.lock_file()).unwrap();
        gateway.refresh_all().await;
        Self { gateway, ..self }
    }

    /// Replaces the document while the gateway runs.
    pub(crate) fn replace_document(&self, document: &Value) {
        write_document(&self.directory, document);
    }

    pub(crate) fn lock_file(&self) -> PathBuf {
        lock_of(&self.directory)
    }

    pub(crate) fn server(&self) -> PdServer<()> {
        PdServer::builder(self.gateway.registry(), ())
            .listing(Listing::Minimal)
            .build()
            .unwrap()
    }

    pub(crate) async fn client(&self, era: Era) -> Client {
        connect(era, &self.server()).await
    }

    pub(crate) fn error(&self) -> String {
        let status = self.gateway.status().remove(0);
        status.last_error.unwrap_or_default()
    }
}

fn open(directory: &TempDir, document: &Value, mut entry: Value) -> Gateway {
    let file = write_document(directory, document);
    if entry.get("openapi").is_none() {
        entry["openapi"] = json!(file);
    }
    let config = directory.path().join("servers.json");
    let servers = json!({ "mcpServers": { "api": entry } });
    fs::write(&config, servers.to_string()).unwrap();
    let cache = directory.path().join("cache");
    Gateway::with_cache(GatewayConfig::open(config).unwrap(), cache)
}

fn write_document(directory: &TempDir, document: &Value) -> PathBuf {
    let file = directory.path().join("api.json");
    fs::write(&file, document.to_string()).unwrap();
    file
}

fn lock_of(directory: &TempDir) -> PathBuf {
    directory.path().join("upstreams.lock")
}

/// Waits until something holds.
pub(crate) async fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{what} took too long"
        );
        sleep(Duration::from_millis(20)).await;
    }
}
