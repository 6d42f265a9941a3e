//! How many servers start at once to be listed. The bound is for the processor: a start that takes
//! long mostly waits, and must not hold up the others.

use std::time::Duration;
use tokio::{sync::Semaphore, time::sleep};

/// The starts at once that are younger than [`BUSY`].
const BUSY_STARTS: usize = 4;
/// All starts at once.
pub(crate) const STARTS_MAX: usize = 64;
/// How long a start counts as busy.
const BUSY: Duration = Duration::from_secs(1);

/// The places of the starts that are busy.
pub(crate) struct StartPlaces(Semaphore);

impl StartPlaces {
    pub(crate) const fn new() -> Self {
        Self(Semaphore::const_new(BUSY_STARTS))
    }

    /// Runs a start. Its place is free again when it has ended, or after a second.
    pub(crate) async fn run<T>(&self, start: impl Future<Output = T>) -> T {
        let mut place = self.0.acquire().await.ok();
        tokio::pin!(start);
        tokio::select! {
            ended = &mut start => return ended,
            () = sleep(BUSY) => {}
        }
        place.take();
        start.await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[tokio::test]
    async fn slow_starts_do_not_hold_up_another_one() {
        let places = StartPlaces::new();
        let began = Instant::now();
        let slow = (0..BUSY_STARTS).map(|_| places.run(sleep(Duration::from_secs(60))));
        tokio::select! {
            _ = futures::future::join_all(slow) => {}
            () = places.run(std::future::ready(())) => {}
        }
        assert!(began.elapsed() < 2 * BUSY, "{:?}", began.elapsed());
    }
}
