//! The token of a capability URL: its holder may take the rows. The server sends it once, to the
//! caller, and does not store it.

use super::store::ResultKey;
use sha2::{Digest, Sha256};

/// The length of 32 bytes in base64 without padding.
#[cfg(any(test, feature = "http"))]
const LEN: usize = 43;
/// The URL-safe alphabet (RFC 4648, section 5), used without padding.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A token of 256 random bits. It does not implement `Debug`, so that no log prints it by accident.
pub(crate) struct RowToken(String);

impl RowToken {
    /// Creates a random token.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system provides no random bytes.
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(base64(&bytes)))
    }

    /// Parses a token. Checks the form only.
    #[cfg(any(test, feature = "http"))]
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_one = text.len() == LEN && text.bytes().all(|byte| ALPHABET.contains(&byte));
        is_one.then(|| Self(text.to_owned()))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Returns the key under which stores keep the rows. It is a hash, so a leaked store grants no
    /// access to them.
    pub(super) fn key(&self) -> ResultKey {
        ResultKey::from_bytes(Sha256::digest(&self.0).into())
    }
}

fn base64(bytes: &[u8; 32]) -> String {
    let digits = |three: &[u8]| {
        // Three bytes are four digits of 6 bits. The last group has two bytes, so it is shifted up
        // and yields three digits.
        let bits = three
            .iter()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        (0..=three.len()).map(move |digit| bits >> (18 - 6 * digit) & 0b11_1111)
    };
    let digits = bytes.chunks(3).flat_map(digits);
    digits
        .filter_map(|digit| ALPHABET.get(digit as usize))
        .map(|character| char::from(*character))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn bytes_are_written_as_the_rfc_says() {
        assert_eq!(base64(&[0; 32]), "A".repeat(LEN));
        assert_eq!(base64(&[0xff; 32]), format!("{}8", "_".repeat(LEN - 1)));
        let counted: [u8; 32] = std::array::from_fn(|place| place as u8);
        assert_eq!(
            base64(&counted),
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        );
    }

    #[test]
    fn each_is_another_and_is_read_back() {
        let [one, other] = [RowToken::random().unwrap(), RowToken::random().unwrap()];
        assert_ne!(one.text(), other.text());
        assert_eq!(RowToken::parse(one.text()).unwrap().key(), one.key());
        for text in [
            "",
            "A",
            &"A".repeat(44),
            &"/".repeat(LEN),
            &"é".repeat(21),
            &format!("{} ", "A".repeat(42)),
        ] {
            assert!(RowToken::parse(text).is_none(), "{text}");
        }
    }
}
