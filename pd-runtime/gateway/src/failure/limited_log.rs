//! Lines of a log that an upstream can cause as often as it likes.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// How often a line is written.
const INTERVAL: Duration = Duration::from_secs(1);

/// At most one line a second. The next line has the number of those that were left out.
#[derive(Debug, Default)]
pub(crate) struct LimitedLog(Mutex<LogWindow>);

#[derive(Debug, Default)]
struct LogWindow {
    /// When the latest line was written.
    written: Option<Instant>,
    left_out: u64,
}

impl LimitedLog {
    /// Logs a warning about a server, unless another one was logged within the last second.
    pub(crate) fn warn(&self, server: &str, text: &str) {
        if let Some(left_out) = self.admit() {
            match left_out {
                0 => tracing::warn!(server, "{text}"),
                _ => tracing::warn!(server, left_out, "{text}"),
            }
        }
    }

    /// Returns the number of lines that were left out if a line may be written now.
    pub(crate) fn admit(&self) -> Option<u64> {
        let LogWindow { written, left_out } = &mut *self.0.lock();
        if written.is_some_and(|written| written.elapsed() < INTERVAL) {
            *left_out += 1;
            return None;
        }
        *written = Some(Instant::now());
        Some(std::mem::take(left_out))
    }
}

impl Drop for LimitedLog {
    fn drop(&mut self) {
        let left_out = self.0.get_mut().left_out;
        // No later line has the number of these.
        if left_out > 0 {
            tracing::warn!(
                left_out,
                "further lines about messages of an upstream were left out"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_second_is_admitted_with_the_count_of_the_others() {
        let log = LimitedLog::default();
        assert_eq!(log.admit(), Some(0));
        assert!((0..100_000).all(|_| log.admit().is_none()));
        log.0.lock().written = Instant::now().checked_sub(INTERVAL);
        assert_eq!(log.admit(), Some(100_000));
    }
}
