//! That a description was given, in few bytes: sessions remember it, and stores keep it.

use crate::digest::{Digest, Fingerprint};
use sha2::{Digest as _, Sha256};

/// That a tool's description was given, as it was then: 24 bytes that stand for the tool's name and the digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Disclosed {
    tool: [u8; 8],
    description: Fingerprint,
}

impl Disclosed {
    pub(crate) fn new(name: &str, digest: &Digest) -> Self {
        let tool = Sha256::digest(name.as_bytes()).first_chunk().copied().unwrap_or_default();
        Self { tool, description: digest.fingerprint() }
    }

    /// Whether it is the same tool, whatever its description.
    pub(crate) fn is_of_same_tool(&self, other: &Self) -> bool {
        self.tool == other.tool
    }

    /// The 24 bytes, as a store keeps them.
    pub fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        let parts = self.tool.iter().chain(self.description.bytes());
        bytes.iter_mut().zip(parts).for_each(|(byte, part)| *byte = *part);
        bytes
    }

    /// What [`Disclosed::to_bytes`] wrote.
    pub fn from_bytes(bytes: [u8; 24]) -> Self {
        let tool = bytes.first_chunk().copied().unwrap_or_default();
        Self { tool, description: Fingerprint::from(bytes.last_chunk().copied().unwrap_or_default()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_disclosed_survives_a_store() {
        let disclosed = Disclosed::new("log", &Digest::of_bytes(b"contract"));
        assert_eq!(Disclosed::from_bytes(disclosed.to_bytes()), disclosed);
        assert!(disclosed.is_of_same_tool(&Disclosed::new("log", &Digest::of_bytes(b"other"))));
        assert!(!disclosed.is_of_same_tool(&Disclosed::new("show", &Digest::of_bytes(b"contract"))));
    }
}
