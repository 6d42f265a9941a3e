//! Where a session's disclosures are kept. Asynchronous and fallible, since they may be kept on another machine.

use crate::catalogue::digest::Fingerprint;
use futures::future::{BoxFuture, FutureExt, ready};
use std::{
    collections::HashSet,
    fmt::Debug,
    sync::{Mutex, PoisonError},
};

/// The disclosures of one session. Dropping it forgets them.
pub(crate) trait Disclosures: Debug + Send + Sync {
    /// Remembers that these descriptions were given; says whether one of them was new.
    fn record<'a>(&'a self, given: &'a [Fingerprint]) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Whether this description was given.
    fn contains(&self, description: Fingerprint) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// All that were given.
    fn given(&self) -> BoxFuture<'_, Result<HashSet<Fingerprint>, StoreError>>;
}

/// The store could not be reached.
#[derive(Debug, thiserror::Error)]
#[error("the store of disclosures cannot be reached: {0}")]
pub(crate) struct StoreError(pub(crate) String);

/// In this process.
#[derive(Debug, Default)]
pub(crate) struct InMemory {
    given: Mutex<HashSet<Fingerprint>>,
}

impl Disclosures for InMemory {
    fn record<'a>(&'a self, given: &'a [Fingerprint]) -> BoxFuture<'a, Result<bool, StoreError>> {
        let mut known = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.len();
        known.extend(given);
        ready(Ok(known.len() > before)).boxed()
    }

    fn contains(&self, description: Fingerprint) -> BoxFuture<'_, Result<bool, StoreError>> {
        let known = self.given.lock().unwrap_or_else(PoisonError::into_inner).contains(&description);
        ready(Ok(known)).boxed()
    }

    fn given(&self) -> BoxFuture<'_, Result<HashSet<Fingerprint>, StoreError>> {
        ready(Ok(self.given.lock().unwrap_or_else(PoisonError::into_inner).clone())).boxed()
    }
}
