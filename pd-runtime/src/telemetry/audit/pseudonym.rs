//! Principals by names that only the key's holder can tell from whose they are.

use crate::digest::hmac;
use ::hmac::{Hmac, Mac};
use sha2::Sha256;

/// Makes pseudonyms under one key.
pub(crate) struct Pseudonyms(Hmac<Sha256>);

impl std::fmt::Debug for Pseudonyms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pseudonyms")
    }
}

impl Pseudonyms {
    /// Under a key of their own, which is made of the server's secret: who sees pseudonyms and subjects learns nothing of
    /// tickets.
    pub(crate) fn new(secret: &[u8; 32]) -> Self {
        Self(hmac::hash_for("dev.pd-runtime/audit pseudonyms", secret))
    }

    /// The same text for the same subject: `p-` and 64 bits in hexadecimal digits.
    pub(crate) fn of(&self, subject: &str) -> String {
        let mark = self.0.clone().chain_update(subject.as_bytes()).finalize().into_bytes();
        let mark = mark.iter().take(8).fold(0, |mark: u64, byte| mark << 8 | u64::from(*byte));
        format!("p-{mark:016x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_is_stable_for_a_key_and_tells_nothing_without_it() {
        let (first, again, other) = (Pseudonyms::new(&[1; 32]), Pseudonyms::new(&[1; 32]), Pseudonyms::new(&[2; 32]));
        let alice = first.of("alice");
        assert_eq!(alice, again.of("alice"));
        assert_ne!(alice, other.of("alice"));
        assert_ne!(alice, first.of("bob"));
        assert!(alice.len() == 18 && alice.starts_with("p-"), "{alice}");
    }
}
