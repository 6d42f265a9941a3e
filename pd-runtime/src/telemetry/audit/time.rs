//! Serialization of times and durations.

use crate::text::unix_time;
use chrono::{DateTime, SecondsFormat};
use serde::Serializer;
use std::time::{Duration, SystemTime};

pub(super) fn rfc_3339<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&render(*time))
}

pub(super) fn seconds<S: Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

/// Renders a time as `2026-07-28T12:00:00.000Z`.
fn render(time: SystemTime) -> String {
    // A clock before 1970 must not fail an event.
    let since = unix_time::at(time);
    // chrono's conversion from `SystemTime` panics beyond its last year, so this one returns 1970.
    let date = i64::try_from(since.as_secs())
        .ok()
        .and_then(|secs| DateTime::from_timestamp(secs, since.subsec_nanos()));
    date.unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn times_are_written_as_rfc_3339_has_them() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
            (1_785_240_000_001, "2026-07-28T12:00:00.001Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(render(UNIX_EPOCH + Duration::from_millis(millis)), text);
        }
    }
}
