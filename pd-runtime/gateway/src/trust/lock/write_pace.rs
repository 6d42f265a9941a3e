//! When the lock's file is written, so that hundreds of new servers do not write it once each.

use std::{
    mem,
    time::{Duration, Instant},
};

/// Writes of the file take at most one part in this many of the time.
const SHARE: u32 = 5;
/// A write that takes less than this never delays another one.
const SHORT: Duration = Duration::from_millis(20);

/// When the next write may be, and which new servers wait for it.
#[derive(Debug, Default)]
pub(super) struct WritePace {
    /// No write before this time.
    pause_end: Option<Instant>,
    waiting: Vec<String>,
}

impl WritePace {
    /// Returns whether the next write has to wait.
    pub(super) fn is_early(&self) -> bool {
        !self.waiting.is_empty() || self.pause_end.is_some_and(|end| Instant::now() < end)
    }

    /// Lets a server wait for the next write. For the first one, returns when that is due.
    pub(super) fn wait(&mut self, server: &str) -> Option<Duration> {
        let is_first = self.waiting.is_empty();
        self.waiting.push(server.to_owned());
        let delay = self
            .pause_end
            .map(|end| end.saturating_duration_since(Instant::now()));
        is_first.then_some(delay.unwrap_or_default())
    }

    pub(super) fn take_waiting(&mut self) -> Vec<String> {
        mem::take(&mut self.waiting)
    }

    /// Notes a write that began then.
    pub(super) fn end(&mut self, started: Instant) {
        let took = started.elapsed();
        self.pause_end = (took >= SHORT).then(|| Instant::now() + took * (SHARE - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_write_delays_the_next_one() {
        let mut pace = WritePace::default();
        pace.end(Instant::now());
        assert!(!pace.is_early());
        let second = Duration::from_secs(1);
        pace.end(Instant::now() - second);
        assert!(pace.is_early());
        assert!(pace.wait("a").is_some_and(|delay| delay > 3 * second));
        assert_eq!(pace.wait("b"), None);
        assert_eq!(pace.take_waiting(), ["a", "b"]);
    }
}
