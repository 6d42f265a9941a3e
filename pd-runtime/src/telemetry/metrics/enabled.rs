//! The metrics of each event. Labels contain only names of existing tools and fixed words, never
//! text from a caller. The number of series therefore depends on the server's tools and surfaces
//! alone. `names` limits the number of tools.

use super::{FAMILIES, MetricKind, name, names::ToolLabels, prometheus::PrometheusRenderer};
use crate::telemetry::audit::{AuditEventKind, MissKind};
use metrics::{
    Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder, SharedString, Unit,
};
use std::{fmt, sync::Arc, time::Duration};

// `Recorder` requires metadata with each registration. Exporters do not show it.
static METADATA: Metadata<'static> = Metadata::new("pd_runtime", Level::INFO, None);

/// The metrics of one or more servers, and where they are recorded. Clones share them. (Feature
/// `metrics`.)
///
/// ```
/// use pd_runtime::{Metrics, prelude::*};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let metrics = Metrics::prometheus();
/// let server = PdServer::builder(pd_runtime::registry! {}, ()).metrics(metrics.clone()).build()?;
/// // …
/// let text = metrics.render();
/// # let _ = (server, text);
/// # Ok(())
/// # }
/// ```
///
/// The page on [telemetry](crate::_docs::telemetry) lists all metrics.
#[derive(Clone)]
pub struct Metrics {
    inner: Arc<MetricsInner>,
}

struct MetricsInner {
    recorder: Box<dyn Recorder + Send + Sync>,
    prometheus: Option<PrometheusRenderer>,
    tools: ToolLabels,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics")
            .field("prometheus", &self.inner.prometheus.is_some())
            .finish()
    }
}

impl Metrics {
    /// Records in memory, for Prometheus. [`Metrics::render`] returns the values, and
    /// `serve::Scrape` serves them over HTTP.
    pub fn prometheus() -> Self {
        let (recorder, prometheus) = PrometheusRenderer::new();
        Self::with_recorder(recorder, Some(prometheus))
    }

    /// Records with a recorder of the crate `metrics`, for other exporters.
    pub fn recorder(recorder: impl Recorder + Send + Sync + 'static) -> Self {
        Self::with_recorder(recorder, None)
    }

    /// Records with the process's recorder, as the macros of the crate `metrics` do. The recorder
    /// is the one that `metrics::set_global_recorder` has installed at the time of an event.
    pub fn global() -> Self {
        Self::with_recorder(GlobalRecorder, None)
    }

    fn with_recorder(
        recorder: impl Recorder + Send + Sync + 'static,
        prometheus: Option<PrometheusRenderer>,
    ) -> Self {
        for (name, kind, text) in FAMILIES {
            let name = name.into();
            let text = SharedString::const_str(text);
            match kind {
                MetricKind::Counter => recorder.describe_counter(name, None, text),
                MetricKind::Gauge => recorder.describe_gauge(name, None, text),
                MetricKind::Histogram => {
                    recorder.describe_histogram(name, Some(Unit::Seconds), text)
                }
            }
        }
        Self {
            inner: Arc::new(MetricsInner {
                recorder: Box::new(recorder),
                prometheus,
                tools: ToolLabels::default(),
            }),
        }
    }

    /// Renders all metrics in Prometheus' text format (version 0.0.4). The text is empty unless
    /// [`Metrics::prometheus`] created the metrics.
    pub fn render(&self) -> String {
        self.inner
            .prometheus
            .as_ref()
            .map(PrometheusRenderer::render)
            .unwrap_or_default()
    }

    /// Records an event that arrived over a surface.
    pub(crate) fn record_event(&self, what: &AuditEventKind<'_>, wire: &'static str) {
        match what {
            AuditEventKind::Found { .. } => self
                .counter(name::FINDS, [label("outcome", "hit")])
                .increment(1),
            AuditEventKind::Missed {
                by: MissKind::Query,
                ..
            } => {
                self.counter(name::FINDS, [label("outcome", "miss")])
                    .increment(1);
            }
            AuditEventKind::Missed {
                by: MissKind::Name, ..
            } => self
                .counter(name::UNKNOWN, [label("wire", wire)])
                .increment(1),
            AuditEventKind::Described { tool } => {
                self.counter(name::DESCRIBED, [label("wire", wire)])
                    .increment(1);
                self.counter(name::TOKENS, [label("wire", wire)])
                    .increment(tool.tokens.into());
            }
            AuditEventKind::Refused { reason, .. } => self
                .counter(name::REFUSED, [label("reason", reason)])
                .increment(1),
            AuditEventKind::Limited { limit } => self
                .counter(name::LIMITED, [label("limit", limit)])
                .increment(1),
            AuditEventKind::Called {
                tool,
                outcome,
                duration,
                undisclosed,
                ..
            } => {
                let tool = self.inner.tools.label(tool.name);
                let tool_label = Label::new("tool", tool.to_owned());
                self.counter(
                    name::CALLS,
                    [tool_label.clone(), label("outcome", outcome.as_str())],
                )
                .increment(1);
                self.time(name::CALL_TIME, [tool_label], *duration);
                if let Some(reason) = undisclosed {
                    self.counter(name::UNDISCLOSED, [label("reason", reason)])
                        .increment(1);
                }
            }
            // The request histogram already counts lists by their method.
            AuditEventKind::Listed { .. } | AuditEventKind::Ran { .. } => {}
        }
    }

    /// Records the duration of a request. `error` is empty if the request succeeded.
    pub(crate) fn record_request(&self, method: &'static str, error: &'static str, took: Duration) {
        let method = label("mcp_method_name", method);
        match error {
            "" => self.time(name::REQUESTS, [method], took),
            // The semantic conventions want `error.type` on failed operations only.
            error => self.time(name::REQUESTS, [method, label("error_type", error)], took),
        }
    }

    pub(crate) fn ticket_refused(&self) {
        self.counter(name::BAD_TICKETS, []).increment(1);
    }

    pub(crate) fn call_under_way(&self, begins: bool) {
        adjust(&self.gauge(name::CALLS_ACTIVE), begins);
    }

    pub(crate) fn session_open(&self, opens: bool) {
        adjust(&self.gauge(name::SESSIONS), opens);
    }

    pub(crate) fn body_kept(&self, bytes: usize) {
        self.counter(name::BODIES, [label("way", "kept")])
            .increment(1);
        self.counter(name::BODY_BYTES, [label("way", "kept")])
            .increment(bytes as u64);
    }

    #[cfg(feature = "http")]
    pub(crate) fn body_taken(&self, bytes: u64) {
        self.counter(name::BODIES, [label("way", "taken")])
            .increment(1);
        self.counter(name::BODY_BYTES, [label("way", "taken")])
            .increment(bytes);
    }

    pub(crate) fn body_refused(&self, reason: &'static str) {
        self.counter(name::BODIES_REFUSED, [label("reason", reason)])
            .increment(1);
    }

    fn counter<const N: usize>(&self, name: &'static str, labels: [Label; N]) -> Counter {
        self.inner
            .recorder
            // Registered for each event, because the process's recorder may be installed later.
            // Recorders return the same counter for equal keys.
            .register_counter(&key(name, labels), &METADATA)
    }

    fn gauge(&self, name: &'static str) -> Gauge {
        self.inner
            .recorder
            .register_gauge(&key(name, []), &METADATA)
    }

    fn time<const N: usize>(&self, name: &'static str, labels: [Label; N], took: Duration) {
        let histogram: Histogram = self
            .inner
            .recorder
            .register_histogram(&key(name, labels), &METADATA);
        // The Prometheus recorder buffers histogram values without a limit.
        histogram.record(took);
        if let Some(prometheus) = &self.inner.prometheus {
            prometheus.count_value();
        }
    }
}

fn key<const N: usize>(name: &'static str, labels: [Label; N]) -> Key {
    Key::from_parts(name, Vec::from(labels))
}

fn label(name: &'static str, value: &'static str) -> Label {
    Label::from_static_parts(name, value)
}

fn adjust(gauge: &Gauge, up: bool) {
    if up {
        gauge.increment(1)
    } else {
        gauge.decrement(1)
    }
}

/// Forwards to the process's recorder, which may be installed after the server was built.
struct GlobalRecorder;

impl Recorder for GlobalRecorder {
    fn describe_counter(&self, name: metrics::KeyName, unit: Option<Unit>, text: SharedString) {
        metrics::with_recorder(|recorder| recorder.describe_counter(name, unit, text));
    }

    fn describe_gauge(&self, name: metrics::KeyName, unit: Option<Unit>, text: SharedString) {
        metrics::with_recorder(|recorder| recorder.describe_gauge(name, unit, text));
    }

    fn describe_histogram(&self, name: metrics::KeyName, unit: Option<Unit>, text: SharedString) {
        metrics::with_recorder(|recorder| recorder.describe_histogram(name, unit, text));
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        metrics::with_recorder(|recorder| recorder.register_counter(key, metadata))
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        metrics::with_recorder(|recorder| recorder.register_gauge(key, metadata))
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        metrics::with_recorder(|recorder| recorder.register_histogram(key, metadata))
    }
}
