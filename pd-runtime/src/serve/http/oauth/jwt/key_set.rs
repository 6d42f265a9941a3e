//! An issuer's keys at one time, and the choice of the key for a token. `jwk` decides which keys
//! are usable.

use super::{
    error::{JwtKeyError, MOST_KEYS},
    jwk::VerifyingKey,
    token::UnverifiedToken,
};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The keys of one issuer at one time.
#[derive(Debug, Default)]
pub(super) struct KeySet {
    keys: Vec<VerifyingKey>,
    /// The digest of the text that the keys were read from.
    digest: [u8; 32],
}

#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<Value>,
}

impl KeySet {
    pub(super) fn from_key(key: VerifyingKey) -> Self {
        Self {
            keys: vec![key],
            ..Self::default()
        }
    }

    pub(super) fn from_jwks(text: &str) -> Result<Self, JwtKeyError> {
        let set: JwkSet =
            serde_json::from_str(text).map_err(|error| JwtKeyError::NoSet(error.into()))?;
        if set.keys.len() > MOST_KEYS {
            return Err(JwtKeyError::TooManyKeys);
        }
        // Keys that are not understood are ignored (RFC 7517, section 5).
        let keys: Vec<_> = set.keys.iter().filter_map(VerifyingKey::from_jwk).collect();
        if keys.is_empty() {
            return Err(JwtKeyError::NoKey);
        }
        Ok(Self {
            keys,
            digest: Sha256::digest(text).into(),
        })
    }

    /// Returns whether both were read from the same text.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        self.digest == other.digest
    }

    /// Returns the one key for a token: by its id or, if either has none, by the algorithm. It does
    /// not try several keys, so that the sender of a token cannot raise the cost of verifying it.
    pub(super) fn key_for(&self, token: &UnverifiedToken<'_>) -> Option<VerifyingKey> {
        let key_id = token.key_id();
        let is_named = |key: &VerifyingKey| key_id.is_some() && key.id.as_deref() == key_id;
        let is_known = self.keys.iter().any(is_named);
        let is_meant = |key: &&VerifyingKey| match key_id {
            Some(_) if is_known => is_named(key),
            // A key without an id, such as one from PEM, fits any id that no other key has.
            Some(_) => key.id.is_none(),
            None => true,
        };
        let mut fitting = self
            .keys
            .iter()
            .filter(is_meant)
            .filter(|key| key.algorithms.contains(&token.algorithm()));
        let first = fitting.next();
        let second = fitting.next();
        first.filter(|_| second.is_none()).cloned()
    }
}
