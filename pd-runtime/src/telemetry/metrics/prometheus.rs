//! A recorder for Prometheus. Its histograms stay bounded even if nothing scrapes them.

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
};

/// The histogram buckets in seconds, as the semantic conventions for MCP require.
const BUCKETS: [f64; 14] = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
];
/// The number of histogram values that wait for their buckets at most. Each takes 8 bytes.
const PENDING_MAX: usize = 8_192;

/// Renders the recorder's values.
pub(super) struct PrometheusRenderer {
    handle: PrometheusHandle,
    recorded: AtomicUsize,
}

impl fmt::Debug for PrometheusRenderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrometheusRenderer")
    }
}

impl PrometheusRenderer {
    pub(super) fn new() -> (PrometheusRecorder, Self) {
        // `set_buckets` fails only for an empty list.
        let builder = PrometheusBuilder::new()
            .set_buckets(&BUCKETS)
            .unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        (
            recorder,
            Self {
                handle,
                recorded: AtomicUsize::new(0),
            },
        )
    }

    pub(super) fn render(&self) -> String {
        self.handle.render()
    }

    /// Counts a histogram value, and moves all values into their buckets from time to time. The
    /// recorder otherwise keeps every single value until the next scrape, which may never come.
    pub(super) fn count_value(&self) {
        // `fetch_add` returns each count once, so one thread per round does the work.
        if self.recorded.fetch_add(1, Ordering::Relaxed) % PENDING_MAX == PENDING_MAX - 1 {
            self.handle.run_upkeep();
        }
    }
}
