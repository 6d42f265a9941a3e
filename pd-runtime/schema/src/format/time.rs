//! Dates, times and durations.

/// RFC 3339, `full-date`.
pub(super) fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = fields(text, '-', [4, 2, 2]) else {
        return false;
    };
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        // A month out of range is refused below.
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=days).contains(&day)
}

/// RFC 3339, `full-time`.
pub(super) fn is_time(text: &str) -> bool {
    // A valid clock contains none of these, so the last one starts the offset.
    let Some(offset_start) = text.rfind(['Z', 'z', '+', '-']) else {
        return false;
    };
    let (clock, offset) = text.split_at(offset_start);
    let Some((hours_ahead, minutes_ahead)) = offset_of(offset) else {
        return false;
    };
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let Some([hours, minutes, seconds]) = fields(whole, ':', [2, 2, 2]) else {
        return false;
    };
    // A leap second is the last one of a day in UTC.
    let minute_in_utc =
        (hours * 60 + minutes - hours_ahead * 60 - minutes_ahead).rem_euclid(24 * 60);
    let is_leap_second = seconds == 60 && minute_in_utc == 24 * 60 - 1;
    is_fraction && hours <= 23 && minutes <= 59 && (seconds <= 59 || is_leap_second)
}

/// Returns the hours and minutes of `Z`, `+02:00` or `-02:00`.
fn offset_of(text: &str) -> Option<(i32, i32)> {
    if text.eq_ignore_ascii_case("z") {
        return Some((0, 0));
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = fields(text.get(1..)?, ':', [2, 2])?;
    (hours <= 23 && minutes <= 59).then_some((sign * hours, sign * minutes))
}

/// RFC 3339, `date-time`.
pub(super) fn is_date_time(text: &str) -> bool {
    text.split_once(['T', 't'])
        .is_some_and(|(date, time)| is_date(date) && is_time(time))
}

/// ISO 8601 as in RFC 3339, appendix A: `P1Y2M3DT4H5M6S` or `P2W`.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(parts) = text.strip_prefix('P') else {
        return false;
    };
    let (date, time) = match parts.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (parts, None),
    };
    match (date, time) {
        // Weeks are not combined with other units (RFC 3339, appendix A).
        (weeks, None) if weeks.ends_with('W') => has_units(weeks, "W"),
        // `P` alone is not a duration.
        (date, None) => !date.is_empty() && has_units(date, "YMD"),
        (date, Some(time)) => has_units(date, "YMD") && !time.is_empty() && has_units(time, "HMS"),
    }
}

/// Returns whether a text consists of numbers with these units, in their order and without a gap
/// between the first and the last.
fn has_units(text: &str, units: &str) -> bool {
    let mut rest = text;
    let mut expected: Option<usize> = None;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Some(unit) = rest.get(digits..).and_then(|rest| rest.chars().next()) else {
            return false;
        };
        let place = units
            .find(unit)
            .filter(|place| expected.is_none_or(|expected| *place == expected));
        let Some(place) = place.filter(|_| digits > 0) else {
            return false;
        };
        expected = Some(place + 1);
        rest = rest.get(digits + 1..).unwrap_or_default();
    }
    true
}

/// Parses numbers of fixed lengths between separators.
fn fields<const N: usize>(text: &str, separator: char, lengths: [usize; N]) -> Option<[i32; N]> {
    let parts: Vec<&str> = text.split(separator).collect();
    // Digits are checked here, because `parse` accepts a sign.
    if !parts.iter().map(|part| part.len()).eq(lengths)
        || !parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return None;
    }
    parts
        .iter()
        .map(|part| part.parse().ok())
        .collect::<Option<Vec<i32>>>()?
        .try_into()
        .ok()
}
