//! How far a client has fallen behind in taking what waits for it. Time passes against it only while something waits; what it
//! takes gives it time again, but none in advance.

use super::Patience;
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep_until};

/// A client's account.
#[derive(Debug, Default)]
pub(super) struct Lag {
    /// For how long it had something to take, beyond what it took would have needed.
    behind: Duration,
    /// There only while a write waits: since when, and until when it may.
    stalled: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Lag {
    /// The client took so many bytes.
    pub(super) fn takes(&mut self, bytes: usize, patience: &Patience) {
        if let Some((since, _)) = self.stalled.take() {
            self.behind += since.elapsed();
        }
        if !self.behind.is_zero() {
            self.behind = self.behind.saturating_sub(worth(bytes, patience.rate));
        }
    }

    /// A write waits for the client; ready when it has waited too long.
    pub(super) fn poll_too_long(&mut self, context: &mut Context<'_>, patience: &Patience) -> Poll<()> {
        let left = patience.write.saturating_sub(self.behind);
        let (_, alarm) = self.stalled.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + left)))
        });
        ready!(alarm.as_mut().poll(context));
        Poll::Ready(())
    }
}

/// How long a client may take over so many bytes. Where no rate is asked, each of them makes up for everything.
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

    fn patience(rate: u32) -> Patience {
        Patience { head: SECOND, idle: SECOND, write: 10 * SECOND, rate }
    }

    /// How many seconds a client lasts that takes so many bytes every so many seconds, if not for an hour.
    async fn lasts(patience: Patience, bytes: usize, every: Duration) -> Option<u64> {
        let (mut lag, began) = (Lag::default(), Instant::now());
        while began.elapsed() < 3_600 * SECOND {
            if timeout(every, poll_fn(|context| lag.poll_too_long(context, &patience))).await.is_ok() {
                return Some(began.elapsed().as_secs());
            }
            lag.takes(bytes, &patience);
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

    /// Half as much as it should: every second it falls behind by half a second.
    #[tokio::test(start_paused = true)]
    async fn who_takes_too_little_falls_behind() {
        let lasted = lasts(patience(100), 50, SECOND).await;
        assert!(lasted.is_some_and(|seconds| (19..=20).contains(&seconds)), "{lasted:?}");
        assert_eq!(lasts(patience(0), 1, 9 * SECOND).await, None, "no rate is asked");
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_taken_fast_saves_up_no_time() {
        let (mut lag, patience) = (Lag::default(), patience(100));
        lag.takes(1_000_000, &patience);
        let waited = timeout(11 * SECOND, poll_fn(|context| lag.poll_too_long(context, &patience))).await;
        assert!(waited.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn while_nothing_waits_nobody_falls_behind() {
        let (mut lag, patience) = (Lag::default(), patience(100));
        for _ in 0..100 {
            lag.takes(1, &patience);
            sleep(60 * SECOND).await;
        }
        assert!(poll_fn(|context| lag.poll_too_long(context, &patience)).now_or_never().is_none());
    }
}
