//! Where rows wait: the trait, and what it speaks of. What a store never learns is the token that takes them.

use crate::selective::table::Table;
use futures::future::BoxFuture;
use std::{fmt, sync::Arc, time::Duration};

/// Keeps bodies, the rows that a model is not shown, until they are taken: see [`DataPlane::store`](super::DataPlane::store).
///
/// A body is taken once. Whoever takes it holds a lease, which is renewed while the rows are written. Before the last piece is handed
/// over the lease is closed: from then on nobody else has the body, even if the server dies. Once all was written it is forgotten;
/// where the connection broke before, it is given back, and can be taken again. A holder that dies leaves a lease that ends by itself.
///
/// Every operation is atomic, and to do one twice is to do it once: a store on a network may be asked again. It answers in
/// seconds or fails. [`MemoryBodies`](super::MemoryBodies) is one for one process, `redis::Bodies` (feature `redis`) one that
/// replicas share. Texts of errors go to the log, never to callers.
pub trait BodyStore: fmt::Debug + Send + Sync {
    /// Keeps a body for its life, where there is room: those that have expired make room first.
    ///
    /// # Errors
    ///
    /// There is no room, or the store failed; nothing is kept.
    fn keep(&self, key: BodyKey, body: Body) -> BoxFuture<'_, Result<(), BodyStoreError>>;

    /// Leases a body, unless it is another's or gone.
    ///
    /// # Errors
    ///
    /// The store failed.
    fn take(&self, key: BodyKey, lease: Lease) -> BoxFuture<'_, Result<Taken, BodyStoreError>>;

    /// Goes on with a lease; says whether it still held the body.
    ///
    /// # Errors
    ///
    /// The store failed.
    fn step(&self, key: BodyKey, lease: Lease, step: Step) -> BoxFuture<'_, Result<bool, BodyStoreError>>;
}

/// What a body is known by: a hash of its URL's token, which opens nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyKey([u8; 32]);

impl BodyKey {
    /// The key with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// In hexadecimal digits.
impl fmt::Display for BodyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BodyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyKey")
    }
}

/// Rows that wait, and on whose account.
#[derive(Debug, Clone)]
pub struct Body {
    /// The rows.
    pub table: Arc<Table>,
    /// How many bytes they count as.
    pub bytes: usize,
    /// How long they wait.
    pub life: Duration,
    /// Who is counted: a hash, which is the same at every replica.
    pub payer: [u8; 16],
    /// How much there may be.
    pub room: Room,
}

/// How much may wait at once, the new body included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes, of all bodies.
    pub bytes: usize,
    /// Bodies.
    pub bodies: usize,
    /// Bytes of one payer.
    pub bytes_each: usize,
    /// Bodies of one payer.
    pub bodies_each: usize,
}

/// Who holds a body that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Which it is: random.
    pub id: [u8; 16],
    /// For how long it holds from when it was taken or renewed.
    pub life: Duration,
}

impl Lease {
    /// How long a body of a holder that died cannot be taken.
    #[cfg(feature = "http")]
    pub(super) const LIFE: Duration = Duration::from_secs(10);

    /// For how long after the body's own time a store renews it at most: who reads slowly has begun in time, and who reads nothing
    /// must not hold it for ever. Five minutes.
    pub const BEYOND: Duration = Duration::from_secs(5 * 60);

    /// A new one.
    ///
    /// # Errors
    ///
    /// The system has no randomness.
    #[cfg(feature = "http")]
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        Ok(Self { id, life: Self::LIFE })
    }
}

/// What became of taking a body.
#[derive(Debug)]
pub enum Taken {
    /// The lease holds it.
    Yes(Arc<Table>),
    /// Another lease does.
    Busy,
    /// There is none: it has expired, was read, or never was.
    Gone,
}

/// What happens to a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It holds the body for its life from now on, also beyond the body's own time, but no longer than [`Lease::BEYOND`] after it.
    Renew,
    /// Nobody else has the body from now on, unless this lease gives it back. No time ends this but the body's own.
    Close,
    /// The body can be taken again while its time lasts.
    GiveBack,
    /// The body is gone, and takes no room.
    Forget,
}

/// Why a store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BodyStoreError {
    /// As much waits as may.
    #[error("there is no room for another body")]
    Full,
    /// As much of this payer waits as may.
    #[error("there is no room for another body of this payer")]
    OwnShare,
    /// It cannot be reached, or broke.
    #[error("the store of bodies failed: {0}")]
    Failed(String),
}
