//! A built server, with the state that its author put into it.

use super::{
    Bare, PdServer,
    host::{Host, Hosting},
    served::Served,
};
use crate::{
    catalogue::Catalogue,
    policy::Policy,
    registry::{Registry, group::Branch, problem::Problems},
};
use rmcp::ServerHandler;
use std::{fmt, sync::Arc, time::Duration};

/// A built server, ready to make a handler for each connection. Clones share everything.
pub struct Shared<S, H = Bare> {
    state: Arc<S>,
    served: Arc<Served>,
    inner: Arc<H>,
    host: Arc<dyn Host>,
}

impl<S, H> Clone for Shared<S, H> {
    fn clone(&self) -> Self {
        let (state, served, inner) = (self.state.clone(), self.served.clone(), self.inner.clone());
        Self { state, served, inner, host: self.host.clone() }
    }
}

impl<S, H> fmt::Debug for Shared<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("served", &self.served).finish_non_exhaustive()
    }
}

impl<S: Send + Sync + 'static, H: ServerHandler> Shared<S, H> {
    pub(super) fn new(
        registry: Registry<S>,
        state: S,
        policy: Policy,
        inner: H,
        hosting: Hosting<H>,
    ) -> Result<Self, Problems> {
        let (state, inner) = (Arc::new(state), Arc::new(inner));
        let catalogue = Catalogue::new(registry.bound(&state), &policy)?;
        let served = Arc::new(Served::new(catalogue, policy));
        Ok(Self { host: hosting(served.clone(), inner.clone()), state, served, inner })
    }

    /// A handler for one connection. It is not `Clone`: it may come to own a session.
    pub fn handler(&self) -> PdServer<H> {
        PdServer::new(self.served.clone(), self.inner.clone())
    }

    /// Serves another registry from now on. Requests under way finish on the old one; clients are told that the list
    /// changed. Disclosures of tools whose contract is the same stay good.
    ///
    /// # Errors
    ///
    /// What is wrong with the registry; the old one stays.
    pub fn replace(&self, registry: Registry<S>) -> Result<(), Problems> {
        self.served.replace(Catalogue::new(registry.bound(&self.state), &self.served.policy)?);
        Ok(())
    }

    /// Tells clients that their lists may have changed though the registry did not: what a principal may see, say.
    pub fn tell_changed(&self) {
        self.served.tell_changed();
    }

    /// Waits until no call is running, for at most `grace`; says whether that came about.
    pub async fn idle(&self, grace: Duration) -> bool {
        self.served.idle(grace).await
    }

    /// The groups that are served now.
    pub fn groups(&self) -> Vec<Branch> {
        self.served.catalogue().root.groups.clone()
    }

    /// The state that is lent to tools.
    pub fn state(&self) -> &Arc<S> {
        &self.state
    }

    pub(crate) fn host(&self) -> &Arc<dyn Host> {
        &self.host
    }
}
