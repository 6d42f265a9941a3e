//! Digests of contracts: SHA-256 over RFC 8785 JSON, so that one change of a contract is one change of its digest.

pub(crate) mod canonical_json;
pub(crate) mod hmac;

use rmcp::model::JsonObject;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The digest of a tool's contract: its name, texts, schemas, examples and guidance; neither related tools nor tickets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

/// Enough of a digest to know a description by, for sets of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Fingerprint([u8; 16]);

impl Fingerprint {
    pub(crate) fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl From<[u8; 16]> for Fingerprint {
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl Digest {
    /// The digest of a JSON document.
    ///
    /// # Errors
    ///
    /// A number is beyond what RFC 8785 can write.
    pub(crate) fn of(document: &JsonObject) -> Result<Self, serde_json::Error> {
        canonical_json::object_bytes(document).map(|canonical| Self::of_bytes(&canonical))
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint(self.0.first_chunk().copied().unwrap_or_default())
    }
}

/// `sha256:<hex>`
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
