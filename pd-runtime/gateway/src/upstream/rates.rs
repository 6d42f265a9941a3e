//! The limits on calls per unit of time that the configuration sets: `rate` of a server and of a
//! tool.

use crate::config::{CallRate, ServerSettings};
use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use std::collections::HashMap;

/// The counters of one upstream.
#[derive(Debug)]
pub(crate) struct CallRates {
    server: Option<RateCounter>,
    tools: HashMap<String, RateCounter>,
}

#[derive(Debug)]
struct RateCounter {
    rate: CallRate,
    limiter: DefaultDirectRateLimiter,
}

impl CallRates {
    pub(crate) fn new(settings: &ServerSettings) -> Self {
        let tools = settings.tools.iter();
        Self {
            server: settings.rate.and_then(RateCounter::new),
            tools: tools
                .filter_map(|(name, tool)| Some((name.clone(), RateCounter::new(tool.rate?)?)))
                .collect(),
        }
    }

    /// Counts a call of this tool.
    ///
    /// # Errors
    ///
    /// Returns the limit that the server or the tool has reached.
    pub(crate) fn count(&self, tool: &str) -> Result<(), String> {
        // The tool first: a call that it refuses must not use up the server's limit.
        self.tools
            .get(tool)
            .into_iter()
            .chain(&self.server)
            .try_for_each(RateCounter::count)
    }
}

impl RateCounter {
    fn new(rate: CallRate) -> Option<Self> {
        // The whole count can be used at once, and comes back call by call over the period.
        let quota = Quota::with_period(rate.period / rate.count.get())?.allow_burst(rate.count);
        Some(Self {
            rate,
            limiter: RateLimiter::direct(quota),
        })
    }

    fn count(&self) -> Result<(), String> {
        let CallRate { count, period } = self.rate;
        self.limiter.check().map_err(|full| {
            // Rounded up, so that a caller that waits for so long does not come too early.
            let wait = full.wait_time_from(DefaultClock::default().now()).as_secs() + 1;
            format!(
                "its limit of {count} calls in {} s is reached; try again in {wait} s",
                period.as_secs()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::config::ToolSettings;

    #[test]
    fn a_tools_limit_does_not_use_up_the_servers() {
        let mut settings = ServerSettings {
            rate: CallRate::parse("3/h"),
            ..ServerSettings::default()
        };
        let rate = CallRate::parse("1/h");
        settings.tools.insert(
            "slow".to_owned(),
            ToolSettings {
                rate,
                ..ToolSettings::default()
            },
        );
        let rates = CallRates::new(&settings);
        assert!(rates.count("slow").is_ok());
        let error = rates.count("slow").unwrap_err().to_string();
        assert!(
            error.starts_with("its limit of 1 calls in 3600 s is reached; try again in "),
            "{error}"
        );
        assert!(rates.count("other").is_ok() && rates.count("other").is_ok());
        assert!(rates.count("other").is_err());
    }
}
