//! A rate: how often an event is allowed.

use std::{num::NonZeroU32, time::Duration};

/// A number of events per period, and a burst.
///
/// Implements the generic cell rate algorithm: unused capacity accumulates up to the burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub(crate) times: NonZeroU32,
    pub(crate) period: Duration,
    pub(crate) burst: NonZeroU32,
}

impl Rate {
    /// Creates a rate per second, at least 1. The burst is the same number.
    pub const fn per_second(times: u32) -> Self {
        Self::new(times, Duration::from_secs(1))
    }

    /// Creates a rate per minute, at least 1. The burst is the same number.
    pub const fn per_minute(times: u32) -> Self {
        Self::new(times, Duration::from_secs(60))
    }

    const fn new(times: u32, period: Duration) -> Self {
        // The period is divided by this number.
        let times = at_least_one(times);
        Self {
            times,
            period,
            burst: times,
        }
    }

    /// Sets the burst, at least 1.
    #[must_use]
    pub const fn burst(self, times: u32) -> Self {
        Self {
            burst: at_least_one(times),
            ..self
        }
    }
}

const fn at_least_one(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}
