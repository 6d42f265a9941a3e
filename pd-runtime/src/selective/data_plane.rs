//! The data plane: stores the remaining rows of a selective tool's result until another tool
//! fetches them.
//!
//! A model sees the columns that it selected, and a URL. The model passes the URL to another tool,
//! and that tool fetches the remaining rows once. The URL is a capability: its holder needs no
//! other proof. [`DataPlane`] contains the settings; a [`ResultStore`] keeps the rows.
//!
//! The same store keeps the texts of results that are too large to show. A model reads on in them by
//! a handle, which is of use to its caller alone: see
//! [`Limits::result_tokens`](crate::Limits::result_tokens).
//!
//! # Protocol
//!
//! The protocol is MCP-SD 0.1 with corrections. `serve::Http` and `serve::router` serve it next to
//! the endpoint, `serve::DataEndpoint` on its own address (feature `http`):
//!
//! ```text
//! POST /s2sp/data/TOKEN   {"row_ids": [0, 2], "columns": ["area"]}
//! 200                     {"body":[{"_row_id":0,"area":"…"},{"_row_id":2,"area":"…"}],
//!                          "total_rows":2}
//! ```
//!
//! An omitted key means all: `{}` requests every row and column. An empty list of rows, or row
//! numbers that do not exist, return an empty body.
//!
//! | status | condition | can the rows be fetched again |
//! |---|---|---|
//! | 200 with rows | | no, once everything was written; if the connection breaks earlier, yes |
//! | 200 without | no row matches | yes |
//! | 400, 405, 408, 413 | invalid request: not a JSON object, or an unknown column | yes |
//! | 404 | the rows were fetched, have expired, or never existed | |
//! | 409, `Retry-After` | another consumer is reading them | if that read fails |
//! | 503, `Retry-After` | the store does not answer | once it does |
//!
//! Responses other than 200 have the body `{"error": "…"}`. Neither these bodies nor any log
//! contain a URL or a token.

#[cfg(feature = "http")]
mod lease;
mod memory;
mod settings;
mod store;
#[cfg(feature = "http")]
mod store_health;
mod texts;
mod token;

#[cfg(feature = "http")]
pub(crate) use lease::{TakeError, TakenRows};
pub use memory::MemoryResultStore;
pub use settings::DataPlane;
pub use store::{
    Lease, LeaseAction, ResultKey, ResultStore, ResultStoreError, StoreQuota, StoredBody,
    StoredResult, TakeOutcome,
};
pub(crate) use texts::StoreFailed;
#[cfg(feature = "http")]
pub(crate) use token::RowToken;

use crate::{protocol::quota_key::QuotaKey, selective::table::Table, telemetry::metrics::Metrics};
use parking_lot::{Mutex, MutexGuard};
#[cfg(feature = "http")]
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

/// The path before the token in a data URL, after the base.
pub(crate) const PATH: &str = "/s2sp/data/";

/// Stores rows for consumers, which fetch them by a capability URL, and texts for their callers.
#[derive(Debug)]
pub(crate) struct DataPlaneRuntime {
    settings: DataPlane,
    store: Arc<dyn ResultStore>,
    /// The address that serves the data plane, as a URL.
    bound: Mutex<Option<String>>,
    /// The health of the store, as requests observe it.
    #[cfg(feature = "http")]
    outage: store_health::StoreOutage,
    metrics: Option<Metrics>,
}

impl DataPlaneRuntime {
    pub(crate) fn new(settings: &DataPlane, metrics: Option<&Metrics>) -> Self {
        let store = settings
            .store
            .clone()
            .unwrap_or_else(|| Arc::new(MemoryResultStore::default()));
        Self {
            settings: settings.clone(),
            store,
            bound: Mutex::default(),
            #[cfg(feature = "http")]
            outage: store_health::StoreOutage::default(),
            metrics: metrics.cloned(),
        }
    }

    /// Returns whether the data plane is to be served.
    #[cfg(feature = "http")]
    pub(crate) fn is_on(&self) -> bool {
        self.settings.is_on
    }

    /// Records the address that serves the data plane. `has_use` is whether some tool stores rows.
    #[cfg(feature = "http")]
    pub(crate) fn serves_on(&self, address: SocketAddr, has_use: bool) {
        if !self.settings.is_on {
            return;
        }
        // Without a tool that stores rows no data URL is ever sent.
        if has_use && self.settings.public_url.is_none() && address.ip().is_unspecified() {
            tracing::warn!(
                "data URLs name this machine's loopback address, since the server listens on all: only tools on this machine \
                 can fetch; set `DataPlane::public_url` (--data-url) to the address that others know"
            );
        }
        // Only tools on this machine can use a loopback URL, but it is the only address that
        // certainly reaches this server.
        *self.bound() = Some(format!("http://{}", reachable_address(address)));
    }

    /// Stores a table and returns the URL for it. The URL is a capability, so it must be sent to
    /// the caller only.
    ///
    /// # Errors
    ///
    /// Returns an error if the store is full, the table is too large, or no address serves the data
    /// plane.
    pub(crate) async fn store_rows(
        &self,
        table: Table,
        payer: QuotaKey<'_>,
    ) -> Result<String, StoreRowsError> {
        let kept = self.try_keep(table, payer).await;
        // Counted here, so that every kind of refusal is counted once.
        if let (Err(refusal), Some(metrics)) = (&kept, &self.metrics) {
            metrics.body_refused(refusal.as_str());
        }
        kept
    }

    async fn try_keep(&self, table: Table, payer: QuotaKey<'_>) -> Result<String, StoreRowsError> {
        // Checked first: rows without a URL would fill the store until they expire.
        let base = self.base().ok_or(StoreRowsError::Nowhere)?;
        let bytes = table.bytes();
        if bytes > self.settings.max_body_bytes {
            return Err(StoreRowsError::TooLarge {
                bytes,
                max: self.settings.max_body_bytes,
            });
        }
        // A token for each table, because the holder of one URL must not reach other rows.
        let token =
            token::RowToken::random().map_err(|error| StoreRowsError::Failed(error.to_string()))?;
        let rows = StoredBody::Rows(Arc::new(table));
        self.store
            .keep(token.key(), self.settings.body(rows, bytes, payer))
            .await?;
        if let Some(metrics) = &self.metrics {
            metrics.body_kept(bytes);
        }
        Ok(format!("{base}{PATH}{}", token.text()))
    }

    /// Checks whether tables can be stored at all, regardless of space.
    ///
    /// # Errors
    ///
    /// Returns an error if no address serves the data plane.
    pub(crate) fn check(&self) -> Result<(), StoreRowsError> {
        if self.has_base() {
            return Ok(());
        }
        // After this refusal the call ends, so `store_rows` does not count it.
        if let Some(metrics) = &self.metrics {
            metrics.body_refused(StoreRowsError::Nowhere.as_str());
        }
        Err(StoreRowsError::Nowhere)
    }

    pub(crate) fn has_base(&self) -> bool {
        self.settings.is_on && (self.settings.public_url.is_some() || self.bound().is_some())
    }

    pub(crate) fn base(&self) -> Option<String> {
        // A set URL comes first: behind a proxy, consumers do not reach the bound address.
        let known = self
            .settings
            .public_url
            .clone()
            .or_else(|| self.bound().clone());
        // A URL may be set while the plane is off, and then nothing serves it.
        known.filter(|_| self.settings.is_on)
    }

    fn bound(&self) -> MutexGuard<'_, Option<String>> {
        self.bound.lock()
    }
}

/// Returns the address in the form that a client on this machine can use: a loopback address in
/// place of 0.0.0.0 and `::`.
#[cfg(feature = "http")]
pub(crate) fn reachable_address(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// An error of storing rows.
#[derive(Debug)]
pub(crate) enum StoreRowsError {
    Nowhere,
    TooLarge { bytes: usize, max: usize },
    Full,
    OwnShare,
    Failed(String),
}

impl From<ResultStoreError> for StoreRowsError {
    fn from(error: ResultStoreError) -> Self {
        match error {
            ResultStoreError::Full => Self::Full,
            ResultStoreError::OwnShare => Self::OwnShare,
            ResultStoreError::Failed(why) => Self::Failed(why),
        }
    }
}

impl StoreRowsError {
    /// Returns the label for metrics.
    fn as_str(&self) -> &'static str {
        match self {
            Self::Nowhere => "no_plane",
            Self::TooLarge { .. } => "too_large",
            Self::Full | Self::OwnShare => "full",
            Self::Failed(_) => "failed",
        }
    }
}

#[cfg(all(test, feature = "http"))]
mod tests;
