//! The record of one disclosure, in the form that sessions and stores keep.

use crate::digest::{Digest, DigestPrefix};
use sha2::{Digest as _, Sha256};

/// The record that a tool's description was disclosed, in 24 bytes: a hash of the tool's name and
/// the start of the description's digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DisclosureRecord {
    tool: [u8; 8],
    description: DigestPrefix,
}

impl DisclosureRecord {
    pub(crate) fn new(name: &str, digest: &Digest) -> Self {
        let tool = Sha256::digest(name.as_bytes())
            .first_chunk()
            .copied()
            .unwrap_or_default();
        Self {
            tool,
            description: digest.fingerprint(),
        }
    }

    /// Returns whether both records are of the same tool, with any description.
    pub(crate) fn is_of_same_tool(&self, other: &Self) -> bool {
        self.tool == other.tool
    }

    /// Returns the 24 bytes for a store: 8 of the name, then 16 of the description.
    pub fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        let parts = self.tool.iter().chain(self.description.bytes());
        bytes
            .iter_mut()
            .zip(parts)
            .for_each(|(byte, part)| *byte = *part);
        bytes
    }

    /// Restores a record from the bytes of [`DisclosureRecord::to_bytes`].
    pub fn from_bytes(bytes: [u8; 24]) -> Self {
        // The chunks of 8 and 16 bytes are all 24, so they do not overlap.
        let tool = bytes.first_chunk().copied().unwrap_or_default();
        Self {
            tool,
            description: DigestPrefix::from(bytes.last_chunk().copied().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_disclosed_survives_a_store() {
        let disclosed = DisclosureRecord::new("log", &Digest::from_bytes(b"contract"));
        assert_eq!(
            DisclosureRecord::from_bytes(disclosed.to_bytes()),
            disclosed
        );
        assert!(
            disclosed.is_of_same_tool(&DisclosureRecord::new("log", &Digest::from_bytes(b"other")))
        );
        assert!(!disclosed.is_of_same_tool(&DisclosureRecord::new(
            "show",
            &Digest::from_bytes(b"contract")
        )));
    }
}
