//! The state that all sessions of a server share. It is independent of the author's state type and
//! handler, so it compiles once, in this crate, and not in every crate that has a server.

use super::{
    catalog_source::CatalogSource,
    early_index::EarlyIndex,
    extras::ServerExtras,
    identity::implementation,
    in_flight::{InFlightCalls, RunningCall},
};
use crate::{
    catalog::Catalog,
    disclosure::{
        caller::Caller,
        gate::{
            refused_calls::RefusedCalls, state_directory::StateDirectory, ticket::TicketSigner,
        },
        list_changed::ListChangeHub,
        recorder::EventRecorder,
        view::CallerView,
    },
    policy::{
        ListingStep, Policy,
        meta_tool_purpose::MetaToolPurpose,
        meta_tools::{MetaToolRole, MetaTools},
        rate_limit::CallLimiter,
    },
    selective::data_plane::DataPlaneRuntime,
    surface::{self, Surface, call_routes, meta_tools::presets, skills::SkillsSurface},
};

#[cfg(feature = "http")]
use crate::{
    policy::rate_limit::{ChargeKind, retry_after::TryLater},
    protocol::quota_key::QuotaKey,
    tool::principal::Principal,
};
use arc_swap::{ArcSwap, Guard};
use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{ServerCapabilities, ServerConfig};
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::watch;

/// The served catalog, and everything that all sessions share.
pub(crate) struct ServerCore {
    /// The served catalog. All threads read it with every request, so an `ArcSwap` holds it: the
    /// reference count of an `RwLock<Arc>` would move between cores each time.
    catalog: Arc<ArcSwap<Catalog>>,
    early_index: EarlyIndex,
    /// Wakes subscriptions when the catalog changes. The number counts the changes that the author
    /// announced.
    changed: watch::Sender<u64>,
    /// The sources of the catalog; locked while a new catalog is made.
    sources: Mutex<CatalogSource>,
    pub(crate) policy: Policy,
    pub(super) tickets: TicketSigner,
    pub(super) refused_calls: RefusedCalls,
    pub(super) hub: Arc<ListChangeHub>,
    limiter: CallLimiter,
    pub(crate) plane: DataPlaneRuntime,
    pub(super) observer: EventRecorder,
    /// The author's own prompts and resources.
    pub(super) extras: ServerExtras,
    calls: InFlightCalls,
}

impl fmt::Debug for ServerCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.catalog().entries.len();
        f.debug_struct("ServerCore")
            .field("tools", &tools)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl ServerCore {
    pub(crate) fn new(catalog: Catalog, policy: Policy, extras: ServerExtras) -> Self {
        // A generated key is lost with the process, so its tickets are refused after a restart.
        let state = policy.state_directory.as_deref().map(StateDirectory::new);
        let key = policy
            .ticket_key
            .or_else(|| state?.ticket_key())
            .unwrap_or_else(random_key);
        let refused_calls = RefusedCalls::new(state.map(StateDirectory::refused_calls));
        let tickets = TicketSigner::new(&key, &policy.previous_ticket_keys, policy.ticket_life);
        // Pseudonyms derive from the same key, so replicas that share it use the same ones.
        let observer = EventRecorder::new(&key, &policy.listeners);
        let hub = ListChangeHub::new(|terms| surface::notifications(terms).collect());
        let compiled = Arc::new(catalog);
        let limiter = CallLimiter::new(&policy.limits);
        #[cfg(feature = "code")]
        let limiter = match &policy.code {
            Some(mode) => limiter.with_runs(mode.runs, mode.runs_each),
            None => limiter,
        };
        let catalog = Arc::new(ArcSwap::new(compiled.clone()));
        let early_index = EarlyIndex::default();
        early_index.start(&catalog);
        let sources = Mutex::new(CatalogSource::new(compiled));
        let changed = watch::Sender::default();
        let plane = DataPlaneRuntime::new(&policy.data_plane, policy.listeners.metrics.as_ref());
        let calls = InFlightCalls::default();
        Self {
            catalog,
            early_index,
            changed,
            sources,
            tickets,
            refused_calls,
            hub,
            limiter,
            plane,
            observer,
            extras,
            calls,
            policy,
        }
    }

    /// Returns a snapshot of the current catalog, valid for as long as the guard is held.
    pub(crate) fn catalog(&self) -> Guard<Arc<Catalog>> {
        self.catalog.load()
    }

    /// Returns whether any tool, visible to any caller, may have rows to store, now or later.
    #[cfg(feature = "http")]
    pub(crate) fn has_selective_tool(&self) -> bool {
        self.policy.expects_rows
            || self.policy.has_code_worker()
            || self
                .catalog()
                .entries
                .iter()
                .any(|entry| entry.tool.about.columns.is_some())
    }

    /// Returns this catalog as the caller may see it.
    pub(super) fn view<'a>(
        &'a self,
        caller: &'a Caller<'a>,
        catalog: &'a Catalog,
    ) -> CallerView<'a> {
        CallerView::new(
            caller,
            catalog,
            &self.policy,
            &self.tickets,
            &self.limiter,
            &self.plane,
        )
    }

    /// Runs a function on the current view of the server's operator.
    pub(crate) fn as_owner<T>(&self, look: impl FnOnce(&CallerView<'_>) -> T) -> T {
        let catalog = self.catalog();
        let caller = Caller::owner();
        look(&self.view(&caller, &catalog))
    }

    pub(super) fn sources(&self) -> MutexGuard<'_, CatalogSource> {
        self.sources.lock()
    }

    /// Replaces the compiled catalog. The texts of an overlay stay where they fit.
    pub(super) fn replace(&self, mut compiled: Catalog) {
        let mut sources = self.sources();
        let served = self.catalog();
        // Keeps the former digests of each tool, so that a refusal can report a changed
        // description, and the concurrency slots of calls that still run.
        compiled.take_over(&served);
        sources.compiled = Arc::new(compiled);
        #[cfg(feature = "overlay")]
        let catalog = self.edited_catalog(&mut sources, &served);
        #[cfg(not(feature = "overlay"))]
        let catalog = sources.compiled.clone();
        self.serve(catalog);
    }

    /// Publishes a catalog and notifies the clients that see a change. The caller must hold the
    /// lock of the sources.
    pub(super) fn serve(&self, catalog: Arc<Catalog>) {
        // First, so that a client that lists after its notification gets the new list.
        self.catalog.store(catalog);
        self.early_index.start(&self.catalog);
        // The value stays: the subscriptions compare their own lists to decide whether to notify.
        self.changed.send_modify(|_| ());
        self.hub.notify_all(&self.catalog.load_full(), false);
    }

    /// Notifies every client. The server cannot compare lists here, because a principal's new
    /// rights arrive with its next request.
    pub(super) fn notify_tools_changed(&self) {
        self.changed.send_modify(|announced| *announced += 1);
        self.hub.notify_all(&self.catalog.load_full(), true);
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Charges a principal for a session that it is about to open.
    ///
    /// # Errors
    ///
    /// Returns an error if the principal is at its limit. The error contains the time to retry.
    #[cfg(feature = "http")]
    pub(crate) fn charge_session(&self, principal: &Principal) -> Result<(), TryLater> {
        let charged = self.limiter.charge(
            ChargeKind::Open,
            1,
            QuotaKey::Subject(principal.subject()),
            None,
        );
        charged.inspect_err(|_| {
            self.observer
                .report_limited_session(ChargeKind::Open.as_str(), principal)
        })
    }

    /// Counts a call as running until this is dropped.
    pub(super) fn begin_call(&self) -> RunningCall<'_> {
        self.calls.begin()
    }

    /// Waits until no call is running, for at most `grace`. Returns whether all calls have ended.
    pub(crate) async fn wait_idle(&self, grace: Duration) -> bool {
        tokio::time::timeout(grace, self.calls.wait_idle())
            .await
            .is_ok()
    }

    /// Returns the part of the server's information that rmcp itself reads with every
    /// self-contained request: the capabilities, and the name, which ends a subscription.
    pub(super) fn outline(&self, handlers_own: ServerConfig) -> ServerConfig {
        let catalog = self.catalog();
        let mut info = handlers_own;
        info.server_info = implementation(&catalog, info.server_info);
        declare_basics(&mut info.capabilities);
        self.extras.declare(&mut info.capabilities);
        SkillsSurface.declare(&catalog, &self.policy, &mut info.capabilities);
        info
    }

    /// Returns the server's information, for one caller or for all. The registry's instructions
    /// come first, then the handler's, then the workflow.
    pub(super) fn info(
        &self,
        handlers_own: ServerConfig,
        view: Option<&CallerView<'_>>,
    ) -> ServerConfig {
        let catalog = self.catalog();
        let mut info = handlers_own;
        info.server_info = implementation(&catalog, info.server_info);
        declare(&catalog, &self.policy, view, &mut info.capabilities);
        self.extras.declare(&mut info.capabilities);
        let texts = |view: &CallerView<'_>| (view.instructions().into_owned(), workflow_for(view));
        let (own, workflow) = match view {
            Some(view) => texts(view),
            None => self.as_owner(texts),
        };
        let parts = [Some(own), info.instructions.take(), workflow];
        let parts: Vec<_> = parts
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect();
        info.instructions = (!parts.is_empty()).then(|| parts.join("\n\n"));
        info
    }
}

fn declare(
    catalog: &Catalog,
    policy: &Policy,
    view: Option<&CallerView<'_>>,
    capabilities: &mut ServerCapabilities,
) {
    declare_basics(capabilities);
    // Declaring a surface of which the caller sees nothing would reveal that hidden entries exist.
    let surfaces = surface::SURFACES
        .iter()
        .filter(|surface| view.is_none_or(|view| surface.exists(view)));
    surfaces.for_each(|surface| surface.declare(catalog, policy, capabilities));
}

fn declare_basics(capabilities: &mut ServerCapabilities) {
    capabilities.tools.get_or_insert_default().list_changed = Some(true);
    capabilities.resources.get_or_insert_default();
}

/// Returns the workflow, if the caller needs to know one.
fn workflow_for(view: &CallerView<'_>) -> Option<String> {
    let terms = &view.caller.terms;
    // A gateway calls nothing by itself, and the list of a Delta-MCP client shows no arguments.
    if terms.relays || terms.wants_brief {
        return None;
    }
    match view.step() {
        ListingStep::Outline => outline_workflow(view.meta_tools()),
        _ => view.refuses_unread().then(|| workflow(view)),
    }
}

/// Renders the workflow for lists in outline: calls need no description, but it may help.
fn outline_workflow(offered: &MetaTools) -> Option<String> {
    let describe = offered.name_of(MetaToolPurpose::Describe)?;
    Some(format!(
        "The list shows the arguments of each tool without explanations. Call {describe} before a call whose arguments \
         are not clear from their names."
    ))
}

/// Renders the workflow in three lines. Hosts show a server's instructions to their model before
/// anything else.
fn workflow(view: &CallerView<'_>) -> String {
    let offered = view.meta_tools();
    if let Some(workflow) = presets::workflow(offered) {
        return workflow;
    }
    let pick = match offered
        .name_of(MetaToolPurpose::Find)
        .or(offered.name_of(MetaToolPurpose::List))
    {
        Some(find) => {
            format!("PICK a tool by its short description, in the list or found with {find}.")
        }
        None => {
            "PICK a tool by its short description in the list, which says what it does.".to_owned()
        }
    };
    // A hit that is clearly best comes with its signature, and that disclosure admits the caller.
    let unless = if offered.offers(MetaToolRole::Find) {
        ", unless its signature was found with it"
    } else {
        ""
    };
    let fetch = match offered.name_of(MetaToolPurpose::Describe) {
        Some(describe) => {
            let by = if offered.describes_by_path() {
                "path"
            } else {
                "name"
            };
            format!(
                "call {describe} with its {by}, or read resource:///tool_descriptions?tools=NAME"
            )
        }
        None => "read resource:///tool_descriptions?tools=NAME".to_owned(),
    };
    #[cfg(feature = "code")]
    if let Some(run) = offered.name_of(MetaToolPurpose::RunCode) {
        return format!(
            "1. {pick}\n2. FETCH its signature{unless}: {fetch}.\n3. WRITE one program for the whole task, and run it with \
             {run}: `await tools.NAME({{...}})` calls a tool, and you read what `return` gives."
        );
    }
    let listed: Vec<_> = call_routes::listed(view).collect();
    let call = |purpose| {
        listed
            .iter()
            .find(|offer| offer.role.purpose() == purpose)
            .map(|offer| &*offer.name)
    };
    let call = match (
        call(MetaToolPurpose::Call),
        call(MetaToolPurpose::CallReadOnly),
    ) {
        (Some(call), Some(reading)) => format!(
            "CALL it with the parameters you learned, through {reading} (or {call}, if it may write) if it is not in \
             the list."
        ),
        (Some(call), None) | (None, Some(call)) => {
            format!(
                "CALL it with the parameters you learned, through {call} if it is not in the list."
            )
        }
        (None, None) => "CALL it with the parameters you learned.".to_owned(),
    };
    format!(
        "1. {pick}\n2. FETCH its full description{unless}: {fetch}.\n3. {call} A tool cannot be called before its description was fetched."
    )
}

fn random_key() -> [u8; 32] {
    let mut key = [0; 32];
    if let Err(error) = getrandom::fill(&mut key) {
        // Tickets are not credentials: a guessable key lets callers skip reading, nothing more.
        tracing::warn!(%error, "could not generate a ticket key; set one with `ticket_key`");
    }
    key
}
