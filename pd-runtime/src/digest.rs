//! Digests of tool contracts: SHA-256 over RFC 8785 JSON. The canonical form makes the digest
//! depend on the contract alone, not on key order or number format.

pub(crate) mod canonical_json;
pub(crate) mod hex;
pub mod hmac;

use hex::Hex;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The digest of a tool's contract: its name, texts, schemas, examples and guidance. Related tools
/// and tickets are not part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

/// The first 16 bytes of a digest. They identify a description in large sets, at half the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct DigestPrefix([u8; 16]);

impl DigestPrefix {
    pub(crate) fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl From<[u8; 16]> for DigestPrefix {
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl Digest {
    /// Computes the digest of a JSON document.
    ///
    /// # Errors
    ///
    /// Returns an error if a number has no form in RFC 8785.
    #[cfg(any(feature = "client", feature = "lock"))]
    pub(crate) fn from_document(
        document: &rmcp::model::JsonObject,
    ) -> Result<Self, serde_json::Error> {
        canonical_json::object_bytes(document).map(|canonical| Self::from_bytes(&canonical))
    }

    #[doc(hidden)]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn fingerprint(&self) -> DigestPrefix {
        // The default is never used, because 32 bytes have a first chunk of 16.
        DigestPrefix(self.0.first_chunk().copied().unwrap_or_default())
    }
}

/// Writes `sha256:<hex>`.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", Hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
