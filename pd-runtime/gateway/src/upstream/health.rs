//! The outcome of the latest starts of an upstream, and the pause before the next one.
//!
//! A failure of one client's connection says nothing about the connections of other clients: a
//! principal that ends its process again and again must not delay others. So failures are kept for
//! each connection. A program that cannot be run is the same for all of them.

use crate::{connection::pool::ConnectionOwner, failure::failure_text::FailureText};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    time::{Duration, Instant, SystemTime},
};

/// The pause before the next start after one that failed. It doubles with each failure.
pub(crate) const BACKOFF_MIN: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_secs(60);
/// The failures in a row after which an upstream counts as failing.
const FAILING: u32 = 5;
/// The clients with remembered failures, beside the connection that all share.
const CLIENTS_MAX: usize = 1_000;

/// The outcome of the latest starts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Health {
    pub(crate) failures: u32,
    pub(crate) last_error: Option<FailureText>,
    retry: Option<Instant>,
    /// Whether the failure concerns each connection.
    is_for_all: bool,
    /// Since when a start is in progress.
    pub(crate) starting: Option<Instant>,
    /// When the latest start began.
    pub(crate) started: Option<Instant>,
    /// How long the latest start took.
    pub(crate) started_in: Option<Duration>,
    /// Since when a person must log in.
    pub(crate) needs_login: Option<SystemTime>,
}

impl Health {
    pub(crate) const fn is_failing(&self) -> bool {
        self.failures >= FAILING
    }

    /// Returns the reason of the latest failure and the seconds until the next start, if a start
    /// has to wait.
    pub(crate) fn waiting(&self) -> Option<(FailureText, u64)> {
        let wait = self.pause();
        self.last_error
            .clone()
            .filter(|_| !wait.is_zero())
            // Rounded up, so that a caller that waits for so long does not come too early.
            .map(|reason| (reason, wait.as_secs() + 1))
    }

    /// Returns the time until the next start.
    pub(crate) fn pause(&self) -> Duration {
        self.retry
            .map(|retry| retry.saturating_duration_since(Instant::now()))
            .unwrap_or_default()
    }

    /// Counts a failure, and returns how many there were in a row.
    fn fail(&mut self, reason: &FailureText) -> u32 {
        self.failures += 1;
        // 2^6 seconds are more than a minute, so a larger exponent would only overflow.
        let pause = BACKOFF_MIN
            .saturating_mul(1 << (self.failures - 1).min(6))
            .min(BACKOFF_MAX);
        self.retry = Some(Instant::now() + pause);
        self.last_error = Some(reason.clone());
        self.is_for_all = false;
        self.failures
    }

    /// Counts a failure that each other connection would have, too.
    fn fail_for_all(&mut self, reason: &FailureText) -> u32 {
        let failures = self.fail(reason);
        self.is_for_all = true;
        failures
    }

    /// Records that a person must log in. This is not a failure: the next call after the login must
    /// not wait.
    fn require_login(&mut self, reason: FailureText) {
        *self = Self {
            failures: self.failures,
            last_error: Some(reason),
            needs_login: Some(SystemTime::now()),
            starting: self.starting,
            ..Self::default()
        };
    }
}

/// The health of an upstream, and of the connections that clients have for themselves.
#[derive(Debug, Default)]
struct ClientHealth(Mutex<HashMap<ConnectionOwner, Health>>);

impl ClientHealth {
    /// Returns the health of a client's own connection.
    fn get(&self, owner: &ConnectionOwner) -> Health {
        self.0.lock().get(owner).cloned().unwrap_or_default()
    }

    /// Counts a failure, and returns how many there were in a row.
    fn fail(&self, owner: &ConnectionOwner, reason: &FailureText) -> u32 {
        let mut clients = self.0.lock();
        if clients.len() >= CLIENTS_MAX && !clients.contains_key(owner) {
            // A failure without a pause delays nothing any more.
            clients.retain(|_, health| !health.pause().is_zero());
            // All of them wait: the one that waits the shortest is forgotten.
            let soonest = clients
                .iter()
                .min_by_key(|(_, health)| health.retry)
                .map(|(owner, _)| owner.clone());
            if let Some(soonest) = soonest.filter(|_| clients.len() >= CLIENTS_MAX) {
                clients.remove(&soonest);
            }
        }
        clients.entry(owner.clone()).or_default().fail(reason)
    }

    /// Forgets the failures of a connection that has lasted.
    fn recover(&self, owner: &ConnectionOwner) {
        self.0.lock().remove(owner);
    }
}

/// The health of an upstream: of the connection that clients share, and of their own ones.
#[derive(Debug, Default)]
pub(crate) struct UpstreamHealth {
    shared: Mutex<Health>,
    clients: ClientHealth,
}

impl UpstreamHealth {
    /// Returns the health of the connection that clients share.
    pub(crate) fn current(&self) -> Health {
        self.shared.lock().clone()
    }

    /// Returns the health that delays the start of a connection: its own, or the server's if the
    /// program cannot be run.
    pub(crate) fn delaying(&self, owner: &ConnectionOwner) -> Health {
        let server = self.shared.lock();
        if owner.is_all_clients() || (server.is_for_all && !server.pause().is_zero()) {
            return server.clone();
        }
        self.clients.get(owner)
    }

    /// Marks the upstream as starting, until the mark is dropped: a start that is canceled ends,
    /// too.
    pub(crate) fn mark_start(&self, owner: &ConnectionOwner) -> StartMark<'_> {
        // The state that callers read is the one of this connection, because it reads the lists.
        let marked = owner.is_all_clients().then_some(self);
        if let Some(health) = marked {
            let mut health = health.shared.lock();
            health.starting = Some(Instant::now());
            health.started = health.starting;
        }
        StartMark(marked)
    }

    /// Records a start that took this time.
    pub(crate) fn set_started(&self, took: Duration, is_of_owner: bool) {
        let mut health = self.shared.lock();
        health.started_in = Some(took);
        if is_of_owner {
            health.needs_login = None;
        }
    }

    /// Counts a failure, and returns how many there were in a row.
    pub(crate) fn fail(
        &self,
        owner: &ConnectionOwner,
        reason: &FailureText,
        is_for_all: bool,
    ) -> u32 {
        match owner.is_all_clients() {
            // First, because a program that cannot be run delays each owner in the same way.
            _ if is_for_all => self.shared.lock().fail_for_all(reason),
            true => self.shared.lock().fail(reason),
            false => self.clients.fail(owner, reason),
        }
    }

    /// Forgets the failures of a connection that has lasted.
    pub(crate) fn recover(&self, owner: &ConnectionOwner) {
        match owner.is_all_clients() {
            true => self.shared.lock().failures = 0,
            false => self.clients.recover(owner),
        }
    }

    /// Sets why the lists could not be read, which delays no start.
    pub(crate) fn set_list_error(&self, reason: Option<FailureText>) {
        self.shared.lock().last_error = reason;
    }

    /// Records that a person must log in.
    pub(crate) fn require_login(&self, reason: FailureText) {
        self.shared.lock().require_login(reason);
    }

    /// Returns whether a person must log in.
    pub(crate) fn needs_login(&self) -> bool {
        self.shared.lock().needs_login.is_some()
    }

    /// Returns whether there was a login since one was required. Returns it once.
    pub(crate) fn take_login(&self, has_login_since: impl FnOnce(SystemTime) -> bool) -> bool {
        let mut health = self.shared.lock();
        let Some(since) = health.needs_login else {
            return false;
        };
        let has_login = has_login_since(since);
        health.needs_login = (!has_login).then_some(since);
        has_login
    }
}

/// The mark of a start in progress.
#[must_use]
pub(crate) struct StartMark<'a>(Option<&'a UpstreamHealth>);

impl Drop for StartMark<'_> {
    fn drop(&mut self) {
        if let Some(health) = self.0 {
            health.shared.lock().starting = None;
        }
    }
}
