//! The data plane: where the rest of a selective tool's rows waits for the tool that it is handed to.
//!
//! A model is shown the columns that it named, and a URL. Whoever has the URL takes the rest with it, once: the tool that the model
//! hands it to. Settings are a [`DataPlane`]; where rows wait is a [`BodyStore`].
//!
//! # How rows are fetched
//!
//! As MCP-SD 0.1 has it, mended. `serve::Http` and `serve::router` answer beside the endpoint, `serve::DataEndpoint` on an address
//! of its own (feature `http`):
//!
//! ```text
//! POST /s2sp/data/TOKEN   {"row_ids": [0, 2], "columns": ["area"]}
//! 200                     {"body":[{"_row_id":0,"area":"…"},{"_row_id":2,"area":"…"}],"total_rows":2}
//! ```
//!
//! A key that is left out means all: `{}` asks for every row and column. Nothing else does: a list without rows, and numbers that no
//! row has, get an empty body.
//!
//! | status | when | can the rows be taken after it |
//! |---|---|---|
//! | 200 with rows | | no, once all was written: a connection that breaks before gives them back |
//! | 200 without | nothing matches | yes |
//! | 400, 405, 408, 413 | no such question: it is no JSON object, or names a column that there is not | yes |
//! | 404 | the rows were read, have expired, or never were | |
//! | 409, `Retry-After` | another consumer is reading them | if that breaks off |
//! | 503, `Retry-After` | the store does not answer | when it does |
//!
//! What is not 200 has a body `{"error": "…"}`, which holds neither URL nor token; nor does any log.

#[cfg(feature = "http")]
mod lease;
mod memory;
mod settings;
mod store;
#[cfg(feature = "http")]
mod store_health;
mod token;

#[cfg(feature = "http")]
pub(crate) use lease::{Taking, Untaken};
pub use memory::MemoryBodies;
pub use settings::DataPlane;
pub use store::{Body, BodyKey, BodyStore, BodyStoreError, Lease, Room, Step, Taken};
#[cfg(feature = "http")]
pub(crate) use token::Token;

use crate::{quota_key::Payer, selective::table::Table, telemetry::metrics::Metrics};
#[cfg(feature = "http")]
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What stands before a token in its URL, after the base.
pub(crate) const PATH: &str = "/s2sp/data/";

/// Where rows are kept for consumers, which fetch them by a capability URL.
#[derive(Debug)]
pub(crate) struct Plane {
    settings: DataPlane,
    store: Arc<dyn BodyStore>,
    /// The address that serves it, as a URL.
    bound: Mutex<Option<String>>,
    /// Whether the store fails those who take.
    #[cfg(feature = "http")]
    outage: store_health::Outage,
    metrics: Option<Metrics>,
}

impl Plane {
    pub(crate) fn new(settings: &DataPlane, metrics: Option<&Metrics>) -> Self {
        let store = settings.store.clone().unwrap_or_else(|| Arc::new(MemoryBodies::default()));
        Self {
            settings: settings.clone(),
            store,
            bound: Mutex::default(),
            #[cfg(feature = "http")]
            outage: store_health::Outage::default(),
            metrics: metrics.cloned(),
        }
    }

    /// Whether it is to be served.
    #[cfg(feature = "http")]
    pub(crate) fn is_on(&self) -> bool {
        self.settings.is_on
    }

    /// It is served on this address from now on. Whether it has a use: some tool keeps rows.
    #[cfg(feature = "http")]
    pub(crate) fn serves_on(&self, address: SocketAddr, has_use: bool) {
        if !self.settings.is_on {
            return;
        }
        if has_use && self.settings.url.is_none() && address.ip().is_unspecified() {
            tracing::warn!(
                "data URLs name this machine's loopback address, since the server listens on all: only tools on this machine \
                 can fetch; set `DataPlane::url` (--data-url) to the address that others know"
            );
        }
        *self.bound() = Some(format!("http://{}", reachable_address(address)));
    }

    /// Keeps a table, and gives the URL that takes it: a capability, to be handed to nobody but the caller.
    ///
    /// # Errors
    ///
    /// There is no room, the table is too large, or nobody could fetch it from this server.
    pub(crate) async fn keep(&self, table: Table, payer: Payer<'_>) -> Result<String, StoreRowsError> {
        let kept = self.try_keep(table, payer).await;
        if let (Err(refusal), Some(metrics)) = (&kept, &self.metrics) {
            metrics.body_refused(refusal.word());
        }
        kept
    }

    async fn try_keep(&self, table: Table, payer: Payer<'_>) -> Result<String, StoreRowsError> {
        let (base, bytes) = (self.base().ok_or(StoreRowsError::Nowhere)?, table.bytes());
        if bytes > self.settings.max_body_bytes {
            return Err(StoreRowsError::TooLarge { bytes, max: self.settings.max_body_bytes });
        }
        let token = token::Token::random().map_err(|error| StoreRowsError::Failed(error.to_string()))?;
        self.store.keep(token.key(), self.settings.body(table, payer)).await?;
        if let Some(metrics) = &self.metrics {
            metrics.body_kept(bytes);
        }
        Ok(format!("{base}{PATH}{}", token.text()))
    }

    /// Whether a table could be kept now, were there room.
    ///
    /// # Errors
    ///
    /// Nobody could fetch it from this server.
    pub(crate) fn check(&self) -> Result<(), StoreRowsError> {
        if self.has_base() {
            return Ok(());
        }
        if let Some(metrics) = &self.metrics {
            metrics.body_refused(StoreRowsError::Nowhere.word());
        }
        Err(StoreRowsError::Nowhere)
    }

    pub(crate) fn has_base(&self) -> bool {
        self.settings.is_on && (self.settings.url.is_some() || self.bound().is_some())
    }

    pub(crate) fn base(&self) -> Option<String> {
        let known = self.settings.url.clone().or_else(|| self.bound().clone());
        known.filter(|_| self.settings.is_on)
    }

    fn bound(&self) -> MutexGuard<'_, Option<String>> {
        self.bound.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address as a client on this machine may write it: a loopback address in the place of 0.0.0.0
/// and `::`.
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

impl From<BodyStoreError> for StoreRowsError {
    fn from(error: BodyStoreError) -> Self {
        match error {
            BodyStoreError::Full => Self::Full,
            BodyStoreError::OwnShare => Self::OwnShare,
            BodyStoreError::Failed(why) => Self::Failed(why),
        }
    }
}

impl StoreRowsError {
    /// As metrics have it.
    fn word(&self) -> &'static str {
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
