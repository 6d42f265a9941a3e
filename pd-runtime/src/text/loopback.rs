//! The one rule for hosts of URLs that name this machine.

use std::net::IpAddr;

/// Returns whether the host of a URL names this machine. The host of an IPv6 address may have its
/// brackets.
pub fn is_loopback_host(host: &str) -> bool {
    let host = host
        .trim_start_matches('[')
        .trim_end_matches([']', '.'])
        .to_ascii_lowercase();
    // Names below `localhost` are loopback names, too (RFC 6761, section 6.3).
    host == "localhost"
        || host.ends_with(".localhost")
        // Canonical, because `::ffff:127.0.0.1` is a loopback address of IPv4.
        || host.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}
