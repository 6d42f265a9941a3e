//! By what a store knows a session.

use crate::policy::access::Person;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The purpose of the hash in an [`OwnerKey`], so that it is like no other hash of the same
/// principal.
#[cfg(feature = "http")]
const OWNER_PURPOSE: &str = "dev.pd-runtime/session-owner";

/// A session, and who opened it: 32 bytes, from which neither can be told. A store may keep them as they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionKey([u8; 32]);

impl SessionKey {
    pub(crate) fn new(session_id: &[u8], person: &Person) -> Self {
        let mut hash = Sha256::new();
        hash.update((session_id.len() as u64).to_be_bytes());
        hash.update(session_id);
        hash.update(person.bytes());
        Self(hash.finalize().into())
    }

    /// What [`SessionKey::bytes`] told; tests of a store make keys of it.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A principal, as a store of sessions knows it: 16 bytes, so that the store can bound how many
/// sessions one principal has.
#[cfg(feature = "http")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnerKey([u8; 16]);

#[cfg(feature = "http")]
impl OwnerKey {
    /// `None` for callers that cannot be told apart.
    pub(crate) fn new(person: &Person) -> Option<Self> {
        let Person::Known(known) = person else { return None };
        let hash = Sha256::new().chain_update(OWNER_PURPOSE).chain_update(known).finalize();
        Some(Self(hash.first_chunk().copied().unwrap_or_default()))
    }
}

/// 32 hexadecimal digits.
#[cfg(feature = "http")]
impl fmt::Display for OwnerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sessions_key_depends_on_who_opened_it() {
        let (alice, bob) = (Person::Known([1; 16]), Person::Known([2; 16]));
        assert_ne!(SessionKey::new(b"id", &alice), SessionKey::new(b"id", &bob));
        assert_ne!(SessionKey::new(b"id", &alice), SessionKey::new(b"id2", &alice));
        assert_ne!(SessionKey::new(b"ido", &Person::Nobody), SessionKey::new(b"", &Person::Owner));
        assert_eq!(SessionKey::new(b"id", &alice).to_string().len(), 64);
    }

    #[cfg(feature = "http")]
    #[test]
    fn principals_have_keys_and_nobody_has_none() {
        let (alice, bob) = (OwnerKey::new(&Person::Known([1; 16])), OwnerKey::new(&Person::Known([2; 16])));
        assert_ne!(alice, bob);
        assert_eq!(OwnerKey::new(&Person::Nobody), None);
        assert_eq!(alice.map(|owner| owner.to_string().len()), Some(32));
    }
}
