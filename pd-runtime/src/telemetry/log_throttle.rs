//! A bound on how often one message is logged, where callers could make it come with every request.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::{SystemTime, UNIX_EPOCH},
};

/// Lets one message a second pass.
#[derive(Debug, Default)]
pub(crate) struct LogThrottle(AtomicU64);

impl LogThrottle {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Whether the message is to be logged now. If so, it counts as logged.
    pub(crate) fn is_due(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        self.0.swap(now, Relaxed) != now
    }
}
