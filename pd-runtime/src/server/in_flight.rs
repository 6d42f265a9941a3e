//! A count of the calls in flight, for shutdown to wait until no call is running.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

/// The number of counters over which calls are spread.
const SHARDS: usize = 16;
/// The interval at which [`InFlightCalls::wait_idle`] polls the counters. A grace period is seconds
/// long, so 5 ms delay a shutdown unnoticeably and cost calls nothing.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The calls in flight. Threads use different counters: with a single counter, its cache line would
/// move between cores with every call.
#[derive(Debug, Default)]
pub(super) struct InFlightCalls([CountShard; SHARDS]);

/// A counter that shares no cache line with another one.
#[derive(Debug, Default)]
#[repr(align(64))]
struct CountShard(AtomicUsize);

/// A call in flight, until this is dropped.
#[derive(Debug)]
pub(super) struct RunningCall<'a>(&'a AtomicUsize);

impl InFlightCalls {
    /// Counts a call until the returned value is dropped.
    pub(super) fn begin(&self) -> RunningCall<'_> {
        let [first, ..] = &self.0;
        let CountShard(count) = self.0.get(own_shard()).unwrap_or(first);
        // Relaxed is enough: only the end of a call must be ordered before shutdown.
        count.fetch_add(1, Ordering::Relaxed);
        RunningCall(count)
    }

    /// Waits until no call is in flight.
    pub(super) async fn wait_idle(&self) {
        // A call is counted in one counter from beginning to end, so this loop cannot miss a call
        // that runs throughout, although it reads the counters one after the other.
        while self
            .0
            .iter()
            .any(|CountShard(count)| count.load(Ordering::Acquire) > 0)
        {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        // Release pairs with the Acquire load in `wait_idle`: a thread that reads 0 also sees the
        // call's effects.
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// Returns the index of this thread's counter.
fn own_shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    // The thread-local is gone while the thread's destructors run. Any counter is correct then.
    OWN.try_with(|own| *own).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use std::thread;

    #[tokio::test(start_paused = true)]
    async fn they_are_over_when_all_have_ended_whichever_thread_they_end_on() {
        let calls = InFlightCalls::default();
        assert!(calls.wait_idle().now_or_never().is_some());
        let (here, there) = (
            calls.begin(),
            thread::scope(|scope| scope.spawn(|| calls.begin()).join()),
        );
        drop(here);
        assert!(
            tokio::time::timeout(100 * POLL_INTERVAL, calls.wait_idle())
                .await
                .is_err()
        );
        thread::scope(|scope| drop(scope.spawn(move || drop(there))));
        assert!(
            tokio::time::timeout(100 * POLL_INTERVAL, calls.wait_idle())
                .await
                .is_ok()
        );
    }
}
