//! The opener of a session: a person, or the network of an anonymous caller.

use crate::{policy::access::CallerIdentity, protocol::quota_key};
use std::net::IpAddr;

/// The opener of a session. It is as small as a [`CallerIdentity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionOpener {
    Person(CallerIdentity),
    /// An anonymous caller, by its network (see [`quota_key::network`]).
    Address([u8; 16]),
}

impl SessionOpener {
    pub(super) fn new(person: CallerIdentity, address: Option<IpAddr>) -> Self {
        match (person, address) {
            (CallerIdentity::Nobody, Some(address)) => {
                Self::Address(quota_key::network(address).to_be_bytes())
            }
            // Also an anonymous caller without an address, who counts towards the limit of all
            // sessions only.
            _ => Self::Person(person),
        }
    }

    pub(super) fn person(self) -> CallerIdentity {
        match self {
            Self::Person(person) => person,
            Self::Address(_) => CallerIdentity::Nobody,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opener_is_as_small_as_a_person() {
        assert_eq!(size_of::<SessionOpener>(), size_of::<CallerIdentity>());
    }
}
