//! The pause before something that has ended is tried again.

use std::time::Duration;

const MIN: Duration = Duration::from_secs(1);
const MAX: Duration = Duration::from_secs(60);

/// A pause that doubles each time, from a second to a minute. What has lasted for a minute begins
/// with a second again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryPause(Duration);

impl Default for RetryPause {
    fn default() -> Self {
        Self(MIN)
    }
}

impl RetryPause {
    /// Returns the next pause, after something that has lasted so long.
    pub(crate) fn next(&mut self, lasted: Duration) -> Duration {
        let pause = if lasted >= MAX { MIN } else { self.0 };
        self.0 = (pause * 2).min(MAX);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_up_to_a_minute_and_begins_again_after_one() {
        let mut pause = RetryPause::default();
        let soon = Duration::ZERO;
        let pauses: Vec<u64> = (0..8).map(|_| pause.next(soon).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!((pause.next(MAX), pause.next(soon)), (MIN, MIN * 2));
    }
}
