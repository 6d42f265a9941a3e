//! One session. There may be very many, so it is small.

use super::{in_flight::UnderWay, opener::Opener};
use crate::policy::access::Person;

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

/// Times are kept as nanoseconds since then.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The handshake is through.
const READY: u8 = 1;
/// A request beside `initialize` was sent.
const ASKED: u8 = 1 << 1;
/// The client speaks Delta-MCP.
const DELTA: u8 = 1 << 2;

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    /// How rmcp's worker is talked to.
    pub(super) handle: LocalSessionHandle,
    pub(super) opener: Opener,
    pub(super) under_way: UnderWay,
    used: AtomicU64,
    /// When other replicas were last looked to, in tenths of a second.
    looked: AtomicU32,
    /// The bits below, each of which is set once.
    flags: AtomicU8,
    /// Cancelled when it ends, in whatever way.
    stop: CancellationToken,
}

impl Session {
    pub(super) fn new(handle: LocalSessionHandle, opener: Opener, stop: CancellationToken) -> Self {
        let (used, looked) = (AtomicU64::new(now()), AtomicU32::new(tenths()));
        Self { handle, opener, under_way: UnderWay::default(), used, looked, flags: AtomicU8::new(0), stop }
    }

    /// Whether this person opened it.
    pub(super) fn is_of(&self, person: Person) -> bool {
        self.opener.person() == person
    }

    pub(super) fn id(&self) -> &str {
        self.handle.id()
    }

    /// The client has asked for something, or has been answered.
    pub(super) fn touch(&self) {
        self.used.store(now(), Relaxed);
    }

    /// The handshake is through.
    pub(super) fn get_ready(&self) {
        self.set(READY);
    }

    pub(super) fn is_ready(&self) -> bool {
        self.has(READY)
    }

    /// Records that a request beside `initialize` was sent.
    pub(super) fn note_asked(&self) {
        self.set(ASKED);
    }

    pub(super) fn was_asked(&self) -> bool {
        self.has(ASKED)
    }

    /// Records that the client speaks Delta-MCP.
    pub(super) fn note_delta(&self) {
        self.set(DELTA);
    }

    pub(super) fn is_delta(&self) -> bool {
        self.has(DELTA)
    }

    /// Requests of one session come at once: a flag that is set already is not written again.
    fn set(&self, flag: u8) {
        if !self.has(flag) {
            self.flags.fetch_or(flag, AcqRel);
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags.load(Acquire) & flag != 0
    }

    /// Whether other replicas were not looked to for so long; then it counts as done.
    pub(super) fn is_due(&self, every: Duration) -> bool {
        let (now, looked) = (tenths(), self.looked.load(Relaxed));
        let is_due = Duration::from_millis(100) * now.saturating_sub(looked) >= every;
        is_due && self.looked.compare_exchange(looked, now, Relaxed, Relaxed).is_ok()
    }

    /// What is longest idle comes first; what has requests under way is not idle.
    pub(super) fn idleness(&self) -> (bool, u64) {
        (!self.under_way.is_idle(), self.used.load(Relaxed))
    }

    /// Whether nothing has been asked for so long.
    pub(super) fn is_idle_since(&self, idle: Duration) -> bool {
        let since = Duration::from_nanos(now().saturating_sub(self.used.load(Relaxed)));
        since >= idle && self.under_way.is_idle()
    }

    /// Ends it at once: its streams close, and what runs in it is told that nobody waits.
    pub(super) fn end(&self) {
        self.stop.cancel();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.stop.is_cancelled()
    }
}

fn now() -> u64 {
    u64::try_from(BEGAN.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// In 32 bits, which last for 13 years.
fn tenths() -> u32 {
    u32::try_from(BEGAN.elapsed().as_millis() / 100).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_small() {
        assert!(size_of::<Session>() <= 96, "{}", size_of::<Session>());
    }
}
