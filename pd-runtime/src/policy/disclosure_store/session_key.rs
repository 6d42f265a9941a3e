//! The keys under which a store keeps sessions and their owners.

use crate::{digest::hex::Hex, policy::access::CallerIdentity};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The domain separator of the hash in an [`OwnerKey`]. It makes the hash different from any other
/// hash of the same principal.
#[cfg(feature = "http")]
const OWNER_PURPOSE: &str = "dev.pd-runtime/session-owner";

/// A session and its owner as a hash of 32 bytes. Neither can be recovered from the hash, so a
/// store may keep it in plain form.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionKey([u8; 32]);

impl SessionKey {
    pub(crate) fn new(session_id: &[u8], person: &CallerIdentity) -> Self {
        let mut hash = Sha256::new();
        // The length prefix separates the two parts: without it, the ID `ab` of owner `c` and the
        // ID `a` of owner `bc` would share a key.
        hash.update((session_id.len() as u64).to_be_bytes());
        hash.update(session_id);
        hash.update(person.bytes());
        Self(hash.finalize().into())
    }

    /// Restores a key from its bytes, for tests of a store.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Writes 64 hexadecimal digits.
impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A principal as a store of sessions identifies it, in 16 bytes. The store uses it to limit the
/// sessions of each principal.
#[cfg(feature = "http")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnerKey([u8; 16]);

#[cfg(feature = "http")]
impl OwnerKey {
    /// Creates the key, or returns `None` for callers that cannot be distinguished.
    pub(crate) fn new(person: &CallerIdentity) -> Option<Self> {
        let CallerIdentity::Known(known) = person else {
            return None;
        };
        let hash = Sha256::new()
            .chain_update(OWNER_PURPOSE)
            .chain_update(known)
            .finalize();
        Some(Self(hash.first_chunk().copied().unwrap_or_default()))
    }
}

/// Writes 32 hexadecimal digits.
#[cfg(feature = "http")]
impl fmt::Display for OwnerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sessions_key_depends_on_who_opened_it() {
        let (alice, bob) = (
            CallerIdentity::Known([1; 16]),
            CallerIdentity::Known([2; 16]),
        );
        assert_ne!(SessionKey::new(b"id", &alice), SessionKey::new(b"id", &bob));
        assert_ne!(
            SessionKey::new(b"id", &alice),
            SessionKey::new(b"id2", &alice)
        );
        assert_ne!(
            SessionKey::new(b"ido", &CallerIdentity::Nobody),
            SessionKey::new(b"", &CallerIdentity::Owner)
        );
        assert_eq!(SessionKey::new(b"id", &alice).to_string().len(), 64);
    }

    #[cfg(feature = "http")]
    #[test]
    fn principals_have_keys_and_nobody_has_none() {
        let (alice, bob) = (
            OwnerKey::new(&CallerIdentity::Known([1; 16])),
            OwnerKey::new(&CallerIdentity::Known([2; 16])),
        );
        assert_ne!(alice, bob);
        assert_eq!(OwnerKey::new(&CallerIdentity::Nobody), None);
        assert_eq!(alice.map(|owner| owner.to_string().len()), Some(32));
    }
}
