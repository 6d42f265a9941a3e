//! The store of disclosures that replicas share. A replica remembers in its sessions what it has
//! disclosed itself.

pub(crate) mod disclosure_record;
pub(crate) mod session_key;

use disclosure_record::DisclosureRecord;
use futures::future::BoxFuture;
use session_key::SessionKey;
use std::fmt;

/// Stores the disclosures of sessions that several replicas of a server serve: see
/// [`ServerBuilder::disclosure_store`](crate::ServerBuilder::disclosure_store).
///
/// Only clients up to 2025-11-25 have sessions. From 2026-07-28 on, tickets prove disclosures, and
/// nothing is stored. A replica queries the store for descriptions that it has not disclosed itself
/// in the session, and caches the answer. If the store fails, a call counts as undisclosed: the
/// server refuses it together with the description, and the next call succeeds.
///
/// `redis::SessionStore` (feature `redis`) implements this trait. Another implementation stores 24
/// bytes per disclosure under a key of 32 bytes per session. It must answer fast: a request waits
/// for at most 250 ms. The following store is for replicas in one process, such as in tests. It
/// never removes sessions, which a real store does after an idle time:
///
/// ```
/// use futures::{FutureExt, future::{BoxFuture, ready}};
/// use pd_runtime::store::{DisclosureRecord, DisclosureStore, DisclosureStoreError, SessionKey};
/// use std::{collections::{HashMap, HashSet}, sync::{Mutex, MutexGuard, PoisonError}};
///
/// #[derive(Debug, Default)]
/// struct InMemory(Mutex<Sessions>);
///
/// type Sessions = HashMap<SessionKey, HashSet<DisclosureRecord>>;
///
/// impl InMemory {
///     fn sessions(&self) -> MutexGuard<'_, Sessions> {
///         self.0.lock().unwrap_or_else(PoisonError::into_inner)
///     }
/// }
///
/// impl DisclosureStore for InMemory {
///     fn record<'a>(
///         &'a self,
///         session: &'a SessionKey,
///         given: &'a [DisclosureRecord],
///     ) -> BoxFuture<'a, Result<(), DisclosureStoreError>> {
///         self.sessions().entry(*session).or_default().extend(given);
///         ready(Ok(())).boxed()
///     }
///
///     fn given<'a>(
///         &'a self,
///         session: &'a SessionKey,
///     ) -> BoxFuture<'a, Result<Vec<DisclosureRecord>, DisclosureStoreError>> {
///         let given = self.sessions().get(session).into_iter().flatten().copied().collect();
///         ready(Ok(given)).boxed()
///     }
/// }
///
/// # futures::executor::block_on(async {
/// let (store, session) = (InMemory::default(), SessionKey::from_bytes([7; 32]));
/// let disclosed = DisclosureRecord::from_bytes([1; 24]);
/// store.record(&session, &[disclosed, disclosed]).await?;
/// assert_eq!(store.given(&session).await?, [disclosed]);
/// assert_eq!(store.given(&SessionKey::from_bytes([8; 32])).await?, []);
/// # Ok::<(), DisclosureStoreError>(())
/// # }).unwrap();
/// ```
pub trait DisclosureStore: fmt::Debug + Send + Sync {
    /// Records that these descriptions were disclosed in a session. The record must live at least
    /// as long as an idle session. Recording a description twice has no further effect.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached.
    fn record<'a>(
        &'a self,
        session: &'a SessionKey,
        given: &'a [DisclosureRecord],
    ) -> BoxFuture<'a, Result<(), DisclosureStoreError>>;

    /// Returns the disclosures of a session, oldest first if the store knows the order. An unknown
    /// session has none.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached.
    fn given<'a>(
        &'a self,
        session: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<DisclosureRecord>, DisclosureStoreError>>;
}

/// The store could not be reached. The server writes the text to its log and never sends it to
/// clients.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the disclosure store cannot be reached: {0}")]
pub struct DisclosureStoreError(pub String);
