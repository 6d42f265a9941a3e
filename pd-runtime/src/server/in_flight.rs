//! How many calls are under way, for whoever waits until there are none.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

/// In how many parts calls are counted.
const PARTS: usize = 16;
/// How often it is looked whether they are over.
const PAUSE: Duration = Duration::from_millis(5);

/// Calls under way. Threads count in different parts: one number would pass from one to the other with every call.
#[derive(Debug, Default)]
pub(super) struct Calls([Part; PARTS]);

/// A number that shares no cache line with another.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Part(AtomicUsize);

/// A call under way, until this is dropped.
#[derive(Debug)]
pub(super) struct Running<'a>(&'a AtomicUsize);

impl Calls {
    pub(super) fn begin(&self) -> Running<'_> {
        let [first, ..] = &self.0;
        let Part(count) = self.0.get(own_part()).unwrap_or(first);
        count.fetch_add(1, Ordering::Relaxed);
        Running(count)
    }

    /// Ends when no call is under way.
    pub(super) async fn over(&self) {
        // A call stays in the part in which it began, so one that runs all the while is seen.
        while self.0.iter().any(|Part(count)| count.load(Ordering::Acquire) > 0) {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// The part in which this thread counts.
fn own_part() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed) % PARTS;
    }
    // While a thread ends it may have none.
    OWN.try_with(|own| *own).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use std::thread;

    #[tokio::test(start_paused = true)]
    async fn they_are_over_when_all_have_ended_whichever_thread_they_end_on() {
        let calls = Calls::default();
        assert!(calls.over().now_or_never().is_some());
        let (here, there) = (calls.begin(), thread::scope(|scope| scope.spawn(|| calls.begin()).join()));
        drop(here);
        assert!(tokio::time::timeout(100 * PAUSE, calls.over()).await.is_err());
        thread::scope(|scope| drop(scope.spawn(move || drop(there))));
        assert!(tokio::time::timeout(100 * PAUSE, calls.over()).await.is_ok());
    }
}
