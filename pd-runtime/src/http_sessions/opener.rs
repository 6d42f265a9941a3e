//! The opener of a session: a person, or the network of an anonymous caller.

use crate::{policy::access::Person, quota_key};
use std::net::IpAddr;

/// The opener of a session. It is as small as a [`Person`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opener {
    Person(Person),
    /// An anonymous caller, by its network (see [`quota_key::network`]).
    Address([u8; 16]),
}

impl Opener {
    pub(super) fn new(person: Person, address: Option<IpAddr>) -> Self {
        match (person, address) {
            (Person::Nobody, Some(address)) => Self::Address(quota_key::network(address).to_be_bytes()),
            _ => Self::Person(person),
        }
    }

    pub(super) fn person(self) -> Person {
        match self {
            Self::Person(person) => person,
            Self::Address(_) => Person::Nobody,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opener_is_as_small_as_a_person() {
        assert_eq!(size_of::<Opener>(), size_of::<Person>());
    }
}
