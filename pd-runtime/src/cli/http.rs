//! Flags of `serve` that say where HTTP clients come from, and how many sessions they may open.

use crate::{Rate, serve::HttpOptions};
use std::net::IpAddr;

/// The flags that differ from the defaults of [`HttpOptions`].
#[derive(Debug, Clone, clap::Args)]
pub(super) struct HttpFlags {
    /// A proxy whose X-Forwarded-For names the client's address; may be repeated
    #[arg(long, value_name = "ADDR", requires = "http")]
    trust_proxy: Vec<IpAddr>,
    /// How many open sessions the anonymous callers at one address may have; 1000 by default
    #[arg(long, value_name = "COUNT", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    max_sessions_per_address: Option<u32>,
    /// How many sessions each principal or address may open a minute; 20 a second by default, 1000 at once
    #[arg(long, value_name = "COUNT", requires = "http", value_parser = clap::value_parser!(u32).range(1..))]
    max_initialize_per_minute: Option<u32>,
}

impl HttpFlags {
    pub(super) fn set(&self, mut options: HttpOptions) -> HttpOptions {
        options.trusted_proxies.extend(&self.trust_proxy);
        if let Some(count) = self.max_sessions_per_address {
            options.max_sessions_per_address = count.try_into().unwrap_or(usize::MAX);
        }
        if let Some(count) = self.max_initialize_per_minute {
            options.initialize_rate = Some(Rate::per_minute(count));
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn a_flag_changes_one_setting_and_leaves_the_others() {
        let none =
            HttpFlags { trust_proxy: Vec::new(), max_sessions_per_address: None, max_initialize_per_minute: None };
        let own = none.set(HttpOptions { max_sessions_per_address: 7, ..HttpOptions::default() });
        assert_eq!((own.max_sessions_per_address, own.initialize_rate), (7, HttpOptions::default().initialize_rate));
        let proxy = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
        let all = HttpFlags {
            trust_proxy: vec![proxy],
            max_sessions_per_address: Some(3),
            max_initialize_per_minute: Some(60),
        };
        let all = all.set(HttpOptions::default());
        assert_eq!((all.trusted_proxies, all.max_sessions_per_address), (vec![proxy], 3));
        assert_eq!(all.initialize_rate, Some(Rate::per_minute(60)));
    }
}
