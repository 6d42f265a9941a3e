//! One session. An endpoint may have very many, so a session is small.

use super::{in_flight::InFlightRequests, opener::SessionOpener};
use crate::policy::access::CallerIdentity;

use rmcp::transport::streamable_http_server::session::local::LocalSessionHandle;
use std::{
    sync::{
        LazyLock,
        atomic::{
            AtomicU8, AtomicU32, AtomicU64,
            Ordering::{AcqRel, Acquire, Relaxed},
        },
    },
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

/// The origin of all session times, which are stored as an offset in an integer: an `Instant` takes
/// 16 bytes and is not atomic.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The flag of a session after its handshake has completed.
const READY: u8 = 1;
/// The flag of a session that has had a request besides `initialize`.
const ASKED: u8 = 1 << 1;
/// The flag of a session with a client that has the transport of Delta-MCP.
const DELTA: u8 = 1 << 2;

/// One session.
#[derive(Debug)]
pub(super) struct HttpSession {
    /// The channel to rmcp's worker.
    pub(super) handle: LocalSessionHandle,
    pub(super) opener: SessionOpener,
    pub(super) in_flight: InFlightRequests,
    /// The last use, in nanoseconds since `BEGAN`.
    last_used: AtomicU64,
    /// The last check with other replicas, in tenths of a second since `BEGAN`.
    last_checked: AtomicU32,
    /// The flags above. Each is set once and never cleared.
    flags: AtomicU8,
    /// Cancelled when the session ends, for any reason.
    stop: CancellationToken,
}

impl HttpSession {
    pub(super) fn new(
        handle: LocalSessionHandle,
        opener: SessionOpener,
        stop: CancellationToken,
    ) -> Self {
        let last_used = AtomicU64::new(now());
        let last_checked = AtomicU32::new(now_tenths());
        Self {
            handle,
            opener,
            in_flight: InFlightRequests::default(),
            last_used,
            last_checked,
            flags: AtomicU8::new(0),
            stop,
        }
    }

    /// Returns whether this person opened the session.
    pub(super) fn is_of(&self, person: CallerIdentity) -> bool {
        self.opener.person() == person
    }

    pub(super) fn id(&self) -> &str {
        self.handle.id()
    }

    /// Records that the session is in use.
    pub(super) fn touch(&self) {
        // Relaxed, because the time orders no other memory.
        self.last_used.store(now(), Relaxed);
    }

    /// Records that the handshake has completed.
    pub(super) fn mark_ready(&self) {
        self.set(READY);
    }

    pub(super) fn is_ready(&self) -> bool {
        self.has(READY)
    }

    /// Records that a request besides `initialize` was sent.
    pub(super) fn note_asked(&self) {
        self.set(ASKED);
    }

    pub(super) fn was_asked(&self) -> bool {
        self.has(ASKED)
    }

    /// Records that the client has the transport of Delta-MCP.
    pub(super) fn note_delta(&self) {
        self.set(DELTA);
    }

    pub(super) fn is_delta(&self) -> bool {
        self.has(DELTA)
    }

    /// Sets a flag. It does not write a flag that is set already, since concurrent requests of one
    /// session would contend for the cache line.
    fn set(&self, flag: u8) {
        if !self.has(flag) {
            self.flags.fetch_or(flag, AcqRel);
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags.load(Acquire) & flag != 0
    }

    /// Returns whether the last check with other replicas is at least this long ago. If so, the
    /// check counts as done now.
    pub(super) fn is_due(&self, every: Duration) -> bool {
        let now = now_tenths();
        let last_checked = self.last_checked.load(Relaxed);
        let is_due = Duration::from_millis(100) * now.saturating_sub(last_checked) >= every;
        // Of several requests at one time, the one that wins the exchange makes the check.
        is_due
            && self
                .last_checked
                .compare_exchange(last_checked, now, Relaxed, Relaxed)
                .is_ok()
    }

    /// Returns a sort key: the longest idle session is the smallest. A session with requests in
    /// flight is not idle.
    pub(super) fn idleness(&self) -> (bool, u64) {
        (!self.in_flight.is_idle(), self.last_used.load(Relaxed))
    }

    /// Returns whether the session has been idle for at least this long.
    pub(super) fn is_idle_since(&self, idle: Duration) -> bool {
        let since = Duration::from_nanos(now().saturating_sub(self.last_used.load(Relaxed)));
        since >= idle && self.in_flight.is_idle()
    }

    /// Ends the session at once. Its streams close, and its requests in flight are cancelled.
    pub(super) fn end(&self) {
        self.stop.cancel();
    }

    /// Returns the token that is cancelled when the session ends.
    pub(super) fn end_token(&self) -> CancellationToken {
        self.stop.clone()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.stop.is_cancelled()
    }
}

fn now() -> u64 {
    u64::try_from(BEGAN.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the time since `BEGAN` in tenths of a second. 32 bits last for 13 years.
fn now_tenths() -> u32 {
    u32::try_from(BEGAN.elapsed().as_millis() / 100).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_small() {
        assert!(
            size_of::<HttpSession>() <= 96,
            "{}",
            size_of::<HttpSession>()
        );
    }
}
