//! On whose account something goes.

use std::net::IpAddr;

/// Who is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Payer<'a> {
    /// Whoever started the process.
    Owner,
    /// A principal's subject.
    Subject(&'a str),
    /// An anonymous caller, by its address if that is known.
    Anonymous(Option<IpAddr>),
}

impl<'a> Payer<'a> {
    /// What tells payers apart.
    pub(crate) fn key(self) -> (u8, &'a str, u128) {
        match self {
            Self::Owner => (0, "", 0),
            Self::Subject(subject) => (1, subject, 0),
            Self::Anonymous(None) => (2, "", 0),
            Self::Anonymous(Some(address)) => (3, "", network(address)),
        }
    }
}

/// An IPv4 address; of an IPv6 address the /64, since whoever has one address of it has all.
pub(crate) fn network(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address) >> 64 << 64,
    }
}
