//! A recorder for Prometheus, whose histograms do not grow while nobody asks for them.

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Seconds, as the semantic conventions for MCP ask.
const BUCKETS: [f64; 14] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];
/// How many times wait at most to be put into buckets: 8 bytes each.
const PENDING_MAX: usize = 8_192;

/// What renders the recorder's numbers.
pub(super) struct Prometheus {
    handle: PrometheusHandle,
    recorded: AtomicUsize,
}

impl fmt::Debug for Prometheus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prometheus")
    }
}

impl Prometheus {
    pub(super) fn new() -> (PrometheusRecorder, Self) {
        // Only no buckets at all would be refused.
        let builder = PrometheusBuilder::new().set_buckets(&BUCKETS).unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        (recorder, Self { handle, recorded: AtomicUsize::new(0) })
    }

    pub(super) fn render(&self) -> String {
        self.handle.render()
    }

    /// The recorder keeps every time that was recorded until it is asked to put them into buckets, which is otherwise done when
    /// somebody reads them: perhaps never.
    pub(super) fn recorded(&self) {
        if self.recorded.fetch_add(1, Ordering::Relaxed) % PENDING_MAX == PENDING_MAX - 1 {
            self.handle.run_upkeep();
        }
    }
}
