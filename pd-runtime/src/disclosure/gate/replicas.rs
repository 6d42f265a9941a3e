//! The disclosures that other replicas made in a session, read from the store that the replicas
//! share.

use super::session::DisclosureSession;
use crate::{
    policy::{
        access::CallerIdentity,
        disclosure_store::{
            DisclosureStore, DisclosureStoreError, disclosure_record::DisclosureRecord,
            session_key::SessionKey,
        },
    },
    protocol::headers::SESSION_ID,
    telemetry::log_throttle::LogThrottle,
};
use rmcp::{RoleServer, service::RequestContext};
use std::time::Duration;
use tokio::time::timeout;

/// The longest time that a caller waits for a store. A slower store counts as unreachable: reading
/// a description again does no harm.
pub(crate) const STORE_TIMEOUT: Duration = Duration::from_millis(250);

/// One session in the shared store.
#[derive(Debug)]
pub(crate) struct ReplicaSession<'a> {
    store: &'a dyn DisclosureStore,
    key: SessionKey,
}

impl<'a> ReplicaSession<'a> {
    /// Returns the session of this request, of the era with sessions. The transport has found the
    /// handler by the session header. Returns `None` without the header: other replicas cannot
    /// have such a session.
    pub(crate) fn from_request(
        store: &'a dyn DisclosureStore,
        request: &RequestContext<RoleServer>,
        person: &CallerIdentity,
    ) -> Option<Self> {
        let id = request
            .extensions
            .get::<http::request::Parts>()?
            .headers
            .get(SESSION_ID)?;
        Some(Self {
            store,
            key: SessionKey::new(id.as_bytes(), person),
        })
    }

    /// Returns the disclosures that the store has for this session.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or is too slow.
    pub(crate) async fn disclosures(&self) -> Result<Vec<DisclosureRecord>, DisclosureStoreError> {
        let disclosures = timeout(STORE_TIMEOUT, self.store.given(&self.key)).await;
        disclosures
            .unwrap_or_else(|_| Err(too_slow()))
            .inspect_err(log_outage)
    }

    /// Records disclosures in the store. If an earlier write failed, it writes all of the session's
    /// disclosures.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or is too slow.
    pub(crate) async fn record(
        &self,
        session: &DisclosureSession,
        disclosures: &[DisclosureRecord],
    ) -> Result<(), DisclosureStoreError> {
        // The store merges records, so writing everything again after an outage is safe.
        let all = session.is_store_behind().then(|| session.disclosures());
        let records = all.as_deref().unwrap_or(disclosures);
        let recorded = timeout(STORE_TIMEOUT, self.store.record(&self.key, records))
            .await
            .unwrap_or_else(|_| Err(too_slow()));
        // A race between two requests costs at most one more full write.
        session.set_store_behind(recorded.is_err());
        recorded.inspect_err(log_outage)
    }
}

/// Logs an error of the store. An outage causes an error for every call, so at most one a second is
/// logged.
fn log_outage(error: &DisclosureStoreError) {
    static THROTTLE: LogThrottle = LogThrottle::new();
    if THROTTLE.is_due() {
        tracing::warn!(%error, "the disclosure store failed; each replica uses only its own memory, and some calls count as undisclosed");
    }
}

fn too_slow() -> DisclosureStoreError {
    DisclosureStoreError(format!("no answer in {} ms", STORE_TIMEOUT.as_millis()))
}
