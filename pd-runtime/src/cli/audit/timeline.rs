//! What happened when, in a bounded number of periods of equal width.

use super::latency::{LatencyHistogram, LatencySummary};
use chrono::{DateTime, SecondsFormat};
use serde::Serialize;
use std::collections::BTreeMap;

/// The maximum number of periods.
const PERIODS_MAX: i64 = 96;

/// The counts of a file by time.
#[derive(Debug)]
pub(super) struct Timeline {
    /// The width of a period, in seconds. It is a power of two, so two periods merge into one.
    width: i64,
    /// The periods with events, by the number of the period since 1970.
    periods: BTreeMap<i64, PeriodTally>,
    undated: usize,
}

/// The counts of a period.
#[derive(Debug, Default, Clone)]
struct PeriodTally {
    counts: PeriodCounts,
    latency: LatencyHistogram,
}

/// What happened in a period.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub(in crate::cli) struct PeriodCounts {
    pub(in crate::cli) calls: usize,
    /// Calls that returned an error, or were not run because of invalid arguments.
    pub(in crate::cli) failed: usize,
    pub(in crate::cli) refused: usize,
    pub(in crate::cli) searches: usize,
    /// Searches that found no tool.
    pub(in crate::cli) fruitless: usize,
}

/// The periods between the first and the last event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in crate::cli) struct TimelineSummary {
    /// The width of each period, in seconds.
    pub(in crate::cli) width_seconds: i64,
    /// At most 96 periods without gaps, in order of time.
    pub(in crate::cli) periods: Vec<PeriodSummary>,
    /// The events without a valid time, which are in no period.
    pub(in crate::cli) undated_events: usize,
}

/// A period, and what happened in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in crate::cli) struct PeriodSummary {
    /// The start of the period, as in RFC 3339.
    pub(in crate::cli) start: String,
    #[serde(flatten)]
    pub(in crate::cli) counts: PeriodCounts,
    /// The duration of the calls that ran. `None` if none ended in the period.
    #[serde(flatten)]
    pub(in crate::cli) latency: Option<LatencySummary>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            width: 1,
            periods: BTreeMap::new(),
            undated: 0,
        }
    }
}

impl Timeline {
    /// Adds an event at a time as in RFC 3339.
    pub(super) fn record(&mut self, time: &str, event: PeriodCounts, seconds: Option<f64>) {
        let Ok(time) = DateTime::parse_from_rfc3339(time) else {
            self.undated += 1;
            return;
        };
        let period = self.make_room(time.timestamp());
        let tally = self.periods.entry(period).or_default();
        tally.counts.add(&event);
        if let Some(seconds) = seconds {
            tally.latency.record(seconds);
        }
    }

    /// Returns the period of a time, after doubling the width until all periods fit.
    fn make_room(&mut self, timestamp: i64) -> i64 {
        loop {
            // Euclidean division rounds down before 1970, too, as the merge of two periods does.
            let period = timestamp.div_euclid(self.width);
            let first = self
                .periods
                .first_key_value()
                .map_or(period, |(first, _)| period.min(*first));
            let last = self
                .periods
                .last_key_value()
                .map_or(period, |(last, _)| period.max(*last));
            // Times come from the file: at most the years 0 to 9999, so nothing overflows.
            if last - first < PERIODS_MAX {
                return period;
            }
            self.double_width();
        }
    }

    fn double_width(&mut self) {
        self.width *= 2;
        for (period, tally) in std::mem::take(&mut self.periods) {
            let merged = self.periods.entry(period.div_euclid(2)).or_default();
            merged.counts.add(&tally.counts);
            merged.latency.merge(&tally.latency);
        }
    }

    pub(super) fn summary(&self) -> TimelineSummary {
        let ends = self
            .periods
            .first_key_value()
            .zip(self.periods.last_key_value());
        // `make_room` bounds this range, so it can be filled with empty periods.
        let numbers = ends.map(|((first, _), (last, _))| *first..=*last);
        let periods = numbers
            .into_iter()
            .flatten()
            .map(|period| self.period(period))
            .collect();
        TimelineSummary {
            width_seconds: self.width,
            periods,
            undated_events: self.undated,
        }
    }

    fn period(&self, period: i64) -> PeriodSummary {
        let tally = self.periods.get(&period).cloned().unwrap_or_default();
        let start = DateTime::from_timestamp(period * self.width, 0).unwrap_or_default();
        PeriodSummary {
            start: start.to_rfc3339_opts(SecondsFormat::Secs, true),
            counts: tally.counts,
            latency: tally.latency.summary(),
        }
    }
}

impl PeriodCounts {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.refused += other.refused;
        self.searches += other.searches;
        self.fruitless += other.fruitless;
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;

    const CALL: PeriodCounts = PeriodCounts {
        calls: 1,
        failed: 0,
        refused: 0,
        searches: 0,
        fruitless: 0,
    };

    fn calls(timeline: &TimelineSummary) -> Vec<usize> {
        timeline
            .periods
            .iter()
            .map(|period| period.counts.calls)
            .collect()
    }

    #[test]
    fn periods_double_and_keep_their_counts() {
        let mut timeline = Timeline::default();
        for minute in 0..60 {
            for second in 0..60 {
                timeline.record(
                    &format!("2026-07-28T12:{minute:02}:{second:02}.250Z"),
                    CALL,
                    Some(0.5),
                );
            }
        }
        let summary = timeline.summary();
        assert_eq!((summary.width_seconds, summary.periods.len()), (64, 57));
        assert_eq!(calls(&summary).iter().sum::<usize>(), 3_600);
        assert!(
            calls(&summary)[1..56].iter().all(|calls| *calls == 64),
            "{:?}",
            calls(&summary)
        );
        assert_eq!(summary.periods[1].start, "2026-07-28T12:01:04Z");
        assert!((summary.periods[1].latency.unwrap().p95_seconds - 0.5).abs() < 0.05);
    }

    #[test]
    fn times_out_of_order_and_forged_times_are_counted() {
        let mut timeline = Timeline::default();
        for time in [
            "2026-07-28T12:00:05Z",
            "2026-07-28T12:00:02Z",
            "",
            "soon",
            "2026-07-28T14:00:07+02:00",
        ] {
            timeline.record(time, CALL, None);
        }
        let summary = timeline.summary();
        assert_eq!(
            (calls(&summary), summary.undated_events),
            (vec![1, 0, 0, 1, 0, 1], 2)
        );
        assert_eq!(summary.periods[0].latency, None);
        for time in ["0000-01-01T00:00:00Z", "9999-12-31T23:59:60Z"] {
            timeline.record(time, CALL, Some(f64::NAN));
        }
        let summary = timeline.summary();
        assert!(
            summary.periods.len() <= 96 && calls(&summary).iter().sum::<usize>() == 5,
            "{summary:?}"
        );
    }
}
