//! What all sessions of a server share, whatever its state and its author's own handler are: this code compiles once,
//! not in every crate that has a server.

use super::{
    catalog_source::Ground,
    extras::Extras,
    identity::implementation,
    in_flight::{Calls, Running},
};
use crate::{
    catalog::Catalogue,
    disclosure::{caller::Caller, gate::ticket::Tickets, list_changed::Hub, recorder::Observer, view::View},
    policy::{
        Gate, Listing, Policy,
        meta_tools::{MetaTools, Purpose, Role, Tree},
        rate_limit::Limiter,
    },
    selective::data_plane::Plane,
    surface::{self, Wire, skills::Skills},
};

#[cfg(feature = "http")]
use crate::{
    policy::rate_limit::{Kind, retry_after::TryLater},
    quota_key::Payer,
    tool::principal::Principal,
};
use arc_swap::{ArcSwap, Guard};
use rmcp::model::{ServerCapabilities, ServerConfig};
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::watch;

/// What is served now, and the calls under way.
pub(crate) struct Served {
    /// Read with every request, on all threads at once: a count of its readers would pass from one to the other each time.
    catalogue: ArcSwap<Catalogue>,
    /// Wakes those who wait for another one.
    /// Wakes subscriptions. The number counts the changes that the author announced.
    changed: watch::Sender<u64>,
    /// What it was made of; locked while another is made.
    ground: Mutex<Ground>,
    pub(crate) policy: Policy,
    pub(super) tickets: Tickets,
    pub(super) hub: Arc<Hub>,
    limiter: Limiter,
    pub(crate) plane: Plane,
    pub(super) observer: Observer,
    /// Prompts and resources of the author's.
    pub(super) extras: Extras,
    calls: Calls,
}

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.catalogue().entries.len();
        f.debug_struct("Served").field("tools", &tools).field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Served {
    pub(crate) fn new(catalogue: Catalogue, policy: Policy, extras: Extras) -> Self {
        let key = policy.ticket_key.unwrap_or_else(random_key);
        let tickets = Tickets::new(&key, &policy.previous_ticket_keys, policy.ticket_life);
        let observer = Observer::new(&key, &policy.listeners);
        let hub = Hub::new(|terms| surface::notifications(terms).collect());
        let (compiled, limiter) = (Arc::new(catalogue), Limiter::new(&policy.limits));
        let (catalogue, ground) = (ArcSwap::new(compiled.clone()), Mutex::new(Ground::new(compiled)));
        let changed = watch::Sender::default();
        let plane = Plane::new(&policy.data_plane, policy.listeners.metrics.as_ref());
        let calls = Calls::default();
        Self { catalogue, changed, ground, tickets, hub, limiter, plane, observer, extras, calls, policy }
    }

    /// The catalogue as it is now. It stays so while this is held.
    pub(crate) fn catalogue(&self) -> Guard<Arc<Catalogue>> {
        self.catalogue.load()
    }

    /// Whether a tool, of any caller's, may have rows to keep.
    #[cfg(feature = "http")]
    pub(crate) fn has_selective_tool(&self) -> bool {
        self.catalogue().entries.iter().any(|entry| entry.tool.about.columns.is_some())
    }

    /// What a caller sees of this catalogue.
    pub(super) fn view<'a>(&'a self, caller: &'a Caller<'a>, catalogue: &'a Catalogue) -> View<'a> {
        View::new(caller, catalogue, &self.policy, &self.tickets, &self.limiter, &self.plane)
    }

    /// What whoever runs the server sees now.
    pub(crate) fn as_owner<T>(&self, look: impl FnOnce(&View<'_>) -> T) -> T {
        let (catalogue, caller) = (self.catalogue(), Caller::owner());
        look(&self.view(&caller, &catalogue))
    }

    pub(super) fn ground(&self) -> MutexGuard<'_, Ground> {
        self.ground.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves this from now on, and tells clients; to be called with the ground locked.
    pub(super) fn serve(&self, catalogue: Arc<Catalogue>) {
        self.catalogue.store(catalogue);
        self.changed.send_modify(|_| ());
        self.hub.tell(&self.catalogue.load_full(), false);
    }

    /// Notifies every client. The server cannot compare lists here: the new rights of a principal come with its next request.
    pub(super) fn tell_changed(&self) {
        self.changed.send_modify(|announced| *announced += 1);
        self.hub.tell(&self.catalogue.load_full(), true);
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Charges a principal for a session that it is about to open.
    ///
    /// # Errors
    ///
    /// The principal is at its limit. The error says when to come back.
    #[cfg(feature = "http")]
    pub(crate) fn charge_session(&self, principal: &Principal) -> Result<(), TryLater> {
        let charged = self.limiter.charge(Kind::Open, 1, Payer::Subject(principal.subject()), None);
        charged.inspect_err(|_| self.observer.report_limited_session(Kind::Open.in_words(), principal))
    }

    /// Counts a call as running until this is dropped.
    pub(super) fn running(&self) -> Running<'_> {
        self.calls.begin()
    }

    /// Waits until no call is running, for at most `grace`; says whether that came about.
    pub(crate) async fn idle(&self, grace: Duration) -> bool {
        tokio::time::timeout(grace, self.calls.over()).await.is_ok()
    }

    /// Whether calls are gated for this caller, or for some caller where none is known, so that the instructions say so.
    /// Under `Negotiated` only clients that declared the extension are gated, and they know.
    fn is_gated(&self, view: Option<&View<'_>>) -> bool {
        let policy = &self.policy;
        let in_full = || match view {
            Some(view) => view.lists_in_full(),
            None => self.as_owner(|view| view.lists_in_full()),
        };
        // The clients of some wires are never refused, whatever the server's gate is.
        let gate = view.map_or(policy.gate, View::gate);
        gate == Gate::Enforce && policy.listing != Listing::Negotiated && !in_full()
    }

    /// As much of it as rmcp itself looks at, with every request that carries its own metadata: what there is to call and to
    /// listen to, and who this is, which it tells where a subscription ends.
    pub(super) fn outline(&self, handlers_own: ServerConfig) -> ServerConfig {
        let catalogue = self.catalogue();
        let mut info = handlers_own;
        info.server_info = implementation(&catalogue, info.server_info);
        declare_basics(&mut info.capabilities);
        self.extras.declare(&mut info.capabilities);
        Skills.declare(&catalogue, &self.policy, &mut info.capabilities);
        info
    }

    /// What the server says of itself, to one caller or to all: the registry's words, merged with the author's own handler's.
    pub(super) fn info(&self, handlers_own: ServerConfig, view: Option<&View<'_>>) -> ServerConfig {
        let catalogue = self.catalogue();
        let mut info = handlers_own;
        info.server_info = implementation(&catalogue, info.server_info);
        declare(&catalogue, &self.policy, view, &mut info.capabilities);
        self.extras.declare(&mut info.capabilities);
        let workflow = self.is_gated(view).then(|| workflow(self.policy.meta_tools()));
        let parts = [Some(catalogue.info.instructions.to_string()), info.instructions.take(), workflow];
        let parts: Vec<_> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        info.instructions = (!parts.is_empty()).then(|| parts.join("\n\n"));
        info
    }
}

fn declare(catalogue: &Catalogue, policy: &Policy, view: Option<&View<'_>>, capabilities: &mut ServerCapabilities) {
    declare_basics(capabilities);
    let wires = surface::WIRES.iter().filter(|wire| view.is_none_or(|view| wire.exists(view)));
    wires.for_each(|wire| wire.declare(catalogue, policy, capabilities));
}

fn declare_basics(capabilities: &mut ServerCapabilities) {
    capabilities.tools.get_or_insert_default().list_changed = Some(true);
    capabilities.resources.get_or_insert_default();
}

/// The workflow in three lines; hosts show a server's instructions to their model before anything else.
fn workflow(offered: &MetaTools) -> String {
    let pick = match offered.name_of(Purpose::Find).or(offered.name_of(Purpose::List)) {
        Some(find) => format!("PICK a tool by its short description, in the list or found with {find}."),
        None => "PICK a tool by its short description in the list, which says what it does.".to_owned(),
    };
    let unless = if offered.offers(Role::Find) { ", unless its signature was found with it" } else { "" };
    let fetch = match offered.name_of(Purpose::Describe) {
        Some(describe) => {
            let by = if offered.offers(Role::Tree(Tree::Describe)) { "path" } else { "name" };
            format!("call {describe} with its {by}, or read resource:///tool_descriptions?tools=NAME")
        }
        None => "read resource:///tool_descriptions?tools=NAME".to_owned(),
    };
    let call = match offered.name_of(Purpose::Call).or(offered.name_of(Purpose::CallReadOnly)) {
        Some(call) => format!("CALL it with the parameters you learned, through {call} if it is not in the list."),
        None => "CALL it with the parameters you learned.".to_owned(),
    };
    format!(
        "1. {pick}\n2. FETCH its full description{unless}: {fetch}.\n3. {call} A tool cannot be called before its description was fetched."
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
