//! Metrics without the feature. The type has no values, so its methods are never called.

use crate::telemetry::audit::AuditEventKind;
use std::time::Duration;

/// An empty type in place of the metrics.
#[derive(Debug, Clone)]
pub(crate) enum Metrics {}

impl Metrics {
    pub(crate) fn record_event(&self, _: &AuditEventKind<'_>, _: &'static str) {
        match *self {}
    }

    pub(crate) fn record_request(&self, _: &'static str, _: &'static str, _: Duration) {
        match *self {}
    }

    pub(crate) fn ticket_refused(&self) {
        match *self {}
    }

    pub(crate) fn call_under_way(&self, _: bool) {
        match *self {}
    }

    pub(crate) fn session_open(&self, _: bool) {
        match *self {}
    }

    pub(crate) fn body_kept(&self, _: usize) {
        match *self {}
    }

    #[cfg(feature = "http")]
    pub(crate) fn body_taken(&self, _: u64) {
        match *self {}
    }

    pub(crate) fn body_refused(&self, _: &'static str) {
        match *self {}
    }
}
