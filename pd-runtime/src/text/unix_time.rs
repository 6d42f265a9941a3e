//! Unix time, which other processes and later runs can compare.

use std::time::{Duration, SystemTime};

/// Returns the time since 1970. A clock before 1970 counts as 1970.
pub fn since_1970() -> Duration {
    at(SystemTime::now())
}

/// Returns the whole seconds since 1970.
pub fn seconds() -> u64 {
    since_1970().as_secs()
}

/// Returns the time from 1970 until this one. A time before 1970 counts as 1970.
pub fn at(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
}
