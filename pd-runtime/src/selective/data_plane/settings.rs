//! The settings of the data plane, and the quotas that result for one table.

use super::store::{ResultStore, StoreQuota, StoredBody, StoredResult};
use crate::protocol::quota_key::QuotaKey;
use sha2::{Digest, Sha256};
use std::{sync::Arc, time::Duration};

/// The settings for what a model does not see of results: the rows of selective tools, and the texts
/// of large results ([`Limits::result_tokens`](crate::Limits::result_tokens)). Pass it to
/// [`ServerBuilder::data_plane`](crate::ServerBuilder::data_plane).
///
/// The data plane is on by default for every server over HTTP, with rows in the memory of the
/// process: `POST /s2sp/data/TOKEN` next to the endpoint returns the rows to the holder of the URL,
/// once. The URL is a capability and needs no other proof. On a network, terminate TLS before the
/// server.
///
/// ```
/// use pd_runtime::{prelude::*, selective::data_plane::DataPlane};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let plane = DataPlane::default()
///     .public_url("https://data.example.com")
///     .ttl(Duration::from_secs(60));
/// let server = PdServer::builder(pd_runtime::registry! {}, ()).data_plane(plane).build()?;
/// # let _ = server;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct DataPlane {
    pub(super) is_on: bool,
    pub(super) public_url: Option<String>,
    pub(super) store: Option<Arc<dyn ResultStore>>,
    pub(super) max_body_bytes: usize,
    pub(super) ttl: Duration,
    max_bytes: usize,
    max_bodies: usize,
    principal_percent: u8,
}

impl Default for DataPlane {
    fn default() -> Self {
        Self {
            is_on: true,
            public_url: None,
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
    /// Disables the data plane: no rows are stored or served. Selective tools then work only with
    /// `mode`: `sync`. Large results are kept all the same.
    pub fn off() -> Self {
        Self {
            is_on: false,
            ..Self::default()
        }
    }

    /// Sets the base of the URLs, as consumers reach this server: `https://data.example.com`, or
    /// the address of a proxy before replicas. `/s2sp/data/TOKEN` follows it. The default is the
    /// address that the server is bound to. A `serve::router` does not know its address, so it
    /// needs this setting.
    #[must_use]
    pub fn public_url(mut self, base: impl Into<String>) -> Self {
        let base = base.into();
        // `PATH` begins with a slash.
        self.public_url = Some(base.trim_end_matches('/').to_owned());
        self
    }

    /// Sets the store of rows and large results: [`MemoryResultStore`](super::MemoryResultStore) by default,
    /// `redis::ResultStore` (feature `redis`) for replicas, or your own.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn ResultStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets how long rows wait to be fetched, and large results to be read again; 600 seconds by
    /// default.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets the limit on the rows of one call, or on one large result, in bytes; 16 MiB by default. A
    /// larger result is shown whole.
    #[must_use]
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.max_body_bytes = bytes;
        self
    }

    /// Sets the limit on the rows and large results that wait, of all calls together, in bytes; 256
    /// MiB by default.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets for how many calls rows or results may wait at once; 10,000 by default.
    #[must_use]
    pub fn max_bodies(mut self, bodies: usize) -> Self {
        self.max_bodies = bodies;
        self
    }

    /// Sets the share of both limits that one principal may have, in percent; 50 by default.
    /// Callers without authentication are counted by address. A large result takes the place of those
    /// of its caller that were read longest ago. The user who started the process and
    /// uses stdio may have everything.
    #[must_use]
    pub fn principal_percent(mut self, percent: u8) -> Self {
        self.principal_percent = percent.min(100);
        self
    }

    /// Converts rows or a text of this size to the form that stores keep.
    pub(super) fn body(&self, body: StoredBody, bytes: usize, payer: QuotaKey<'_>) -> StoredResult {
        let percent = if payer == QuotaKey::Owner {
            100
        } else {
            self.principal_percent
        };
        // The product of a limit in bytes and a percentage may exceed `usize`.
        let of = |all: usize| (all as u128 * u128::from(percent) / 100) as usize;
        let room = StoreQuota {
            bytes: self.max_bytes,
            bodies: self.max_bodies,
            bytes_each: of(self.max_bytes),
            // At least one body, because a small limit would otherwise round down to none for every
            // principal.
            bodies_each: of(self.max_bodies).max(1),
        };
        StoredResult {
            body,
            bytes,
            ttl: self.ttl,
            payer: digest(payer),
            quota: room,
        }
    }
}

/// Hashes the payer into few bytes, which are equal at every replica.
fn digest(payer: QuotaKey<'_>) -> [u8; 16] {
    let (kind, name, network) = payer.key();
    // std does not promise equal hashes in two versions, and replicas may differ in theirs.
    let hash = Sha256::new()
        // The name comes last: the values before it have fixed lengths and need no separators.
        .chain_update([kind])
        .chain_update(network.to_le_bytes())
        .chain_update(name)
        .finalize();
    hash.first_chunk().copied().unwrap_or_default()
}
