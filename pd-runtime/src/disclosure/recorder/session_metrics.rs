//! The recording of a session's lifetime.

use super::EventRecorder;
use crate::telemetry::metrics::Metrics;
use std::sync::{
    LazyLock,
    atomic::{AtomicU64, Ordering},
};

/// The recording of one session, while the session lasts.
#[derive(Debug)]
pub(crate) struct SessionMetrics {
    /// A number that identifies the session in events, also across servers and restarts. It fits a
    /// JSON number.
    pub(crate) number: u64,
    metrics: Option<Metrics>,
}

impl SessionMetrics {
    pub(crate) fn new(observer: &EventRecorder) -> Self {
        let metrics = observer.listeners.metrics.clone();
        if let Some(metrics) = &metrics {
            metrics.session_open(true);
        }
        Self {
            number: next_number(),
            metrics,
        }
    }
}

impl Drop for SessionMetrics {
    fn drop(&mut self) {
        if let Some(metrics) = &self.metrics {
            metrics.session_open(false);
        }
    }
}

/// Returns a number that is unique also across servers and restarts, as far as chance allows.
pub(crate) fn next_number() -> u64 {
    // The start is a random number of 52 bits, so that counting up from it stays below 2^53, the
    // largest exact JSON number.
    static NEXT: LazyLock<AtomicU64> =
        LazyLock::new(|| AtomicU64::new(getrandom::u64().unwrap_or_default() >> 12));
    NEXT.fetch_add(1, Ordering::Relaxed)
}
