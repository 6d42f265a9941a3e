//! Whose something is that clients may share: a principal's, or one client's alone.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// What belongs to one owner is never given to another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Owner {
    Principal(Arc<str>),
    /// A client whose principal is not known.
    Client(u64),
}

impl Owner {
    /// This principal, or a client that is like no other.
    pub(super) fn new(principal: Option<Arc<str>>) -> Self {
        static CLIENTS: AtomicU64 = AtomicU64::new(0);
        principal.map_or_else(|| Self::Client(CLIENTS.fetch_add(1, Ordering::Relaxed)), Self::Principal)
    }
}
