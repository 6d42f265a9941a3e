//! Tracks the health of the store, so that an outage is logged once, not for each request.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether an outage was logged and still lasts.
#[derive(Debug, Default)]
pub(super) struct StoreOutage(AtomicBool);

impl StoreOutage {
    /// Records a failure. Returns whether it is the first of an outage.
    pub(super) fn record_failure(&self) -> bool {
        !self.0.swap(true, Relaxed)
    }

    /// Records an answer of the store.
    pub(super) fn record_success(&self) {
        // Load first: in the normal case, threads then share the cache line instead of writing to
        // it.
        if self.0.load(Relaxed) {
            self.0.store(false, Relaxed);
        }
    }
}
