//! What all sessions of a server share, built once.

use super::{Bare, PdServer};
use crate::{
    catalogue::Catalogue,
    gate::ticket::Tickets,
    policy::{Gate, Listing, Policy},
    registry::{Registry, group::Branch, problem::Problems},
    surface::extension,
};
use rmcp::{
    ServerHandler,
    model::{Implementation, ServerCapabilities, ServerConfig},
};
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::watch;
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

/// A built server, ready to make a handler for each connection. Clones share everything.
pub struct Shared<S, H = Bare> {
    inner: Arc<Inner<S, H>>,
}

struct Inner<S, H> {
    catalogue: watch::Sender<Arc<Catalogue<S>>>,
    state: Arc<S>,
    policy: Policy,
    tickets: Tickets,
    calls: TaskTracker,
    handler: H,
}

impl<S, H> Clone for Shared<S, H> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<S, H> fmt::Debug for Shared<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.inner.catalogue.borrow().entries.len();
        f.debug_struct("Shared").field("tools", &tools).field("policy", &self.inner.policy).finish_non_exhaustive()
    }
}

impl<S: Send + Sync + 'static, H: ServerHandler> Shared<S, H> {
    pub(super) fn new(registry: Registry<S>, state: S, policy: Policy, handler: H) -> Result<Self, Problems> {
        let catalogue = Catalogue::new(registry, &policy)?;
        let tickets = Tickets::new(&policy.ticket_key.unwrap_or_else(random_key), policy.ticket_life);
        let inner = Inner {
            catalogue: watch::Sender::new(Arc::new(catalogue)),
            state: Arc::new(state),
            tickets,
            calls: TaskTracker::new(),
            policy,
            handler,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A handler for one connection. It is not `Clone`: it may come to own a session.
    pub fn handler(&self) -> PdServer<S, H> {
        PdServer::new(self.clone())
    }

    /// Serves another registry from now on. Requests under way finish on the old one; clients are told that the list
    /// changed. Disclosures of tools whose contract is the same stay good.
    ///
    /// # Errors
    ///
    /// What is wrong with the registry; the old one stays.
    pub fn replace(&self, registry: Registry<S>) -> Result<(), Problems> {
        let catalogue = Catalogue::new(registry, &self.inner.policy)?;
        self.inner.catalogue.send_replace(Arc::new(catalogue));
        Ok(())
    }

    /// Waits until no call is running, for at most `grace`; says whether that came about.
    pub async fn idle(&self, grace: Duration) -> bool {
        self.inner.calls.close();
        let idle = tokio::time::timeout(grace, self.inner.calls.wait()).await.is_ok();
        self.inner.calls.reopen();
        idle
    }

    /// The groups that are served now.
    pub fn groups(&self) -> Vec<Branch> {
        self.catalogue().root.groups.clone()
    }

    /// The state that is lent to tools.
    pub fn state(&self) -> &Arc<S> {
        &self.inner.state
    }

    pub(crate) fn catalogue(&self) -> Arc<Catalogue<S>> {
        self.inner.catalogue.borrow().clone()
    }

    pub(super) fn changes(&self) -> watch::Receiver<Arc<Catalogue<S>>> {
        self.inner.catalogue.subscribe()
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.inner.policy
    }

    pub(super) fn tickets(&self) -> &Tickets {
        &self.inner.tickets
    }

    /// Whether every client is gated, so that the server may say so to all. Under `Negotiated` only those are that
    /// declared the extension, and they know.
    pub(super) fn is_gated(&self) -> bool {
        let policy = &self.inner.policy;
        policy.gate == Gate::Enforce && policy.listing != Listing::Negotiated && !self.catalogue().in_full
    }

    pub(super) fn inner_handler(&self) -> &H {
        &self.inner.handler
    }

    /// Counts a call as running until the token is dropped.
    pub(super) fn running(&self) -> TaskTrackerToken {
        self.inner.calls.token()
    }

    /// What the server says of itself: the registry's words, merged with the author's own handler's.
    pub(super) fn info(&self, handlers_own: ServerConfig) -> ServerConfig {
        let catalogue = self.catalogue();
        let mut info = handlers_own;
        info.server_info = Implementation::new(catalogue.info.name.clone(), catalogue.info.version.clone());
        self.declare(&mut info.capabilities);
        let workflow = self.is_gated().then(|| workflow(&self.inner.policy));
        let parts = [Some(catalogue.info.instructions.to_string()), info.instructions.take(), workflow];
        let parts: Vec<_> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        info.instructions = (!parts.is_empty()).then(|| parts.join("\n\n"));
        info
    }

    fn declare(&self, capabilities: &mut ServerCapabilities) {
        capabilities.tools.get_or_insert_default().list_changed = Some(true);
        capabilities.resources.get_or_insert_default();
        if self.inner.policy.listing != Listing::Full {
            capabilities.extensions.get_or_insert_default().extend(extension::declaration());
        }
    }
}

/// The workflow in three lines; hosts show a server's instructions to their model before anything else.
fn workflow(policy: &Policy) -> String {
    let fetch = if policy.describe_tools {
        "call describe_tools with its name, or read resource:///tool_descriptions?tools=NAME"
    } else {
        "read resource:///tool_descriptions?tools=NAME"
    };
    format!(
        "1. PICK a tool by its short description in the list, which says what it does.\n\
         2. FETCH its full description: {fetch}.\n\
         3. CALL it with the parameters you learned. A tool cannot be called before its description was fetched."
    )
}

fn random_key() -> [u8; 32] {
    let mut key = [0; 32];
    if let Err(error) = getrandom::fill(&mut key) {
        // Tickets are no credential: a guessable key lets callers skip reading, nothing more.
        tracing::warn!(%error, "no randomness for the ticket key; set one with `ticket_key`");
    }
    key
}
