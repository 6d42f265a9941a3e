//! What other replicas disclosed in a session: the store that they share, asked for one session.

use super::session::Session;
use crate::{
    policy::{
        access::Person,
        disclosure_store::{
            DisclosureStore, DisclosureStoreError, disclosure_record::Disclosed, session_key::SessionKey,
        },
    },
    protocol::headers::SESSION_ID,
    telemetry::log_throttle::LogThrottle,
};
use rmcp::{RoleServer, service::RequestContext};
use std::time::Duration;
use tokio::time::timeout;

/// How long a caller waits for a store. One that takes longer counts as gone: to read a description again is no harm.
pub(crate) const PATIENCE: Duration = Duration::from_millis(250);

/// One session in the store.
#[derive(Debug)]
pub(crate) struct Elsewhere<'a> {
    store: &'a dyn DisclosureStore,
    key: SessionKey,
}

impl<'a> Elsewhere<'a> {
    /// The session that this request of the session era came in: HTTP has found the handler by the header. Without one,
    /// there are no replicas.
    pub(crate) fn of(
        store: &'a dyn DisclosureStore,
        request: &RequestContext<RoleServer>,
        person: &Person,
    ) -> Option<Self> {
        let id = request.extensions.get::<http::request::Parts>()?.headers.get(SESSION_ID)?;
        Some(Self { store, key: SessionKey::new(id.as_bytes(), person) })
    }

    /// What was given in it.
    ///
    /// # Errors
    ///
    /// The store cannot be reached, or takes too long.
    pub(crate) async fn given(&self) -> Result<Vec<Disclosed>, DisclosureStoreError> {
        let given = timeout(PATIENCE, self.store.given(&self.key)).await;
        given.unwrap_or_else(|_| Err(too_slow())).inspect_err(tell)
    }

    /// Tells the store what was given; what it missed before, it is told with the next.
    ///
    /// # Errors
    ///
    /// The store cannot be reached, or takes too long.
    pub(crate) async fn record(&self, session: &Session, given: &[Disclosed]) -> Result<(), DisclosureStoreError> {
        let all = session.owes().then(|| session.given());
        let told = all.as_deref().unwrap_or(given);
        let recorded = timeout(PATIENCE, self.store.record(&self.key, told)).await.unwrap_or_else(|_| Err(too_slow()));
        session.owe(recorded.is_err());
        recorded.inspect_err(tell)
    }
}

/// An outage has an error for every call, and the log one a second.
fn tell(error: &DisclosureStoreError) {
    static THROTTLE: LogThrottle = LogThrottle::new();
    if THROTTLE.is_due() {
        tracing::warn!(%error, "replicas go on with what each remembers; some calls count as undisclosed");
    }
}

fn too_slow() -> DisclosureStoreError {
    DisclosureStoreError(format!("no answer in {} ms", PATIENCE.as_millis()))
}
