//! The flags of `serve` for the network in front of HTTP clients, and for the number of sessions
//! and streams.

use super::limits::parse_time;
use crate::{config::Rate, serve::HttpOptions};
use std::{net::IpAddr, time::Duration};

/// The flags that override the defaults of [`HttpOptions`].
#[derive(Debug, Clone, clap::Args)]
pub(super) struct HttpFlags {
    /// The IP address of a proxy whose X-Forwarded-For header contains the client's address; may be
    /// repeated
    #[arg(long, value_name = "ADDR", requires = "http", value_parser = proxy)]
    trust_proxy: Vec<IpAddr>,
    /// The maximum number of open sessions of the anonymous callers at one address; 1000 by default
    #[arg(long, value_name = "COUNT", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    max_sessions_per_address: Option<u32>,
    /// The maximum number of sessions that each principal or address may open per minute; by
    /// default 20 per second, and 1000 at once
    #[arg(long, value_name = "COUNT", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    max_initialize_per_minute: Option<u32>,
    /// The maximum number of open event streams; 16384 by default
    #[arg(long, value_name = "COUNT", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    max_streams: Option<u32>,
    /// The maximum number of open event streams of each principal or address; 1000 by default
    #[arg(long, value_name = "COUNT", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    max_streams_per_caller: Option<u32>,
    /// The interval after which the caller of an open stream is authenticated again, e.g. 30s, or
    /// `never`; 1m by default
    #[arg(long, value_name = "TIME", requires = "http", value_parser = interval)]
    stream_check_interval: Option<CheckInterval>,
}

/// The interval between checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckInterval {
    Never,
    Every(Duration),
}

fn proxy(text: &str) -> Result<IpAddr, String> {
    let advice =
        "write the IP address of one proxy, e.g. `10.0.0.1`, without a port or a network's prefix";
    text.parse().map_err(|_| advice.to_owned())
}

fn interval(text: &str) -> Result<CheckInterval, String> {
    if text == "never" {
        return Ok(CheckInterval::Never);
    }
    parse_time(text)
        .map(CheckInterval::Every)
        .map_err(|advice| format!("{advice}; or `never`"))
}

impl HttpFlags {
    pub(super) fn set(&self, options: HttpOptions) -> HttpOptions {
        let mut options = options.trusted_proxies(self.trust_proxy.iter().copied());
        if let Some(count) = self.max_sessions_per_address {
            options.max_sessions_per_address = count.try_into().unwrap_or(usize::MAX);
        }
        if let Some(count) = self.max_initialize_per_minute {
            options.initialize_rate = Some(Rate::per_minute(count));
        }
        if let Some(count) = self.max_streams {
            options.max_streams = count.try_into().unwrap_or(usize::MAX);
        }
        if let Some(count) = self.max_streams_per_caller {
            options.max_streams_per_caller = count.try_into().unwrap_or(usize::MAX);
        }
        // Without the flag, the default stays. `None` in the options turns the check off.
        if let Some(interval) = self.stream_check_interval {
            options.stream_check_interval = match interval {
                CheckInterval::Never => None,
                CheckInterval::Every(time) => Some(time),
            };
        }
        options
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use clap::Parser;
    use std::net::Ipv4Addr;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        flags: HttpFlags,
        #[arg(long)]
        http: bool,
    }

    fn set(flags: &[&str], own: HttpOptions) -> HttpOptions {
        let words = ["serve", "--http"].iter().chain(flags);
        CommandLine::try_parse_from(words).unwrap().flags.set(own)
    }

    #[test]
    fn a_flag_changes_one_setting_and_leaves_the_others() {
        let own = set(
            &[],
            HttpOptions {
                max_sessions_per_address: 7,
                ..HttpOptions::default()
            },
        );
        assert_eq!(
            (own.max_sessions_per_address, own.initialize_rate),
            (7, HttpOptions::default().initialize_rate)
        );
        let all = [
            "--trust-proxy=10.0.0.1",
            "--max-sessions-per-address=3",
            "--max-initialize-per-minute=60",
            "--max-streams=9",
            "--max-streams-per-caller=2",
            "--stream-check-interval=30s",
        ];
        let all = set(&all, HttpOptions::default());
        let proxy = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
        assert_eq!(
            (all.trusted_proxies, all.max_sessions_per_address),
            (vec![proxy], 3)
        );
        assert_eq!(all.initialize_rate, Some(Rate::per_minute(60)));
        assert_eq!((all.max_streams, all.max_streams_per_caller), (9, 2));
        assert_eq!(all.stream_check_interval, Some(Duration::from_secs(30)));
        assert_eq!(
            set(&["--stream-check-interval=never"], HttpOptions::default()).stream_check_interval,
            None
        );
    }

    #[test]
    fn the_help_names_the_defaults() {
        let help = <CommandLine as clap::CommandFactory>::command()
            .render_long_help()
            .to_string();
        let options = HttpOptions::default();
        for default in [
            options.max_sessions_per_address,
            options.max_streams,
            options.max_streams_per_caller,
        ] {
            assert!(help.contains(&format!("; {default} by default")), "{help}");
        }
        let error = CommandLine::try_parse_from(["serve", "--http", "--stream-check-interval=60"])
            .unwrap_err();
        assert!(
            error.to_string().contains("as in `30s`; or `never`"),
            "{error}"
        );
    }
}
