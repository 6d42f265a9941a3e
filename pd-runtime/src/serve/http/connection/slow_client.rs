//! The account of a client that reads its answers slowly. Time counts against it only while data
//! waits. Reading earns time back, but none in advance.

use super::ClientTimeouts;
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep_until};

/// The account of one client.
#[derive(Debug, Default)]
pub(super) struct WriteLag {
    /// The time for which data has waited, minus the time that the bytes read since have earned.
    behind: Duration,
    /// The start of the current wait and its timer, while a write waits.
    stalled: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl WriteLag {
    /// Records that the client read this many bytes.
    pub(super) fn record_read(&mut self, bytes: usize, patience: &ClientTimeouts) {
        if let Some((since, _)) = self.stalled.take() {
            self.behind += since.elapsed();
        }
        // At zero nothing is subtracted, so fast reading earns no credit for a later stall.
        if !self.behind.is_zero() {
            self.behind = self.behind.saturating_sub(worth(bytes, patience.rate));
        }
    }

    /// Resolves when a write has waited for too long.
    pub(super) fn poll_too_long(
        &mut self,
        context: &mut Context<'_>,
        patience: &ClientTimeouts,
    ) -> Poll<()> {
        let left = patience.write.saturating_sub(self.behind);
        // Created per stall, because most connections never need the timer.
        let (_, alarm) = self.stalled.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + left)))
        });
        ready!(alarm.as_mut().poll(context));
        Poll::Ready(())
    }
}

/// Returns how much time reading these bytes earns: `bytes / rate` seconds. Without a rate, any
/// byte clears the whole debt.
fn worth(bytes: usize, rate: u32) -> Duration {
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    match rate {
        0 if bytes > 0 => Duration::MAX,
        0 => Duration::ZERO,
        rate => Duration::from_secs(bytes.into()) / rate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use std::future::poll_fn;
    use tokio::time::{sleep, timeout};

    const SECOND: Duration = Duration::from_secs(1);

    fn patience(rate: u32) -> ClientTimeouts {
        ClientTimeouts {
            head: SECOND,
            idle: SECOND,
            write: 10 * SECOND,
            rate,
        }
    }

    /// Returns how many seconds a client lasts that reads so many bytes at each interval, or `None`
    /// if it lasts for an hour.
    async fn lasts(patience: ClientTimeouts, bytes: usize, every: Duration) -> Option<u64> {
        let mut lag = WriteLag::default();
        let began = Instant::now();
        while began.elapsed() < 3_600 * SECOND {
            if timeout(
                every,
                poll_fn(|context| lag.poll_too_long(context, &patience)),
            )
            .await
            .is_ok()
            {
                return Some(began.elapsed().as_secs());
            }
            lag.record_read(bytes, &patience);
        }
        None
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_enough_may_go_on_for_ever() {
        assert_eq!(lasts(patience(100), 500, 5 * SECOND).await, None);
        assert_eq!(lasts(patience(100), 5_000, 5 * SECOND).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_has_the_patience_there_is() {
        assert_eq!(lasts(patience(100), 0, 60 * SECOND).await, Some(10));
        assert_eq!(lasts(patience(0), 0, 60 * SECOND).await, Some(10));
    }

    /// At half the required rate, the client falls behind by half a second every second.
    #[tokio::test(start_paused = true)]
    async fn who_takes_too_little_falls_behind() {
        let lasted = lasts(patience(100), 50, SECOND).await;
        assert!(
            lasted.is_some_and(|seconds| (19..=20).contains(&seconds)),
            "{lasted:?}"
        );
        assert_eq!(
            lasts(patience(0), 1, 9 * SECOND).await,
            None,
            "no rate is asked"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_taken_fast_saves_up_no_time() {
        let mut lag = WriteLag::default();
        let patience = patience(100);
        lag.record_read(1_000_000, &patience);
        let waited = timeout(
            11 * SECOND,
            poll_fn(|context| lag.poll_too_long(context, &patience)),
        )
        .await;
        assert!(waited.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn while_nothing_waits_nobody_falls_behind() {
        let mut lag = WriteLag::default();
        let patience = patience(100);
        for _ in 0..100 {
            lag.record_read(1, &patience);
            sleep(60 * SECOND).await;
        }
        assert!(
            poll_fn(|context| lag.poll_too_long(context, &patience))
                .now_or_never()
                .is_none()
        );
    }
}
