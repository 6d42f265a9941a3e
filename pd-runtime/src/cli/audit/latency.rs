//! The distribution of durations, in bounded memory.

use serde::Serialize;
use std::collections::BTreeMap;

/// The lower end of the first range, in seconds. Shorter durations count as this one.
const SHORTEST: f64 = 1e-6;
/// The ratio of the ends of a range. A quantile is the geometric middle of its range, so its error
/// is at most `sqrt(1.2) - 1`, which is 9.6 %.
const RATIO: f64 = 1.2;
/// The last range, which begins at 70 days.
const LAST: u8 = 160;

/// Counts of durations in ranges of exponential width.
#[derive(Debug, Clone, Default)]
pub(super) struct LatencyHistogram {
    /// The counts of the ranges that occur, by the number of the range.
    ranges: BTreeMap<u8, usize>,
}

/// The median and the 95th percentile of durations. Both are within 10 % of the exact value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(in crate::cli) struct LatencySummary {
    pub(in crate::cli) p50_seconds: f64,
    pub(in crate::cli) p95_seconds: f64,
}

impl LatencyHistogram {
    /// Counts a duration. Negative and infinite durations are ignored: no server writes them.
    pub(super) fn record(&mut self, seconds: f64) {
        if seconds.is_finite() && seconds >= 0.0 {
            *self.ranges.entry(range(seconds)).or_default() += 1;
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (range, count) in &other.ranges {
            *self.ranges.entry(*range).or_default() += count;
        }
    }

    /// Returns the quantiles, or `None` without a duration.
    pub(super) fn summary(&self) -> Option<LatencySummary> {
        Some(LatencySummary {
            p50_seconds: self.quantile(50)?,
            p95_seconds: self.quantile(95)?,
        })
    }

    fn quantile(&self, percent: usize) -> Option<f64> {
        let total: usize = self.ranges.values().sum();
        // The nearest rank: at least this share of the durations is not longer.
        let rank = (total * percent).div_ceil(100);
        let mut below = 0;
        let (range, _) = self.ranges.iter().find(|(_, count)| {
            below += **count;
            below >= rank
        })?;
        Some(middle(*range))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is clamped to 0..=LAST"
)]
fn range(seconds: f64) -> u8 {
    // The logarithm of 0 is minus infinity, which the clamp takes to the first range.
    ((seconds / SHORTEST).ln() / RATIO.ln())
        .floor()
        .clamp(0.0, f64::from(LAST)) as u8
}

/// Returns the geometric middle of a range, in seconds. More than three digits would promise more
/// than the range knows.
fn middle(range: u8) -> f64 {
    let middle = SHORTEST * RATIO.powf(f64::from(range) + 0.5);
    format!("{middle:.2e}").parse().unwrap_or(middle)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn quantiles_are_within_ten_percent() {
        for scale in [0.000_02, 0.003, 1.0, 700.0] {
            let mut histogram = LatencyHistogram::default();
            (1..=1_000).for_each(|number| histogram.record(f64::from(number) * scale));
            let LatencySummary {
                p50_seconds,
                p95_seconds,
            } = histogram.summary().unwrap();
            assert!(
                (p50_seconds / (500.0 * scale) - 1.0).abs() < 0.1,
                "{scale}: {p50_seconds}"
            );
            assert!(
                (p95_seconds / (950.0 * scale) - 1.0).abs() < 0.1,
                "{scale}: {p95_seconds}"
            );
        }
    }

    #[test]
    fn odd_durations_do_no_harm() {
        let mut histogram = LatencyHistogram::default();
        assert_eq!(histogram.summary(), None);
        [-1.0, f64::NAN, f64::INFINITY]
            .into_iter()
            .for_each(|seconds| histogram.record(seconds));
        assert_eq!(histogram.summary(), None);
        [0.0, 1e300]
            .into_iter()
            .for_each(|seconds| histogram.record(seconds));
        let summary = histogram.summary().unwrap();
        assert!(
            summary.p50_seconds < 2e-6 && summary.p95_seconds > 1e6,
            "{summary:?}"
        );
    }
}
