//! The hosts that requests may name.

use http::uri::Authority;
use std::net::Ipv6Addr;

/// A list of hosts, each on one port or on any.
#[derive(Debug)]
pub(in crate::serve) struct AllowedHosts(Box<[HostPattern]>);

/// A host with an optional port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::serve::http) struct HostPattern {
    /// The name in lower case; an IPv6 address without its brackets.
    name: String,
    /// The port, or `None` for any.
    port: Option<u16>,
}

impl AllowedHosts {
    /// Parses hosts. Invalid ones are skipped, since `HttpOptions::check` refuses them before the
    /// server starts.
    pub(in crate::serve) fn new(hosts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self(
            hosts
                .into_iter()
                .filter_map(|host| HostPattern::parse(host.as_ref()))
                .collect(),
        )
    }

    /// Returns whether a request may name this host.
    pub(in crate::serve) fn allow(&self, host: &Authority) -> bool {
        let name = without_brackets(host.host());
        self.0.iter().any(|allowed| {
            allowed.name.eq_ignore_ascii_case(name)
                && allowed
                    .port
                    .is_none_or(|port| host.port_u16() == Some(port))
        })
    }
}

impl HostPattern {
    /// Parses a name or an IP address, with or without a port. Wildcards and URLs are not valid:
    /// they would match no request.
    pub(in crate::serve::http) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // An `Authority` needs brackets around an IPv6 address, which operators often leave out.
        if text.parse::<Ipv6Addr>().is_ok() {
            return Some(Self {
                name: text.to_ascii_lowercase(),
                port: None,
            });
        }
        let host: Authority = text.parse().ok()?;
        let name = without_brackets(host.host()).to_ascii_lowercase();
        // `Authority` silently drops a port that is out of range.
        let is_whole = text.len() == host.host().len() || host.port_u16().is_some();
        let is_name = !name.is_empty() && name.bytes().all(is_of_a_host);
        (is_whole && is_name).then_some(Self {
            name,
            port: host.port_u16(),
        })
    }
}

/// Returns the host without the brackets of an IPv6 address.
pub(in crate::serve) fn without_brackets(host: &str) -> &str {
    host.trim_matches(['[', ']'])
}

fn is_of_a_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address() {
        for text in [
            "a.example",
            "A.example:8443",
            "localhost",
            "10.0.0.7",
            "::1",
            "[::1]",
            "[::1]:80",
            "svc_a",
        ] {
            assert!(HostPattern::parse(text).is_some(), "{text}");
        }
        for text in [
            "",
            " ",
            "*",
            "*.a.example",
            "https://a.example",
            "a.example/mcp",
            "u@a",
            "a b",
            "a:99999",
            "ü.example",
        ] {
            assert!(HostPattern::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_host_matches_whatever_its_case_and_by_its_port() {
        let hosts = AllowedHosts::new(["a.example", "B.example:8443", "::1", "*"]);
        for host in ["a.example", "A.EXAMPLE:1", "b.example:8443", "[::1]:8000"] {
            assert!(hosts.allow(&host.parse().unwrap()), "{host}");
        }
        for host in [
            "b.example",
            "b.example:1",
            "x.a.example",
            "a.example.evil",
            "*",
            "127.0.0.1",
        ] {
            assert!(!hosts.allow(&host.parse().unwrap()), "{host}");
        }
    }
}
