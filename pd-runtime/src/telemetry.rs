//! Audit events and metrics.

pub mod audit;
pub(crate) mod log_throttle;
pub(crate) mod metrics;
