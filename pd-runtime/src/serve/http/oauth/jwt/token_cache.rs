//! Verified tokens, so that a client pays for a signature once and not with each request.

use super::key_set::KeySet;
use crate::Principal;
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use std::{collections::HashMap, sync::Arc, time::SystemTime};

/// The limit on cached tokens.
const MOST: usize = 1_024;

/// Verified tokens by their digests. The tokens themselves are not stored.
#[derive(Default)]
pub(super) struct TokenCache(Mutex<HashMap<[u8; 32], CachedToken>>);

/// A token that was verified with these keys of this issuer.
struct CachedToken {
    principal: Principal,
    /// The end of its validity, in seconds since 1970.
    end: u64,
    issuer: usize,
    keys: Arc<KeySet>,
}

impl TokenCache {
    /// Returns the principal of a cached token, unless the token has expired or its issuer's keys
    /// have changed.
    pub(super) fn principal(
        &self,
        token: &str,
        keys_of: impl Fn(usize) -> Option<Arc<KeySet>>,
    ) -> Option<Principal> {
        let digest = digest(token);
        let tokens = self.tokens();
        let cached = tokens.get(&digest).filter(|cached| cached.end > now())?;
        let keys = keys_of(cached.issuer)?;
        // By pointer: a refresh keeps the set if its text is unchanged, so another pointer means
        // other keys.
        Arc::ptr_eq(&keys, &cached.keys).then(|| cached.principal.clone())
    }

    pub(super) fn remember(
        &self,
        token: &str,
        principal: Principal,
        end: u64,
        issuer: usize,
        keys: Arc<KeySet>,
    ) {
        let digest = digest(token);
        let mut tokens = self.tokens();
        if tokens.len() >= MOST {
            let now = now();
            tokens.retain(|_, cached| cached.end > now);
        }
        // Clearing everything needs no order of use; forgotten tokens are verified again.
        if tokens.len() >= MOST {
            tokens.clear();
        }
        tokens.insert(
            digest,
            CachedToken {
                principal,
                end,
                issuer,
                keys,
            },
        );
    }

    fn tokens(&self) -> MutexGuard<'_, HashMap<[u8; 32], CachedToken>> {
        self.0.lock()
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

fn now() -> u64 {
    // With a clock before 1970 every token counts as expired.
    SystemTime::UNIX_EPOCH
        .elapsed()
        .map_or(u64::MAX, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn few_are_remembered_however_many_come() {
        let verified = TokenCache::default();
        let keys = Arc::new(KeySet::default());
        for number in 0..3 * MOST {
            let end = if number % 2 == 0 { now() + 100 } else { now() };
            verified.remember(
                &number.to_string(),
                Principal::new("a"),
                end,
                0,
                keys.clone(),
            );
            assert!(verified.tokens().len() <= MOST);
        }
        let last = (3 * MOST - 2).to_string();
        assert_eq!(
            verified
                .principal(&last, |_| Some(keys.clone()))
                .unwrap()
                .subject(),
            "a"
        );
        assert_eq!(
            verified.principal(&last, |_| Some(Arc::new(KeySet::default()))),
            None,
            "other keys"
        );
        assert_eq!(
            verified.principal(&(3 * MOST - 1).to_string(), |_| Some(keys.clone())),
            None,
            "expired"
        );
    }
}
