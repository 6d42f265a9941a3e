//! Telemetry: audit events, metrics, and the throttle for log messages.

pub mod audit;
pub(crate) mod log_throttle;
pub(crate) mod metrics;
