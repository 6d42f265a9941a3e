//! The outcome of the latest starts of an upstream, and the pause before the next one.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

/// The pause before the next start after one that failed. It doubles with each failure.
pub(super) const BACKOFF_MIN: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_secs(60);
/// The failures in a row after which an upstream counts as failing.
const FAILING: u32 = 5;

/// The outcome of the latest starts.
#[derive(Debug, Clone, Default)]
pub(super) struct Health {
    pub(super) failures: u32,
    pub(super) last_error: Option<Arc<str>>,
    retry: Option<Instant>,
    /// How long the latest start took.
    pub(super) started_in: Option<Duration>,
    /// Since when a person must log in.
    pub(super) needs_login: Option<SystemTime>,
}

impl Health {
    pub(super) const fn is_failing(&self) -> bool {
        self.failures >= FAILING
    }

    /// Returns the reason of the latest failure and the seconds until the next start, if a start has to
    /// wait.
    pub(super) fn waiting(&self) -> Option<(Arc<str>, u64)> {
        let wait = self.pause();
        self.last_error.clone().filter(|_| !wait.is_zero()).map(|reason| (reason, wait.as_secs() + 1))
    }

    /// Returns the time until the next start.
    pub(super) fn pause(&self) -> Duration {
        self.retry.map(|retry| retry.saturating_duration_since(Instant::now())).unwrap_or_default()
    }

    /// Counts a failure, and returns how many there were in a row.
    pub(super) fn fail(&mut self, reason: &Arc<str>) -> u32 {
        self.failures += 1;
        let pause = BACKOFF_MIN.saturating_mul(1 << (self.failures - 1).min(6)).min(BACKOFF_MAX);
        self.retry = Some(Instant::now() + pause);
        self.last_error = Some(reason.clone());
        self.failures
    }

    /// Records that a person must log in. This is no failure: the next call after the login must not
    /// wait.
    pub(super) fn require_login(&mut self, reason: Arc<str>) {
        let needs_login = Some(SystemTime::now());
        *self = Self { failures: self.failures, last_error: Some(reason), needs_login, ..Self::default() };
    }
}
