//! Keyed hashes: HMAC-SHA256 (RFC 2104).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Starts a hash that only holders of this key can compute.
pub(crate) fn hash(key: &[u8; 32]) -> Hmac<Sha256> {
    // HMAC pads a short key with zeros to its hash's block (RFC 2104, section 2).
    let mut block = [0; 64];
    block
        .iter_mut()
        .zip(key)
        .for_each(|(padded, byte)| *padded = *byte);
    <Hmac<Sha256> as KeyInit>::new(&block.into())
}

/// Starts a hash with a subkey for one purpose. Hashes for different purposes are unrelated, so a
/// hash for one cannot be replayed for another.
pub fn hash_for(purpose: &str, key: &[u8; 32]) -> Hmac<Sha256> {
    let own = hash(key)
        .chain_update(purpose.as_bytes())
        .finalize()
        .into_bytes();
    hash(&own.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_and_purpose_has_hashes_of_its_own() {
        let made = |key: Hmac<Sha256>| key.chain_update(b"text").finalize().into_bytes();
        assert_eq!(made(hash_for("a", &[1; 32])), made(hash_for("a", &[1; 32])));
        assert_ne!(made(hash_for("a", &[1; 32])), made(hash_for("b", &[1; 32])));
        assert_ne!(made(hash_for("a", &[1; 32])), made(hash_for("a", &[2; 32])));
        assert_ne!(made(hash_for("", &[1; 32])), made(hash(&[1; 32])));
    }
}
