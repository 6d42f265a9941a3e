//! The identity that rate limits and quotas are charged to.

use std::net::IpAddr;

/// A caller with a counted usage: a principal, an address, or the owner of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuotaKey<'a> {
    /// The user who started the process.
    Owner,
    /// A principal, by its subject.
    Subject(&'a str),
    /// An anonymous caller, by its address if that is known.
    Anonymous(Option<IpAddr>),
}

impl<'a> QuotaKey<'a> {
    /// Returns a value that is different for each payer.
    pub(crate) fn key(self) -> (u8, &'a str, u128) {
        match self {
            Self::Owner => (0, "", 0),
            Self::Subject(subject) => (1, subject, 0),
            Self::Anonymous(None) => (2, "", 0),
            Self::Anonymous(Some(address)) => (3, "", network(address)),
        }
    }
}

/// Returns an IPv4 address, or the /64 network of an IPv6 address: providers assign a whole /64 to
/// one customer, who could use each of its addresses.
pub(crate) fn network(address: IpAddr) -> u128 {
    // An IPv4 client of a dual-stack socket arrives as `::ffff:a.b.c.d`.
    match address.to_canonical() {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address) >> 64 << 64,
    }
}
