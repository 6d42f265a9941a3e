//! A limit on how often a message is logged, for messages that a caller can trigger with every
//! request.

use crate::text::unix_time;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Passes one message per second.
#[derive(Debug, Default)]
pub(crate) struct LogThrottle(AtomicU64);

impl LogThrottle {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Returns whether the message is due. If so, it counts as logged.
    pub(crate) fn is_due(&self) -> bool {
        let now = unix_time::seconds();
        // `swap` is atomic, so of several threads within one second exactly one finds an older
        // second.
        self.0.swap(now, Relaxed) != now
    }
}
