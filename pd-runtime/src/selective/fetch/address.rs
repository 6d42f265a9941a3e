//! Classifies addresses: addresses of the public internet (IANA's special-purpose registries, RFC
//! 6890), and addresses that no fetch may ever reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The addresses that a fetch may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressScope {
    /// Public addresses only.
    Public,
    /// Also private addresses and this machine.
    Private,
}

impl AddressScope {
    pub(super) fn allows(self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            Self::Private => !is_off_limits(address),
        }
    }
}

/// IPv4 blocks that are not part of the public internet.
const SPECIAL_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),        // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // carriers' NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // Azure's metadata
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local, with most clouds' metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 3),      // multicast, reserved, broadcast
];

/// IPv4 blocks that are refused even for private services: this network, link-local, metadata,
/// multicast and reserved addresses.
const OFF_LIMITS_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 100, 100, 200), 32), // Alibaba's metadata
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// IPv6 blocks in 2000::/3, the global unicast range, that are not part of the public internet.
const SPECIAL_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, with Teredo
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// IPv6 blocks that are refused even for private services: link-local, metadata and multicast
/// addresses.
const OFF_LIMITS_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::UNSPECIFIED, 128),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0), 32), // Amazon's metadata
    (Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0), 32),  // Google's metadata
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8),
];

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !is_in_v4(address, SPECIAL_V4),
        IpAddr::V6(address) => match embedded(address) {
            // A translated address reaches the embedded IPv4 address, so that address decides.
            Some(inside) => is_public(inside.into()),
            None => is_in_v6(address, &[GLOBAL_V6]) && !is_in_v6(address, SPECIAL_V6),
        },
    }
}

fn is_off_limits(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_in_v4(address, OFF_LIMITS_V4),
        IpAddr::V6(address) => match embedded(address) {
            Some(inside) => is_off_limits(inside.into()),
            None => {
                let mut inside = maybe_embedded(address).into_iter();
                is_in_v6(address, OFF_LIMITS_V6)
                    || inside.any(|inside| is_off_limits(inside.into()))
            }
        },
    }
}

/// Returns the IPv4 address that an IPv6 address leads to: mapped (RFC 4291), by NAT64 (RFC 6052),
/// or by 6to4 (RFC 3056).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, high, low] = address.segments();
    let (high, low) = match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => (high, low),
        [0x2002, high, low, ..] => (high, low),
        _ => return None,
    };
    Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

/// "This network" (RFC 1122): no address to connect to. It marks a position that contains no
/// embedded address.
const NOWHERE: (Ipv4Addr, u32) = (Ipv4Addr::UNSPECIFIED, 8);

/// Returns the IPv4 addresses that an IPv6 address may lead to on a private network: compatible
/// (RFC 4291), or by the network's own NAT64 (RFC 8215). The length of such a NAT64 prefix is
/// unknown, so all positions of the address are considered (RFC 6052).
fn maybe_embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let bits = address.to_bits();
    let prefix = bits >> 64;
    let suffix = bits & 0x00ff_ffff_ffff_ffff; // without the byte between them, which is 0
    let places = match address.segments() {
        [0, 0, 0, 0, 0, 0, ..] => vec![bits],
        [0x64, 0xff9b, 1, ..] => {
            // RFC 6052 places the address after a prefix of 48, 56, 64 or 96 bits. Octet 8 (bits 64
            // to 71) is always zero and is left out here, so the first three positions are
            // contiguous in `joined`.
            let joined = prefix << 56 | suffix;
            vec![joined >> 40, joined >> 32, joined >> 24, bits]
        }
        _ => Vec::new(),
    };
    let inside = places
        .into_iter()
        .map(|bits| Ipv4Addr::from_bits(bits as u32));
    inside
        .filter(|inside| !is_in_v4(*inside, &[NOWHERE]))
        .collect()
}

fn is_in_v4(address: Ipv4Addr, blocks: &[(Ipv4Addr, u32)]) -> bool {
    blocks
        .iter()
        .any(|(block, bits)| (address.to_bits() ^ block.to_bits()) >> (32 - bits) == 0)
}

fn is_in_v6(address: Ipv6Addr, blocks: &[(Ipv6Addr, u32)]) -> bool {
    blocks
        .iter()
        .any(|(block, bits)| (address.to_bits() ^ block.to_bits()) >> (128 - bits) == 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn allowed(reach: AddressScope, address: &str) -> bool {
        reach.allows(address.parse().unwrap())
    }

    #[test]
    fn the_public_internet_is_reached() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(allowed(AddressScope::Public, address), "{address}");
            assert!(allowed(AddressScope::Private, address), "{address}");
        }
    }

    #[test]
    fn private_services_are_reached_where_that_is_said() {
        for address in [
            "10.0.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "172.16.0.1",
            "192.168.1.1",
            "100.64.0.1",
            "198.18.0.1",
            "192.0.2.1",
            "198.51.100.7",
            "203.0.113.9",
            "::1",
            "fc00::1",
            "fd12:3456::1",
            "2001:db8::1",
            "3fff::1",
            "2001::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "fec0::1",
            "100::1",
            "::127.0.0.1",
            "::8.8.8.8",
            "64:ff9b:1::8.8.8.8",
            "64:ff9b:1::10.0.0.1",
            "64:ff9b:1:a00:0:100::",
        ] {
            assert!(!allowed(AddressScope::Public, address), "{address}");
            assert!(allowed(AddressScope::Private, address), "{address}");
        }
    }

    #[test]
    fn metadata_and_what_is_no_host_is_reached_by_nobody() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "169.254.169.254",
            "169.254.0.1",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "fe80::1",
            "ff02::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::",
            "::ffff:0.0.0.0",
            "::169.254.169.254",
            "::100.100.100.200",
            "::224.0.0.1",
            "64:ff9b:1::169.254.169.254",
            "64:ff9b:1:abcd::169.254.169.254",
            "64:ff9b:1:a9fe:a9:fe00::",
            "64:ff9b:1:a9:fe:a9fe::",
            "64:ff9b:1:0:a9:fea9:fe00::",
            "64:ff9b:1::168.63.129.16",
        ] {
            assert!(!allowed(AddressScope::Public, address), "{address}");
            assert!(!allowed(AddressScope::Private, address), "{address}");
        }
    }
}
