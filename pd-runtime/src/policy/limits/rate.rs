//! How often something may be done.

use std::{num::NonZeroU32, time::Duration};

/// So many in so much time, and so many at once.
///
/// The generic cell rate algorithm: what was not used is saved up, to at most the burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub(crate) times: NonZeroU32,
    pub(crate) period: Duration,
    pub(crate) burst: NonZeroU32,
}

impl Rate {
    /// So many a second, at least 1; as many at once.
    pub const fn per_second(times: u32) -> Self {
        Self::new(times, Duration::from_secs(1))
    }

    /// So many a minute, at least 1; as many at once.
    pub const fn per_minute(times: u32) -> Self {
        Self::new(times, Duration::from_secs(60))
    }

    const fn new(times: u32, period: Duration) -> Self {
        let times = at_least_one(times);
        Self { times, period, burst: times }
    }

    /// Sets how many at once, at least 1.
    #[must_use]
    pub const fn burst(self, times: u32) -> Self {
        Self { burst: at_least_one(times), ..self }
    }
}

const fn at_least_one(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}
