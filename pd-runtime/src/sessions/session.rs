//! One session. There may be very many, so it is small.

use super::under_way::UnderWay;
use crate::access::Person;
use rmcp::transport::streamable_http_server::session::local::LocalSessionHandle;
use std::{
    sync::{
        LazyLock,
        atomic::{
            AtomicBool, AtomicU32, AtomicU64,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

/// Times are kept as nanoseconds since then.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    /// How rmcp's worker is talked to.
    pub(super) handle: LocalSessionHandle,
    /// Who opened it.
    pub(super) owner: Person,
    pub(super) under_way: UnderWay,
    used: AtomicU64,
    /// When other replicas were last looked to, in tenths of a second.
    looked: AtomicU32,
    /// Whether its handshake is through.
    is_ready: AtomicBool,
    /// Cancelled when it ends, in whatever way.
    stop: CancellationToken,
}

impl Session {
    pub(super) fn new(handle: LocalSessionHandle, owner: Person, stop: CancellationToken) -> Self {
        let (used, looked) = (AtomicU64::new(now()), AtomicU32::new(tenths()));
        Self { handle, owner, under_way: UnderWay::default(), used, looked, is_ready: AtomicBool::new(false), stop }
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
        self.is_ready.store(true, Release);
    }

    pub(super) fn is_ready(&self) -> bool {
        self.is_ready.load(Acquire)
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
