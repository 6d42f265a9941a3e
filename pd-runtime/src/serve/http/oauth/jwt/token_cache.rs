//! Tokens that were found good, so that a client pays for a signature once and not with every request.

use super::key_set::KeySet;
use crate::Principal;
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

/// The most tokens that are remembered.
const MOST: usize = 1_024;

/// Tokens by their digests; they themselves are not kept.
#[derive(Default)]
pub(super) struct Verified(Mutex<HashMap<[u8; 32], Good>>);

/// A token that was found good by these keys of this issuer.
struct Good {
    principal: Principal,
    /// In seconds since 1970.
    end: u64,
    issuer: usize,
    keys: Arc<KeySet>,
}

impl Verified {
    /// Whose token it is, if it was found good, has not expired since, and by keys that its issuer still has.
    pub(super) fn principal(&self, token: &str, keys_of: impl Fn(usize) -> Option<Arc<KeySet>>) -> Option<Principal> {
        let digest = digest(token);
        let held = self.held();
        let good = held.get(&digest).filter(|good| good.end > now())?;
        let keys = keys_of(good.issuer)?;
        Arc::ptr_eq(&keys, &good.keys).then(|| good.principal.clone())
    }

    pub(super) fn remember(&self, token: &str, principal: Principal, end: u64, issuer: usize, keys: Arc<KeySet>) {
        let digest = digest(token);
        let mut held = self.held();
        if held.len() >= MOST {
            let now = now();
            held.retain(|_, good| good.end > now);
        }
        // Whatever is forgotten is only judged again.
        if held.len() >= MOST {
            held.clear();
        }
        held.insert(digest, Good { principal, end, issuer, keys });
    }

    fn held(&self) -> MutexGuard<'_, HashMap<[u8; 32], Good>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(u64::MAX, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn few_are_remembered_however_many_come() {
        let (verified, keys) = (Verified::default(), Arc::new(KeySet::default()));
        for number in 0..3 * MOST {
            let end = if number % 2 == 0 { now() + 100 } else { now() };
            verified.remember(&number.to_string(), Principal::new("a"), end, 0, keys.clone());
            assert!(verified.held().len() <= MOST);
        }
        let last = (3 * MOST - 2).to_string();
        assert_eq!(verified.principal(&last, |_| Some(keys.clone())).unwrap().subject(), "a");
        assert_eq!(verified.principal(&last, |_| Some(Arc::new(KeySet::default()))), None, "other keys");
        assert_eq!(verified.principal(&(3 * MOST - 1).to_string(), |_| Some(keys.clone())), None, "expired");
    }
}
