//! Whether the store answers. An outage is told once, however many ask while it lasts.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// An outage, as those notice it who ask.
#[derive(Debug, Default)]
pub(super) struct Outage(AtomicBool);

impl Outage {
    /// The store failed; says whether it had not before.
    pub(super) fn begins(&self) -> bool {
        !self.0.swap(true, Relaxed)
    }

    /// The store answered.
    pub(super) fn is_over(&self) {
        // Read first: where all is well, threads share it.
        if self.0.load(Relaxed) {
            self.0.store(false, Relaxed);
        }
    }
}
