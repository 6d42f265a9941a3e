//! The token of a capability URL: whoever has it may take the rows. It is told once, to the caller, and kept nowhere.

use super::store::BodyKey;
use sha2::{Digest, Sha256};

/// How many characters 32 bytes are.
#[cfg(any(test, feature = "http"))]
const LEN: usize = 43;
/// RFC 4648, section 5, without padding.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// 256 random bits. It has no `Debug`, so that nothing prints it in passing.
pub(crate) struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    ///
    /// The system has no randomness.
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(base64(&bytes)))
    }

    /// What may be one.
    #[cfg(any(test, feature = "http"))]
    pub(crate) fn read(text: &str) -> Option<Self> {
        let is_one = text.len() == LEN && text.bytes().all(|byte| ALPHABET.contains(&byte));
        is_one.then(|| Self(text.to_owned()))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// What stores know it by.
    pub(super) fn key(&self) -> BodyKey {
        BodyKey::from_bytes(Sha256::digest(&self.0).into())
    }
}

fn base64(bytes: &[u8; 32]) -> String {
    let digits = |three: &[u8]| {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        (0..=three.len()).map(move |digit| bits >> (18 - 6 * digit) & 0b11_1111)
    };
    let digits = bytes.chunks(3).flat_map(digits);
    digits.filter_map(|digit| ALPHABET.get(digit as usize)).map(|character| char::from(*character)).collect()
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
        assert_eq!(base64(&counted), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
    }

    #[test]
    fn each_is_another_and_is_read_back() {
        let [one, other] = [Token::random().unwrap(), Token::random().unwrap()];
        assert_ne!(one.text(), other.text());
        assert_eq!(Token::read(one.text()).unwrap().key(), one.key());
        for text in ["", "A", &"A".repeat(44), &"/".repeat(LEN), &"é".repeat(21), &format!("{} ", "A".repeat(42))] {
            assert!(Token::read(text).is_none(), "{text}");
        }
    }
}
