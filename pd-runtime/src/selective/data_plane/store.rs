//! The trait of result stores and its types. A store never learns the token or the handle that
//! grants access to a result.

use crate::{digest::hex::Hex, selective::table::Table};
use futures::future::BoxFuture;
use std::{fmt, sync::Arc, time::Duration};

/// Stores bodies, the parts of results that a model does not see: see
/// [`DataPlane::store`](super::DataPlane::store). A body is the rows of a selective tool, or the text
/// of a result that is too large to show.
///
/// Texts are read as often as their caller asks. Rows are taken once. The reader holds a lease, which is renewed while the rows are written.
/// Before the last piece is sent, the lease is closed: from then on no other reader can get the
/// body, even if the server dies. After everything was written, the body is removed. If the
/// connection breaks before the close, the body is returned and can be taken again. The lease of a
/// reader that dies expires.
///
/// Every operation is atomic and idempotent, because a caller may repeat it on a network store. An
/// operation finishes within seconds or fails. [`MemoryResultStore`](super::MemoryResultStore) is the
/// store for one process, and `redis::ResultStore` (feature `redis`) is the store that replicas share.
/// The server writes error texts to its log and never sends them to callers.
pub trait ResultStore: fmt::Debug + Send + Sync {
    /// Stores a body for its lifetime, if the quota allows it. Expired bodies do not count. A text
    /// takes the place of its payer's texts that were read longest ago, if that makes room for it.
    ///
    /// # Errors
    ///
    /// Returns an error if the quota is exhausted or the store failed. The body is then not stored.
    fn keep(
        &self,
        key: ResultKey,
        body: StoredResult,
    ) -> BoxFuture<'_, Result<(), ResultStoreError>>;

    /// Returns a text, and keeps it for this long from now. Returns `None` if no text has the key.
    ///
    /// # Errors
    ///
    /// Returns an error if the store failed.
    fn read(
        &self,
        key: ResultKey,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Option<Arc<str>>, ResultStoreError>>;

    /// Leases rows, unless another lease holds them or they do not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the store failed.
    fn take(
        &self,
        key: ResultKey,
        lease: Lease,
    ) -> BoxFuture<'_, Result<TakeOutcome, ResultStoreError>>;

    /// Changes a lease, and returns whether it still held the body.
    ///
    /// # Errors
    ///
    /// Returns an error if the store failed.
    fn step(
        &self,
        key: ResultKey,
        lease: Lease,
        step: LeaseAction,
    ) -> BoxFuture<'_, Result<bool, ResultStoreError>>;
}

/// The key of a body: a hash of the token in its URL, or of its handle and its caller. The hash does
/// not grant access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultKey([u8; 32]);

impl ResultKey {
    /// Creates a key from its bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the key.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Writes hexadecimal digits.
impl fmt::Display for ResultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for ResultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResultKey")
    }
}

/// What is kept of a result.
#[derive(Debug, Clone)]
pub enum StoredBody {
    /// The rows of a selective tool, which are taken once.
    Rows(Arc<Table>),
    /// The text of a large result, which is read until it expires.
    Text(Arc<str>),
}

/// A body that waits to be fetched, and the payer that it is charged to.
#[derive(Debug, Clone)]
pub struct StoredResult {
    /// The rows or the text.
    pub body: StoredBody,
    /// The size that counts against the quotas, in bytes.
    pub bytes: usize,
    /// The time that the body waits.
    pub ttl: Duration,
    /// The payer as a hash that is equal at every replica.
    pub payer: [u8; 16],
    /// The quota that applies to this body.
    pub quota: StoreQuota,
}

/// The limits on the bodies that may wait at once, including the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreQuota {
    /// The bytes of all bodies.
    pub bytes: usize,
    /// The number of all bodies.
    pub bodies: usize,
    /// The bytes of one payer's bodies.
    pub bytes_each: usize,
    /// The number of one payer's bodies.
    pub bodies_each: usize,
}

/// The right of one reader to a body that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The random ID of the lease.
    pub id: [u8; 16],
    /// The lifetime of the lease after it was taken or renewed.
    pub ttl: Duration,
}

impl Lease {
    /// The time for which a body is unavailable after its reader died.
    #[cfg(feature = "http")]
    pub(super) const LIFE: Duration = Duration::from_secs(10);

    /// The longest time after the body's expiry for which a store renews the lease: five minutes. A
    /// slow reader that started in time can finish, but a reader that reads nothing cannot hold the
    /// body forever.
    pub const BEYOND: Duration = Duration::from_secs(5 * 60);

    /// Creates a lease with a random ID.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system provides no random bytes.
    #[cfg(feature = "http")]
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        Ok(Self {
            id,
            ttl: Self::LIFE,
        })
    }
}

/// The result of taking a body.
#[derive(Debug)]
pub enum TakeOutcome {
    /// The lease holds the body.
    Yes(Arc<Table>),
    /// Another lease holds the body.
    Busy,
    /// No rows have the key: they have expired, were read, or were never stored.
    Gone,
}

/// An action on a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseAction {
    /// Extends the lease by its lifetime from now, also beyond the body's expiry, but at most
    /// [`Lease::BEYOND`] beyond it.
    Renew,
    /// Withholds the body from all other readers, unless this lease returns it. Only the body's
    /// expiry ends this state.
    Close,
    /// Returns the body: other readers can take it until it expires.
    GiveBack,
    /// Removes the body and frees its quota.
    Forget,
}

/// An error of a result store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResultStoreError {
    /// The limits on all bodies are reached.
    #[error("the limit on stored results is reached")]
    Full,
    /// The limits on this payer's bodies are reached.
    #[error("the limit on stored results of this payer is reached")]
    OwnShare,
    /// The store cannot be reached, or reported an error.
    #[error("the result store failed: {0}")]
    Failed(String),
}
