//! Metrics by the crate `metrics` (feature `metrics`). Without the feature, the type has no values
//! and no server collects metrics.

#[cfg(feature = "metrics")]
mod enabled;
#[cfg(feature = "metrics")]
mod names;
#[cfg(not(feature = "metrics"))]
mod noop;
#[cfg(feature = "metrics")]
mod prometheus;

#[cfg(feature = "metrics")]
pub use enabled::Metrics;
#[cfg(not(feature = "metrics"))]
pub(crate) use noop::Metrics;

/// The kind of a metric family. Prometheus' naming rules depend on it.
#[cfg(feature = "metrics")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MetricKind {
    Counter,
    Gauge,
    /// A histogram of durations in seconds.
    Histogram,
}

#[cfg(feature = "metrics")]
mod name {
    pub(super) const REQUESTS: &str = "mcp_server_operation_duration_seconds";
    pub(super) const CALLS: &str = "pd_calls_total";
    pub(super) const CALL_TIME: &str = "pd_call_duration_seconds";
    pub(super) const CALLS_ACTIVE: &str = "pd_calls_active";
    pub(super) const DESCRIBED: &str = "pd_described_total";
    pub(super) const TOKENS: &str = "pd_disclosed_tokens_total";
    pub(super) const FINDS: &str = "pd_finds_total";
    pub(super) const UNKNOWN: &str = "pd_unknown_names_total";
    pub(super) const REFUSED: &str = "pd_refused_total";
    pub(super) const UNDISCLOSED: &str = "pd_undisclosed_calls_total";
    pub(super) const BAD_TICKETS: &str = "pd_tickets_refused_total";
    pub(super) const LIMITED: &str = "pd_limited_total";
    pub(super) const SESSIONS: &str = "pd_sessions_open";
    pub(super) const BODIES: &str = "pd_bodies_total";
    pub(super) const BODY_BYTES: &str = "pd_body_bytes_total";
    pub(super) const BODIES_REFUSED: &str = "pd_bodies_refused_total";
}

/// All metric families, with their help texts for Prometheus.
#[cfg(feature = "metrics")]
const FAMILIES: [(&str, MetricKind, &str); 16] = [
    (
        name::REQUESTS,
        MetricKind::Histogram,
        "Duration of MCP requests, by method and error",
    ),
    (
        name::CALLS,
        MetricKind::Counter,
        "Calls that were admitted and have ended, by tool and outcome",
    ),
    (
        name::CALL_TIME,
        MetricKind::Histogram,
        "Duration of admitted calls, by tool",
    ),
    (
        name::CALLS_ACTIVE,
        MetricKind::Gauge,
        "Admitted calls in flight",
    ),
    (
        name::DESCRIBED,
        MetricKind::Counter,
        "Disclosures of tools, by wire",
    ),
    (
        name::TOKENS,
        MetricKind::Counter,
        "Estimated tokens of disclosed descriptions, by wire",
    ),
    (
        name::FINDS,
        MetricKind::Counter,
        "Searches, by whether they found a tool",
    ),
    (
        name::UNKNOWN,
        MetricKind::Counter,
        "Requests for unknown tool names, by wire",
    ),
    (
        name::REFUSED,
        MetricKind::Counter,
        "Refused calls, by reason",
    ),
    (
        name::UNDISCLOSED,
        MetricKind::Counter,
        "Admitted calls whose description was not read in the session, by reason",
    ),
    (name::BAD_TICKETS, MetricKind::Counter, "Invalid tickets"),
    (
        name::LIMITED,
        MetricKind::Counter,
        "Requests that exceeded a limit, by limit",
    ),
    (name::SESSIONS, MetricKind::Gauge, "Open sessions"),
    (
        name::BODIES,
        MetricKind::Counter,
        "Bodies of rows on the data plane, by whether they were kept or taken",
    ),
    (
        name::BODY_BYTES,
        MetricKind::Counter,
        "Bytes of bodies on the data plane, by whether they were kept or taken",
    ),
    (
        name::BODIES_REFUSED,
        MetricKind::Counter,
        "Bodies that were not kept or not sent, by reason",
    ),
];

#[cfg(all(test, feature = "metrics"))]
mod tests {
    use super::{FAMILIES, MetricKind};

    #[test]
    fn names_end_as_their_kind_asks() {
        for (name, kind, _) in FAMILIES {
            assert_eq!(
                name.ends_with("_total"),
                kind == MetricKind::Counter,
                "{name}"
            );
            assert_eq!(
                name.ends_with("_seconds"),
                kind == MetricKind::Histogram,
                "{name}"
            );
        }
    }

    #[test]
    fn the_documentation_lists_exactly_those_that_there_are() {
        let page = include_str!("../../docs/telemetry.md");
        let told: Vec<_> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
            .collect();
        let told: Vec<_> = told
            .into_iter()
            .filter(|name| name.starts_with("pd_") || name.starts_with("mcp_"))
            .collect();
        assert_eq!(told, FAMILIES.map(|(name, ..)| name));
    }
}
