//! How a server keeps rows for other tools: settings, and what they come to for one table.

use super::store::{Body, BodyStore, Room};
use crate::{quota_key::Payer, selective::table::Table};
use sha2::{Digest, Sha256};
use std::{sync::Arc, time::Duration};

/// How a server keeps the rows that a model is not shown: set it with [`ServerBuilder::data_plane`](crate::ServerBuilder::data_plane).
///
/// It is on by default, in the process's memory, wherever a server is served over HTTP: `POST /s2sp/data/TOKEN` beside the endpoint
/// gives the rows to whoever has the URL, once. The URL is a capability: it asks for no other proof, so whoever serves on a network
/// terminates TLS before it.
///
/// ```
/// use pd_runtime::{data::DataPlane, prelude::*};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let plane = DataPlane::default().url("https://data.example.com").ttl(Duration::from_secs(60));
/// let server = PdServer::builder(pd_runtime::registry! {}, ()).data_plane(plane).build()?;
/// # let _ = server;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct DataPlane {
    pub(super) is_on: bool,
    pub(super) url: Option<String>,
    pub(super) store: Option<Arc<dyn BodyStore>>,
    pub(super) max_body_bytes: usize,
    ttl: Duration,
    max_bytes: usize,
    max_bodies: usize,
    principal_percent: u8,
}

impl Default for DataPlane {
    fn default() -> Self {
        Self {
            is_on: true,
            url: None,
            store: None,
            ttl: Duration::from_secs(600),
            max_body_bytes: 16 * 1024 * 1024,
            max_bytes: 256 * 1024 * 1024,
            max_bodies: 10_000,
            principal_percent: 50,
        }
    }
}

impl DataPlane {
    /// None: nothing is kept, and nothing is served beside the endpoint. Selective tools then work with `mode`: `sync` alone.
    pub fn off() -> Self {
        Self { is_on: false, ..Self::default() }
    }

    /// Sets what URLs begin with, as consumers reach this server: `https://data.example.com`, or the address of a proxy before
    /// replicas. What follows is `/s2sp/data/TOKEN`. By default the address that the server is bound to; a
    /// `serve::router` knows none, and has to be told.
    #[must_use]
    pub fn url(mut self, base: impl Into<String>) -> Self {
        let base = base.into();
        self.url = Some(base.trim_end_matches('/').to_owned());
        self
    }

    /// Sets where rows are kept: [`MemoryBodies`](super::MemoryBodies) by default, `redis::Bodies` (feature `redis`) for replicas,
    /// or an own store.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn BodyStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets how long rows wait to be fetched. 600 seconds by default.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets how many bytes the rows of one call may have. 16 MiB by default.
    #[must_use]
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.max_body_bytes = bytes;
        self
    }

    /// Sets how many bytes may wait at once, of all calls together. 256 MiB by default.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets of how many calls rows may wait at once. 10,000 by default.
    #[must_use]
    pub fn max_bodies(mut self, bodies: usize) -> Self {
        self.max_bodies = bodies;
        self
    }

    /// Sets how much of both one principal may have, in percent: 50 by default. Callers whom nobody authenticated are counted by
    /// their addresses. Whoever started the process, and speaks to it over stdio, may have all.
    #[must_use]
    pub fn principal_percent(mut self, percent: u8) -> Self {
        self.principal_percent = percent.min(100);
        self
    }

    /// The table as stores keep it.
    pub(super) fn body(&self, table: Table, payer: Payer<'_>) -> Body {
        let percent = if payer == Payer::Owner { 100 } else { self.principal_percent };
        // At least one body, or a small plane would keep nothing for anybody.
        let of = |all: usize| (all as u128 * u128::from(percent) / 100) as usize;
        let room = Room {
            bytes: self.max_bytes,
            bodies: self.max_bodies,
            bytes_each: of(self.max_bytes),
            bodies_each: of(self.max_bodies).max(1),
        };
        Body { bytes: table.bytes(), table: Arc::new(table), life: self.ttl, payer: digest(payer), room }
    }
}

/// The payer in few bytes, which are the same at every replica.
fn digest(payer: Payer<'_>) -> [u8; 16] {
    let (kind, name, network) = payer.key();
    let hash = Sha256::new().chain_update([kind]).chain_update(network.to_le_bytes()).chain_update(name).finalize();
    hash.first_chunk().copied().unwrap_or_default()
}
