//! The owner of cached descriptions and withheld rows that clients may share.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The owner of shared entries: a principal, or one client alone. Entries of one owner are never
/// returned to another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum CacheScope {
    Principal(Arc<str>),
    /// A client without a principal.
    Client(u64),
}

impl CacheScope {
    /// Returns the owner for a principal. Without one, returns a new owner that equals no other.
    pub(super) fn new(principal: Option<Arc<str>>) -> Self {
        static CLIENTS: AtomicU64 = AtomicU64::new(0);
        principal.map_or_else(
            || Self::Client(CLIENTS.fetch_add(1, Ordering::Relaxed)),
            Self::Principal,
        )
    }
}
