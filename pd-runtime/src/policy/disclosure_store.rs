//! Where disclosures are kept that several replicas must know of. What one replica disclosed itself, its sessions remember.

pub(crate) mod disclosure_record;
pub(crate) mod session_key;

use disclosure_record::Disclosed;
use futures::future::BoxFuture;
use session_key::SessionKey;
use std::fmt;

/// Keeps the disclosures of sessions that several replicas of a server serve: see
/// [`ServerBuilder::disclosure_store`](crate::ServerBuilder::disclosure_store).
///
/// Only clients up to 2025-11-25 have sessions; from 2026-07-28 tickets prove disclosures, and nothing is kept. A replica asks
/// about a description that its own part of the session has not given, and remembers the answer. Where the store fails, a call
/// counts as undisclosed: it is refused with its description, which admits the next one.
///
/// `redis::Store` (feature `redis`) is one. One of your own keeps 24 bytes a disclosure under 32 bytes a session, and answers
/// fast: nobody waits for more than 250 ms. This one is for replicas in one process, as tests have them; it forgets nothing,
/// which a real one does when a session has been idle:
///
/// ```
/// use futures::{FutureExt, future::{BoxFuture, ready}};
/// use pd_runtime::{Disclosed, DisclosureStore, DisclosureStoreError, SessionKey};
/// use std::{collections::{HashMap, HashSet}, sync::{Mutex, MutexGuard, PoisonError}};
///
/// #[derive(Debug, Default)]
/// struct InMemory(Mutex<Sessions>);
///
/// type Sessions = HashMap<SessionKey, HashSet<Disclosed>>;
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
///         given: &'a [Disclosed],
///     ) -> BoxFuture<'a, Result<(), DisclosureStoreError>> {
///         self.sessions().entry(*session).or_default().extend(given);
///         ready(Ok(())).boxed()
///     }
///
///     fn given<'a>(&'a self, session: &'a SessionKey) -> BoxFuture<'a, Result<Vec<Disclosed>, DisclosureStoreError>> {
///         let given = self.sessions().get(session).into_iter().flatten().copied().collect();
///         ready(Ok(given)).boxed()
///     }
/// }
///
/// # futures::executor::block_on(async {
/// let (store, session) = (InMemory::default(), SessionKey::from_bytes([7; 32]));
/// let disclosed = Disclosed::from_bytes([1; 24]);
/// store.record(&session, &[disclosed, disclosed]).await?;
/// assert_eq!(store.given(&session).await?, [disclosed]);
/// assert_eq!(store.given(&SessionKey::from_bytes([8; 32])).await?, []);
/// # Ok::<(), DisclosureStoreError>(())
/// # }).unwrap();
/// ```
pub trait DisclosureStore: fmt::Debug + Send + Sync {
    /// Remembers that these descriptions were given in a session, at least as long as an idle session lives. To remember one
    /// twice changes nothing.
    ///
    /// # Errors
    ///
    /// The store cannot be reached.
    fn record<'a>(
        &'a self,
        session: &'a SessionKey,
        given: &'a [Disclosed],
    ) -> BoxFuture<'a, Result<(), DisclosureStoreError>>;

    /// What was given in a session, oldest first where the store knows; nothing for a session that it does not know.
    ///
    /// # Errors
    ///
    /// The store cannot be reached.
    fn given<'a>(&'a self, session: &'a SessionKey) -> BoxFuture<'a, Result<Vec<Disclosed>, DisclosureStoreError>>;
}

/// The store could not be reached. Its text goes to the log, never to clients.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store of disclosures cannot be reached: {0}")]
pub struct DisclosureStoreError(pub String);
