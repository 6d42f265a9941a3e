//! The client's address behind trusted proxies.

use axum::extract::ConnectInfo;
use http::{HeaderMap, request::Parts};
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

/// The header to which each proxy appends its peer's address.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The proxies that are trusted to set `X-Forwarded-For`.
#[derive(Debug, Clone)]
pub(super) struct TrustedProxies(Arc<[IpAddr]>);

impl TrustedProxies {
    pub(super) fn new(addresses: &[IpAddr]) -> Self {
        // A socket for both versions of IP reports the peer 10.0.0.1 as `::ffff:10.0.0.1`.
        Self(addresses.iter().map(IpAddr::to_canonical).collect())
    }

    /// Replaces a trusted proxy's address with the client's in the request's extensions, where
    /// everything reads it that counts callers by address.
    pub(super) fn resolve(&self, request: &mut Parts) {
        if self.0.is_empty() {
            return;
        }
        let Some(ConnectInfo(peer)) = request.extensions.get_mut::<ConnectInfo<SocketAddr>>()
        else {
            return;
        };
        if let Some(client) = self.client_behind(peer.ip(), &request.headers) {
            // The client's port is unknown, and nothing uses it.
            *peer = SocketAddr::new(client, 0);
        }
    }

    /// Returns the right-most hop that is not a trusted proxy. Everything to its left may be
    /// invented by the client.
    fn client_behind(&self, peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        if !self.trusts(peer) {
            return None;
        }
        let values: Vec<_> = headers
            .get_all(FORWARDED_FOR)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        let mut client = None;
        // Several headers are one list (RFC 9110, section 5.3), so the nearest hop is in the last
        // one.
        for hop in values.iter().rev().flat_map(|value| value.rsplit(',')) {
            // An entry that is not an address ends the chain: what is left of it cannot be trusted
            // either.
            let Some(hop) = parse_hop(hop.trim()) else {
                break;
            };
            client = Some(hop);
            if !self.trusts(hop) {
                break;
            }
        }
        client
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

/// Parses an address as proxies write it, with or without a port.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let bare = hop
        .strip_prefix('[')
        .and_then(|hop| hop.strip_suffix(']'))
        .unwrap_or(hop);
    bare.parse()
        .ok()
        .or_else(|| hop.parse::<SocketAddr>().ok().map(|hop| hop.ip()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// The address that a request counts under.
    fn resolved(peer: &str, headers: &[&str]) -> String {
        let proxies = TrustedProxies::new(
            &["10.0.0.1", "10.0.0.2", "fd00::1"].map(|proxy| proxy.parse().unwrap()),
        );
        let request = headers
            .iter()
            .fold(http::Request::new(()), |mut request, value| {
                request
                    .headers_mut()
                    .append(FORWARDED_FOR, value.parse().unwrap());
                request
            });
        let mut parts = request.into_parts().0;
        parts
            .extensions
            .insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 1)));
        proxies.resolve(&mut parts);
        parts
            .extensions
            .get::<ConnectInfo<SocketAddr>>()
            .unwrap()
            .0
            .ip()
            .to_string()
    }

    #[test]
    fn a_stranger_cannot_name_an_address() {
        assert_eq!(resolved("192.0.2.9", &["198.51.100.1"]), "192.0.2.9");
        assert_eq!(
            resolved("10.0.0.1", &["203.0.113.5, 198.51.100.1"]),
            "198.51.100.1",
            "the left one is invented"
        );
        assert_eq!(
            resolved("10.0.0.1", &["203.0.113.5", "198.51.100.1"]),
            "198.51.100.1",
            "in two headers, too"
        );
    }

    #[test]
    fn trusted_hops_are_passed_over() {
        assert_eq!(
            resolved("10.0.0.1", &["198.51.100.1, 10.0.0.2"]),
            "198.51.100.1"
        );
        assert_eq!(
            resolved("fd00::1", &["198.51.100.1,10.0.0.2, 10.0.0.1"]),
            "198.51.100.1"
        );
        assert_eq!(resolved("::ffff:10.0.0.1", &["2001:db8::7"]), "2001:db8::7");
        assert_eq!(
            resolved("10.0.0.1", &["10.0.0.2"]),
            "10.0.0.2",
            "the proxy itself asks"
        );
    }

    #[test]
    fn an_address_may_have_a_port_and_nonsense_ends_the_way() {
        assert_eq!(resolved("10.0.0.1", &["198.51.100.1:4711"]), "198.51.100.1");
        assert_eq!(resolved("10.0.0.1", &["[2001:db8::7]:4711"]), "2001:db8::7");
        assert_eq!(resolved("10.0.0.1", &["[2001:db8::7]"]), "2001:db8::7");
        assert_eq!(
            resolved("10.0.0.1", &["198.51.100.1, unknown, 10.0.0.2"]),
            "10.0.0.2"
        );
        for nonsense in ["", "unknown", "_hidden", "198.51.100.1;x"] {
            assert_eq!(resolved("10.0.0.1", &[nonsense]), "10.0.0.1", "{nonsense}");
        }
        assert_eq!(resolved("10.0.0.1", &[]), "10.0.0.1");
    }
}
