//! Serialization of times and durations.

use serde::Serializer;
use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

pub(super) fn rfc_3339<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&Rfc3339Time(time.duration_since(UNIX_EPOCH).unwrap_or_default()))
}

pub(super) fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

/// A duration since 1970, displayed as `2026-07-28T12:00:00.000Z`.
struct Rfc3339Time(Duration);

impl fmt::Display for Rfc3339Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        let millis = self.0.subsec_millis();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }
}

/// Returns the Gregorian date of a day since 1970. Years start on 1 March, so that the leap day is
/// the last day of a year and the first day of a month is a linear function of the month's number.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // since 0000-03-01
    // An era is 400 years. The calendar repeats after each.
    let (era, day) = (days / 146_097, days % 146_097); // 400 years each
    // 1,460, 36,524 and 146,096 are the last days of 4, 100 and 400 years: the leap days to
    // subtract.
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // From March on, each run of five months (31, 30, 31, 30 and 31 days) has 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    // Back from years that start in March to years that start in January.
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(Rfc3339Time(Duration::from_millis(millis)).to_string(), text);
        }
    }
}
