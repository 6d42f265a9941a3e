//! Pseudonyms of principals. Only the holder of the key can link a pseudonym to its principal.

use crate::digest::hmac;
use ::hmac::{Hmac, Mac};
use sha2::Sha256;

/// Computes pseudonyms under one key.
pub(crate) struct Pseudonymizer(Hmac<Sha256>);

impl std::fmt::Debug for Pseudonymizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pseudonymizer")
    }
}

impl Pseudonymizer {
    /// Derives a separate key from the server's secret, so that pseudonyms of known subjects reveal
    /// nothing about tickets.
    pub(crate) fn new(secret: &[u8; 32]) -> Self {
        Self(hmac::hash_for("dev.pd-runtime/audit pseudonyms", secret))
    }

    /// Returns the pseudonym of a subject: `p-` and 64 bits in hexadecimal digits. Equal subjects
    /// have equal pseudonyms.
    pub(crate) fn pseudonym(&self, subject: &str) -> String {
        // The keyed state is cloned, which saves deriving the HMAC pads for each event.
        let mark = self
            .0
            .clone()
            .chain_update(subject.as_bytes())
            .finalize()
            .into_bytes();
        let mark = mark
            .iter()
            .take(8)
            .fold(0, |mark: u64, byte| mark << 8 | u64::from(*byte));
        format!("p-{mark:016x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_is_stable_for_a_key_and_tells_nothing_without_it() {
        let (first, again, other) = (
            Pseudonymizer::new(&[1; 32]),
            Pseudonymizer::new(&[1; 32]),
            Pseudonymizer::new(&[2; 32]),
        );
        let alice = first.pseudonym("alice");
        assert_eq!(alice, again.pseudonym("alice"));
        assert_ne!(alice, other.pseudonym("alice"));
        assert_ne!(alice, first.pseudonym("bob"));
        assert!(alice.len() == 18 && alice.starts_with("p-"), "{alice}");
    }
}
