//! What the upstreams of a gateway share.

#[cfg(unix)]
use super::orphan_guard::OrphanGuard;
use super::{
    cached_lists::ListCache, client_events::EventSender, lock::UpstreamLock, subscriptions::SessionSubscriptions,
};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

/// The parts that all upstreams of a gateway use.
#[derive(Debug, Default)]
pub(super) struct SharedParts {
    /// Where their lists are kept.
    pub(super) cache: Option<ListCache>,
    /// Increases whenever the lists of an upstream have changed.
    pub(super) changed: watch::Sender<u64>,
    /// What clients are notified of, beside changes of tools.
    pub(super) events: EventSender,
    pub(super) subscriptions: SessionSubscriptions,
    /// The approved tools.
    lock: OnceLock<UpstreamLock>,
    #[cfg(unix)]
    pub(super) guard: Arc<OrphanGuard>,
}

impl SharedParts {
    pub(super) fn new(cache: Option<ListCache>, changed: watch::Sender<u64>) -> Arc<Self> {
        Arc::new(Self { cache, changed, ..Self::default() })
    }

    /// Sets the lock. Returns `false` if there is one already.
    pub(super) fn set_lock(&self, lock: UpstreamLock) -> bool {
        self.lock.set(lock).is_ok()
    }

    pub(super) fn lock(&self) -> Option<&UpstreamLock> {
        self.lock.get()
    }
}
