//! Whether the live heap is flat: the straight line that fits the second half best.

use super::samples::Sample;
use std::fmt;

/// By how much of its mean the live heap may grow in [`SPAN`].
const MOST: f64 = 0.01;
/// Ten minutes, in seconds.
const SPAN: f64 = 600.0;

/// How the live heap changes.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// Bytes.
    mean: f64,
    /// Shares of the mean in [`SPAN`].
    growth: f64,
    /// The standard error of the growth.
    error: f64,
}

impl Verdict {
    /// Looks at the second half only.
    pub(crate) fn of(samples: &[Sample]) -> Self {
        let half = samples.get(samples.len() / 2..).unwrap_or_default();
        let average =
            |of: &dyn Fn(&Sample) -> f64| half.iter().map(of).sum::<f64>() / half.len() as f64;
        let (time, mean) = (average(&|sample| sample.at), average(&|sample| sample.live));
        let spread: f64 = half.iter().map(|sample| (sample.at - time).powi(2)).sum();
        let slope = half
            .iter()
            .map(|sample| (sample.at - time) * (sample.live - mean))
            .sum::<f64>()
            / spread;
        let rest = |sample: &Sample| (sample.live - mean - slope * (sample.at - time)).powi(2);
        let error =
            (half.iter().map(rest).sum::<f64>() / (half.len() as f64 - 2.0) / spread).sqrt();
        Self {
            mean,
            growth: slope * SPAN / mean,
            error: error * SPAN / mean,
        }
    }

    /// Whether it does not grow by more than it may, or by no more than chance explains (two standard errors).
    pub(crate) fn is_flat(&self) -> bool {
        self.growth - 2.0 * self.error <= MOST
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            mean,
            growth,
            error,
        } = self;
        let percent = 100.0;
        write!(
            f,
            "live heap over the second half: {:.2} MiB on average, {:+.2} % ± {:.2} % in ten minutes (at most {} %): {}",
            mean / 1024.0 / 1024.0,
            growth * percent,
            error * percent,
            MOST * percent,
            if self.is_flat() { "PASS" } else { "FAIL" }
        )
    }
}
