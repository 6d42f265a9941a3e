//! An issuer's keys at one time, and which of them a token means. What one is worth is decided in `jwk`.

use super::{
    error::{JwtKeyError, MOST_KEYS},
    jwk::Key,
    token::Token,
};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The keys of one issuer at one time.
#[derive(Debug, Default)]
pub(super) struct KeySet {
    keys: Vec<Key>,
    /// Of the text they were read from.
    digest: [u8; 32],
}

#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<Value>,
}

impl KeySet {
    pub(super) fn of(key: Key) -> Self {
        Self { keys: vec![key], ..Self::default() }
    }

    pub(super) fn from_jwks(text: &str) -> Result<Self, JwtKeyError> {
        let set: JwkSet = serde_json::from_str(text)?;
        if set.keys.len() > MOST_KEYS {
            return Err(JwtKeyError::TooManyKeys);
        }
        // What is not understood is ignored (RFC 7517, section 5).
        let keys: Vec<_> = set.keys.iter().filter_map(Key::from_jwk).collect();
        if keys.is_empty() {
            return Err(JwtKeyError::NoKey);
        }
        Ok(Self { keys, digest: Sha256::digest(text).into() })
    }

    /// Whether both were read from the same text.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        self.digest == other.digest
    }

    /// The one key that the token can mean: by its id, or, where either has none, by the algorithm. Several keys are not tried:
    /// what judging a token costs must not depend on who sends it.
    pub(super) fn key_for(&self, token: &Token<'_>) -> Option<Key> {
        let said = token.key_id();
        let is_named = |key: &Key| said.is_some() && key.id.as_deref() == said;
        let is_known = self.keys.iter().any(is_named);
        let is_meant = |key: &&Key| match said {
            Some(_) if is_known => is_named(key),
            Some(_) => key.id.is_none(),
            None => true,
        };
        let mut fitting = self.keys.iter().filter(is_meant).filter(|key| key.algorithms.contains(&token.algorithm()));
        let (first, second) = (fitting.next(), fitting.next());
        first.filter(|_| second.is_none()).cloned()
    }
}
