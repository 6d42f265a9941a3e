//! Rows that wait for the tool they are handed to, each set behind a handle that only its owner can use, and once.

use super::{cache_scope::Owner, rows::Rows};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// What a handle begins with (MCP-SD).
const SCHEME: &str = "ddi://";
/// Digits of a handle: 128 bits. Three of them are one token to most models.
const DIGITS: usize = 39;

/// Rows that selective tools answered beside what the model asked for, for one client or shared by many.
///
/// A model sees a handle in their place, `ddi://` and 128 random bits. A handle belongs to the principal of the client that
/// received the rows ([`ClientBuilder::principal`](super::ClientBuilder::principal)), or to that client and its conversations
/// where it names none; to all others it is unknown. It is used up by the call that hands its rows to a tool.
///
/// By default rows are kept for 600 seconds, 256 sets and 64 MiB of them; where clients share them, each owner has half of that
/// at most. What was kept longest makes room, an owner's own first.
///
/// ```
/// use pd_runtime::client::Handles;
/// use std::time::Duration;
///
/// let handles = Handles::bounded(1_000, 256 << 20, Duration::from_secs(60));
/// assert!(handles.is_empty());
/// ```
#[derive(Clone)]
pub struct Handles(Arc<Mutex<Kept>>);

struct Kept {
    sets: HashMap<u128, Set>,
    bytes: usize,
    count_max: usize,
    bytes_max: usize,
    /// One owner has at most one part of so many.
    share_divisor: usize,
    ttl: Duration,
}

struct Set {
    owner: Owner,
    rows: Arc<Rows>,
    since: Instant,
    /// Whether a call is under way that has them.
    borrowed: bool,
}

/// Why a handle gives no rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// It was used, has expired, belongs to another, or never was.
    Unknown,
    /// Another call has the rows just now.
    InUse,
}

/// Rows in the hands of one call. They are given back when it is dropped, unless the call used them up.
pub(super) struct Lent {
    handles: Handles,
    handle: u128,
    rows: Arc<Rows>,
}

impl Handles {
    /// With the default bounds.
    pub fn new() -> Self {
        Self::bounded(256, 64 << 20, Duration::from_secs(600))
    }

    /// Of at most so many sets of rows, and so many bytes, each kept for so long.
    pub fn bounded(count: usize, bytes: usize, ttl: Duration) -> Self {
        let (sets, share_divisor) = (HashMap::new(), 1);
        Self(Arc::new(Mutex::new(Kept { sets, bytes: 0, count_max: count, bytes_max: bytes, share_divisor, ttl })))
    }

    /// The same for another client, with room for more than one owner from now on.
    pub(super) fn shared(&self) -> Self {
        self.lock().share_divisor = 2;
        self.clone()
    }

    /// How many sets of rows are in it.
    pub fn len(&self) -> usize {
        self.lock().sets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps rows, and gives their handle; `None` where there is no room for them.
    pub(super) fn insert(&self, owner: &Owner, rows: Arc<Rows>) -> Option<String> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).ok()?;
        let handle = u128::from_ne_bytes(random);
        let set = Set { owner: owner.clone(), rows, since: Instant::now(), borrowed: false };
        self.lock().insert(handle, set).then(|| format!("{SCHEME}{handle:0DIGITS$}"))
    }

    /// The rows behind a handle, for one call.
    pub(super) fn borrow(&self, owner: &Owner, handle: &str) -> Result<Lent, Refused> {
        let handle = parse(handle).ok_or(Refused::Unknown)?;
        let mut table = self.lock();
        let set = table.sets.get_mut(&handle).filter(|set| set.owner == *owner).ok_or(Refused::Unknown)?;
        if std::mem::replace(&mut set.borrowed, true) {
            return Err(Refused::InUse);
        }
        Ok(Lent { handles: self.clone(), handle, rows: set.rows.clone() })
    }

    /// What is kept, without what has expired.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        // No step of it leaves it half done.
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.expire();
        table
    }
}

/// Whether a text is meant as a handle.
pub(super) fn is_handle(text: &str) -> bool {
    text.trim_start().starts_with(SCHEME)
}

fn parse(handle: &str) -> Option<u128> {
    let digits = handle.trim().strip_prefix(SCHEME)?;
    let is_written = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_written.then(|| digits.parse().ok())?
}

impl Kept {
    fn expire(&mut self) {
        let ttl = self.ttl;
        self.remove_where(|set| !set.borrowed && set.since.elapsed() >= ttl);
    }

    /// Whether there was room for it, or could be made.
    fn insert(&mut self, handle: u128, set: Set) -> bool {
        let size = set.rows.bytes();
        if size > self.bytes_max / self.share_divisor || self.count_max == 0 {
            return false;
        }
        loop {
            let exceeds_share = self.exceeds_share(&set.owner, size);
            if !exceeds_share && !self.is_full(size) {
                break;
            }
            let Some(oldest) = self.oldest(&set.owner, exceeds_share) else { return false };
            self.remove(oldest);
        }
        self.bytes += size;
        self.sets.insert(handle, set);
        true
    }

    fn is_full(&self, size: usize) -> bool {
        self.sets.len() >= self.count_max || self.bytes + size > self.bytes_max
    }

    /// Whether an owner has so much that a set of this size would be more than its share.
    fn exceeds_share(&self, owner: &Owner, size: usize) -> bool {
        let own = self.sets.values().filter(|set| set.owner == *owner);
        let (count, bytes) = own.fold((0, size), |(count, bytes), set| (count + 1, bytes + set.rows.bytes()));
        count >= self.count_max.div_ceil(self.share_divisor) || bytes > self.bytes_max / self.share_divisor
    }

    /// What makes room for this owner's rows, or for more of its share: nothing that a call has in its hands.
    fn oldest(&self, owner: &Owner, own_only: bool) -> Option<u128> {
        let is_evictable = |set: &Set| !set.borrowed && (!own_only || set.owner == *owner);
        let waiting = self.sets.iter().filter(|(_, set)| is_evictable(set));
        waiting.min_by_key(|(_, set)| (set.owner != *owner, set.since)).map(|(handle, _)| *handle)
    }

    fn remove_where(&mut self, is_removed: impl Fn(&Set) -> bool) {
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

impl Lent {
    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The call had its answer: the handle is used up.
    pub(super) fn consume(self) {
        self.handles.lock().remove(self.handle);
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(set) = self.handles.lock().sets.get_mut(&self.handle) {
            set.borrowed = false;
        }
    }
}

impl Default for Handles {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Handles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handles").field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
