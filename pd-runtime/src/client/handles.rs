//! Withheld rows that wait for the tool that the model passes them to. Each set of rows has a
//! handle that only its owner can use, and only once.

use super::{cache_scope::CacheScope, rows::RowsById};
use parking_lot::{Mutex, MutexGuard};
use std::{
    collections::HashMap,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

/// The URI scheme of a handle (MCP-SD).
const SCHEME: &str = "ddi://";
/// The number of decimal digits in a handle: `u128::MAX` has 39. Most models read three digits as
/// one token.
const DIGITS: usize = 39;

/// Rows that selective tools returned beyond the columns that the model named, for one client or
/// shared by several.
///
/// The model sees a handle in place of the rows: `ddi://` and 128 random bits. A handle belongs to
/// the principal of the client that received the rows
/// ([`ClientBuilder::principal`](super::ClientBuilder::principal)). Without a principal, it belongs
/// to that client and its conversations. For all others the handle is unknown. The call that passes
/// the rows to a tool uses the handle up.
///
/// By default a store keeps up to 256 sets of rows and 64 MiB, each set for 600 seconds. If clients
/// share a store, each owner has at most half of that. The oldest sets are evicted first, and an
/// owner's own sets before the sets of others.
///
/// ```
/// use pd_runtime::client::RowHandles;
/// use std::time::Duration;
///
/// let handles = RowHandles::bounded(1_000, 256 << 20, Duration::from_secs(60));
/// assert!(handles.is_empty());
/// ```
#[derive(Clone)]
pub struct RowHandles(Arc<Mutex<HandleTable>>);

struct HandleTable {
    sets: HashMap<u128, RowSet>,
    bytes: usize,
    count_max: usize,
    bytes_max: usize,
    /// One owner has at most one `share_divisor`th of the capacity: 1 without sharing, 2 with
    /// sharing.
    share_divisor: usize,
    ttl: Duration,
}

struct RowSet {
    owner: CacheScope,
    rows: Arc<RowsById>,
    since: Instant,
    /// Whether a call is using the rows.
    borrowed: bool,
}

/// The reason why a handle has no rows for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HandleError {
    /// The handle was used, has expired, belongs to another owner, or never existed.
    Unknown,
    /// Another call is using the rows.
    InUse,
}

/// Rows in use by one call. Dropping the value releases the handle for another call, unless the
/// call used it up.
pub(super) struct BorrowedRows {
    handles: RowHandles,
    handle: u128,
    rows: Arc<RowsById>,
}

impl RowHandles {
    /// Creates a store with the default bounds.
    pub fn new() -> Self {
        Self::bounded(256, 64 << 20, Duration::from_secs(600))
    }

    /// Creates a store of at most `count` sets of rows and `bytes` bytes, each kept for `ttl`.
    pub fn bounded(count: usize, bytes: usize, ttl: Duration) -> Self {
        let sets = HashMap::new();
        let share_divisor = 1;
        Self(Arc::new(Mutex::new(HandleTable {
            sets,
            bytes: 0,
            count_max: count,
            bytes_max: bytes,
            share_divisor,
            ttl,
        })))
    }

    /// Returns the same store for another client. From now on the store limits each owner to its
    /// share.
    pub(super) fn share(&self) -> Self {
        self.lock().share_divisor = 2;
        self.clone()
    }

    /// Returns the number of stored sets of rows.
    pub fn len(&self) -> usize {
        self.lock().sets.len()
    }

    /// Returns whether the store is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Stores rows and returns their handle, or `None` if they do not fit.
    pub(super) fn insert(&self, owner: &CacheScope, rows: Arc<RowsById>) -> Option<String> {
        let mut random = [0; 16];
        // A handle must not be guessable, or one conversation could use the rows of another one of
        // the same owner. Without randomness the rows are not stored.
        getrandom::fill(&mut random).ok()?;
        let handle = u128::from_ne_bytes(random);
        let set = RowSet {
            owner: owner.clone(),
            rows,
            since: Instant::now(),
            borrowed: false,
        };
        self.lock()
            .insert(handle, set)
            .then(|| format!("{SCHEME}{handle:0DIGITS$}"))
    }

    /// Returns the rows of a handle for one call.
    pub(super) fn borrow(
        &self,
        owner: &CacheScope,
        handle: &str,
    ) -> Result<BorrowedRows, HandleError> {
        let handle = parse(handle).ok_or(HandleError::Unknown)?;
        let mut table = self.lock();
        // Another owner's handle and an unknown one are the same error, so that a handle cannot be
        // probed.
        let set = table
            .sets
            .get_mut(&handle)
            .filter(|set| set.owner == *owner)
            .ok_or(HandleError::Unknown)?;
        // Rows are passed on once. Two calls at the same time would both count as the one use.
        if std::mem::replace(&mut set.borrowed, true) {
            return Err(HandleError::InUse);
        }
        Ok(BorrowedRows {
            handles: self.clone(),
            handle,
            rows: set.rows.clone(),
        })
    }

    /// Locks the table after removing expired sets.
    fn lock(&self) -> MutexGuard<'_, HandleTable> {
        let mut table = self.0.lock();
        table.expire();
        table
    }
}

/// Returns whether a text is meant as a handle.
pub(super) fn is_handle(text: &str) -> bool {
    text.trim_start().starts_with(SCHEME)
}

fn parse(handle: &str) -> Option<u128> {
    let digits = handle.trim().strip_prefix(SCHEME)?;
    // `str::parse` also accepts a `+` and fewer digits. Handles are zero-padded, so only one
    // spelling is valid.
    let is_written = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_written.then(|| digits.parse().ok())?
}

impl HandleTable {
    fn expire(&mut self) {
        let ttl = self.ttl;
        // A call that is under way may last longer than the rows. It keeps them until it ends.
        self.remove_where(|set| !set.borrowed && set.since.elapsed() >= ttl);
    }

    /// Inserts a set, and evicts others until it fits. Returns whether it was inserted.
    fn insert(&mut self, handle: u128, set: RowSet) -> bool {
        let size = set.rows.bytes();
        if size > self.bytes_max / self.share_divisor || self.count_max == 0 {
            return false;
        }
        loop {
            let exceeds_share = self.exceeds_share(&set.owner, size);
            if !exceeds_share && !self.is_full(size) {
                break;
            }
            // An owner above its share makes room among its own sets. Otherwise the whole table is
            // full, and its own sets go first.
            let Some(oldest) = self.oldest_evictable(&set.owner, exceeds_share) else {
                return false;
            };
            self.remove(oldest);
        }
        self.bytes += size;
        self.sets.insert(handle, set);
        true
    }

    fn is_full(&self, size: usize) -> bool {
        self.sets.len() >= self.count_max || self.bytes + size > self.bytes_max
    }

    /// Returns whether a new set of this size would exceed the owner's share.
    fn exceeds_share(&self, owner: &CacheScope, size: usize) -> bool {
        let own = self.sets.values().filter(|set| set.owner == *owner);
        let (count, bytes) = own.fold((0, size), |(count, bytes), set| {
            (count + 1, bytes + set.rows.bytes())
        });
        count >= self.count_max.div_ceil(self.share_divisor)
            || bytes > self.bytes_max / self.share_divisor
    }

    /// Returns the oldest set that may be evicted for this owner. A set that a call is using is
    /// never evicted.
    fn oldest_evictable(&self, owner: &CacheScope, own_only: bool) -> Option<u128> {
        let waiting = self
            .sets
            .iter()
            .filter(|(_, set)| !set.borrowed && (!own_only || set.owner == *owner));
        // `false` sorts before `true`: the owner's own sets come first, then the oldest.
        waiting
            .min_by_key(|(_, set)| (set.owner != *owner, set.since))
            .map(|(handle, _)| *handle)
    }

    fn remove_where(&mut self, is_removed: impl Fn(&RowSet) -> bool) {
        let bytes = &mut self.bytes;
        self.sets.retain(|_, set| {
            let is_removed = is_removed(set);
            *bytes -= if is_removed { set.rows.bytes() } else { 0 };
            !is_removed
        });
    }

    fn remove(&mut self, handle: u128) {
        if let Some(set) = self.sets.remove(&handle) {
            self.bytes -= set.rows.bytes();
        }
    }
}

impl BorrowedRows {
    pub(super) fn rows(&self) -> &RowsById {
        &self.rows
    }

    /// Uses the handle up after the tool has answered.
    pub(super) fn consume(self) {
        self.handles.lock().remove(self.handle);
    }
}

impl Drop for BorrowedRows {
    fn drop(&mut self) {
        if let Some(set) = self.handles.lock().sets.get_mut(&self.handle) {
            set.borrowed = false;
        }
    }
}

impl Default for RowHandles {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RowHandles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowHandles")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
