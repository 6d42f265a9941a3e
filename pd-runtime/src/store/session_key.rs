//! By what a store knows a session.

use crate::access::Person;
use sha2::{Digest as _, Sha256};
use std::fmt;

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
}
