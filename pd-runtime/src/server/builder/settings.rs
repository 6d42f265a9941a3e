//! The settings of a server: listing, gate, meta-tools, access, limits, telemetry. Each changes the
//! policy and nothing else.

use super::ServerBuilder;
use crate::{
    policy::{
        EmbeddingModel, GateMode, Listing, MinimalSchema, Refusal,
        access::{Access, AccessRules},
        disclosure_store::DisclosureStore,
        limits::Limits,
        meta_tools::{MetaToolRole, MetaTools},
        session_per_call::SessionPerCall,
    },
    search::Embedder,
    selective::data_plane::DataPlane,
    telemetry::audit::{self, Audit},
};
use rmcp::ServerHandler;
use std::{path::PathBuf, sync::Arc, time::Duration};

impl<S: Send + Sync + 'static, H: ServerHandler> ServerBuilder<S, H> {
    /// Applies the settings of a known pattern: the listing, the meta-tools and the minimal schema.
    /// (Feature `presets`.)
    #[cfg(feature = "presets")]
    #[must_use]
    pub fn preset(mut self, preset: crate::config::Preset) -> Self {
        preset.apply(&mut self.policy);
        self
    }

    /// Sets how tools are listed; [`Listing::AUTO`] by default.
    #[must_use]
    pub fn listing(mut self, listing: Listing) -> Self {
        self.policy.listing = listing;
        self
    }

    /// Lets [`Listing::Auto`] go by the table of hosts in
    /// [`_docs::agent_frameworks`](crate::_docs::agent_frameworks), by the name that a client
    /// sends. Off by default: MCP 2026-07-28 advises against it. A name changes only how much a
    /// list shows.
    #[must_use]
    pub fn adapt_to_hosts(mut self, adapts: bool) -> Self {
        self.policy.adapts_to_hosts = adapts;
        self
    }

    /// Asks the user before calls through `call_tool` and before programs, if a tool may delete or
    /// overwrite data: it is not read-only, and does not declare `destructive = false` (MCP,
    /// `ToolAnnotations`). Off by default.
    ///
    /// A host asks its user by the name of the tool in its list. Behind `call_tool` that is one name
    /// for all tools. A program is asked about once, with all tools that its text names; calls of
    /// others, whose names it computes, are refused with `NEEDS_DIRECT_CALL`. A client that cannot ask
    /// ([`CallContext::can_ask`](crate::CallContext::can_ask)) calls tools as before.
    #[must_use]
    pub fn confirm_destructive(mut self, asks: bool) -> Self {
        self.policy.confirms_destructive = asks;
        self
    }

    /// Serves specification v2.1 to the letter: [`Listing::Minimal`] with
    /// [`MinimalSchema::Literal`], [`GateMode::Enforce`], [`Refusal::Bare`],
    /// [`SessionPerCall::Refuse`], and remembered connections on standard input and output.
    /// Settings that follow replace single ones.
    ///
    /// Every tool then needs its description before a call. Agent frameworks that drop undeclared
    /// arguments, and those that open a session for each call, cannot use such a server.
    #[must_use]
    pub fn specification(mut self) -> Self {
        self.policy.listing = Listing::Minimal;
        self.policy.minimal_schema = MinimalSchema::Literal;
        self.policy.gate = GateMode::Enforce;
        self.policy.refusal = Some(Refusal::Bare);
        self.policy.session_per_call = SessionPerCall::Refuse;
        // Corrected arguments and remembered connections depend on this: see
        // `Policy::runs_corrected` and `PdHandler::caller`.
        self.policy.is_literal = true;
        self
    }

    /// Returns the listing that is set so far.
    #[cfg(feature = "cli")]
    pub(crate) fn listed_as(&self) -> Listing {
        self.policy.listing
    }

    /// Returns the settings for the form of lists: the schema of listed tools, and whether the
    /// finding meta-tool has a line for each group.
    #[cfg(feature = "cli")]
    pub(crate) fn list_form(&self) -> (MinimalSchema, bool) {
        (self.policy.minimal_schema, self.policy.group_lines)
    }

    /// Sets the input schema of minimal entries; [`MinimalSchema::Literal`] by default.
    #[must_use]
    pub fn minimal_schema(mut self, schema: MinimalSchema) -> Self {
        self.policy.minimal_schema = schema;
        self
    }

    /// Sets how strict the gate is; [`GateMode::Enforce`] by default.
    #[must_use]
    pub fn gate(mut self, gate: GateMode) -> Self {
        self.policy.gate = gate;
        self
    }

    /// Sets the treatment of clients that open a session, or start a process, for each call;
    /// [`SessionPerCall::Admit`] by default. It concerns only calls that the gate would refuse.
    #[must_use]
    pub fn session_per_call(mut self, treatment: SessionPerCall) -> Self {
        self.policy.session_per_call = treatment;
        self
    }

    /// Sets a directory for what the gate needs after the process has ended, for clients that start
    /// a process for each batch of calls. By default the server writes nothing. It has the key that
    /// signs tickets, unless [`ticket_key`](Self::ticket_key) sets one, and at most 64 hashes of
    /// calls that were refused to the process's own client in the last ten minutes. Servers may
    /// share it. Only its owner can read the files. If the server cannot use the directory, it goes
    /// on without it.
    #[must_use]
    pub fn state_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.policy.state_directory = Some(directory.into());
        self
    }

    /// Returns whether a directory for state is set already, or of no use.
    #[cfg(feature = "cli")]
    pub(crate) fn ignores_state(&self) -> bool {
        self.policy.state_directory.is_some()
            || self.policy.session_per_call == SessionPerCall::Refuse
    }

    /// Returns the directory for state that is set so far.
    #[cfg(all(test, feature = "cli"))]
    pub(crate) fn state_directory_as_set(&self) -> Option<&std::path::Path> {
        self.policy.state_directory.as_deref()
    }

    /// Sets the content of refusals; [`Refusal::WithDescription`] by default, or
    /// [`Refusal::WithSignature`] under [`Listing::Grouped`] and [`Listing::Eager`].
    #[must_use]
    pub fn refusal(mut self, content: Refusal) -> Self {
        self.policy.refusal = Some(content);
        self
    }

    /// Sets the meta-tools that the server offers. The default is [`MetaTools::describing`], or
    /// [`MetaTools::all`] under [`Listing::Grouped`] and [`Listing::Eager`].
    #[must_use]
    pub fn meta_tools(mut self, offered: MetaTools) -> Self {
        self.policy.meta_tools = Some(offered);
        self
    }

    /// Sets whether tools run with arguments that are not valid, but can be corrected.
    ///
    /// A text that holds the JSON of a wanted object or list is that value, for every tool: it
    /// means nothing else. Read-only tools also run with other arguments that can be corrected
    /// without losing or guessing anything: `"3"` for 3, one value for a list of it, a name that
    /// differs in capitals, marks or one letter, and arguments that were wrapped once more. One
    /// line after the result says what was changed. Tools that write never run so.
    ///
    /// On by default, unless [`specification`](Self::specification) was called. Otherwise the
    /// answer has the corrected call, which the model sends.
    #[must_use]
    pub fn run_corrected(mut self, on: bool) -> Self {
        self.policy.run_corrected = Some(on);
        self
    }

    /// Gives the meta-tool that calls any tool this name, in every listing. Some frameworks keep
    /// the name `call_tool` for themselves, such as Semantic Kernel. Meta-tools and presets that
    /// are set after this have their own names.
    #[must_use]
    pub fn call_tool_name(mut self, name: &str) -> Self {
        self.policy.meta_tools = self
            .policy
            .meta_tools
            .map(|offered| offered.with_call_name(name));
        // The set that a listing needs is chosen per caller, so it gets the name, too.
        let renamed = MetaTools::searching().with_call_name(name).into();
        self.policy.renamed_meta_tools = Some(Arc::new(renamed));
        self
    }

    /// Lets models write programs that call tools: the server offers `find_tools`, `describe_tools`
    /// and `run_code`, and lists nothing else but eager tools. A listing or meta-tools that are set
    /// after this replace those. See the module [`code`](crate::code). (Feature `code`.)
    #[cfg(feature = "code")]
    #[must_use]
    pub fn code_mode(mut self, mode: crate::code::CodeMode) -> Self {
        self.policy.offers_run_code = true;
        self.code_worker(mode).listing(Listing::Eager)
    }

    /// Sets the worker and the limits of programs, for a server with tools that are
    /// [programs](crate::code::CodeProgram). The listing and the meta-tools stay as they are:
    /// models do not write programs. (Feature `code`.)
    #[cfg(feature = "code")]
    #[must_use]
    pub fn code_worker(mut self, mode: crate::code::CodeMode) -> Self {
        self.policy.code = Some(mode);
        self
    }

    /// Returns the worker that is set so far.
    #[cfg(all(feature = "cli", feature = "code"))]
    pub(crate) fn worker(&self) -> Option<&crate::code::CodeMode> {
        self.policy.code.as_ref()
    }

    /// Sets whether the server offers the meta-tool `describe_tools`. On by default, because in
    /// many hosts the model cannot read resources.
    #[must_use]
    pub fn describe_tools(mut self, on: bool) -> Self {
        self.policy.describes_through_tool = on;
        // The flag is for the set that the listing needs. A set that the author chose is changed
        // itself.
        self.policy.meta_tools = self.policy.meta_tools.map(|offered| match on {
            true => offered.with_default(MetaToolRole::Describe),
            false => offered.without_describe(),
        });
        self
    }

    /// Sets whether the description of the finding meta-tool has one line for each group, in at
    /// most 2,048 characters. Off by default: it then has a few words about each group, which cost
    /// fewer tokens. A gateway sets it, because agents search only if they know what is there.
    #[must_use]
    pub fn group_lines(mut self, on: bool) -> Self {
        self.policy.group_lines = on;
        self
    }

    /// Sets that tools come and go while the server runs, and whether any of them may be selective.
    #[must_use]
    #[doc(hidden)]
    pub fn changing_tools(mut self, expects_rows: bool) -> Self {
        self.policy.has_changing_tools = true;
        self.policy.expects_rows = expects_rows;
        self
    }

    /// Sets whether the server offers tool manifests (SEP-2636) and, on top of them, the experiment
    /// of deterministic groups. On by default.
    #[must_use]
    pub fn manifests(mut self, on: bool) -> Self {
        self.policy.manifests = on;
        self
    }

    /// Adds semantic search with this model: `MiniLm` of the feature `semantic`, or your own. The
    /// model embeds all texts about the tools when the server is built; a
    /// [`StoredEmbedder`](crate::search::StoredEmbedder) keeps the vectors for the next start. If
    /// the model fails, the server searches by words alone.
    #[must_use]
    pub fn search_model(mut self, model: Arc<dyn Embedder>) -> Self {
        self.policy.model = Some(EmbeddingModel {
            model,
            is_late: false,
        });
        self
    }

    /// Adds semantic search as [`search_model`](Self::search_model) does, but the model embeds the
    /// tools in the background. Until it is done, searches use words only.
    #[must_use]
    pub fn search_model_in_background(mut self, model: Arc<dyn Embedder>) -> Self {
        self.policy.model = Some(EmbeddingModel {
            model,
            is_late: true,
        });
        self
    }

    /// Returns whether semantic search is configured.
    #[cfg(all(test, feature = "cli", feature = "semantic"))]
    pub(crate) fn has_search_model(&self) -> bool {
        self.policy.model.is_some()
    }

    /// Sets the policy that decides who may see, describe and call each tool, in addition to the
    /// scopes that tools require; see [`Access`]. Closures are policies, too:
    ///
    /// ```
    /// # use pd_runtime::prelude::*;
    /// # use pd_runtime::{Principal, Tool};
    /// # fn server(registry: Registry<()>) -> pd_runtime::ServerBuilder<()> {
    /// PdServer::builder(registry, ()).access(|who: Option<&Principal>, tool: &Tool<()>| {
    ///     who.is_some() || tool.annotations().read_only == Some(true)
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn access(mut self, policy: impl Access + 'static) -> Self {
        self.policy.access = AccessRules::new(Arc::new(policy));
        self
    }

    /// Sets the store in which replicas share disclosures, for clients up to 2025-11-25. By default
    /// each server remembers only the disclosures that it made. Over HTTP, replicas also share how
    /// sessions were opened: see `serve::HttpOptions::session_store`.
    #[must_use]
    pub fn disclosure_store(mut self, store: Arc<dyn DisclosureStore>) -> Self {
        self.policy.disclosure_store = Some(store);
        self
    }

    /// Sets the key that signs tickets. Servers that share a key accept each other's tickets.
    /// Without this setting each start generates a key, and tickets end with the process; a server
    /// over HTTP logs that.
    ///
    /// The key must be random and secret: a client that knows it can call tools without reading
    /// their descriptions. The key grants no access to anything.
    #[must_use]
    pub fn ticket_key(mut self, key: [u8; 32]) -> Self {
        self.policy.ticket_key = Some(key);
        self
    }

    /// Sets previous keys. The server accepts tickets that were signed with them, but signs no new
    /// ones. To change the key of running replicas: first give all of them the new key as a
    /// previous key, then swap the two keys, and drop the old key after two
    /// [`ticket_ttl`](Self::ticket_ttl)s. If replicas share sessions, keep the old key for a day,
    /// because session ids are signed with it, too.
    #[must_use]
    pub fn previous_ticket_keys(mut self, keys: impl IntoIterator<Item = [u8; 32]>) -> Self {
        self.policy.previous_ticket_keys = keys.into_iter().collect();
        self
    }

    /// Sets the minimum lifetime of tickets; the maximum is twice that. One hour by default.
    #[must_use]
    pub fn ticket_ttl(mut self, life: Duration) -> Self {
        self.policy.ticket_life = life;
        self
    }

    /// Sets whether the server remembers the descriptions that each connection's client has read,
    /// even if its requests carry their own metadata (MCP 2026-07-28). Descriptions then ask for no
    /// ticket, and calls need none. Off by default: according to MCP, a connection is not a
    /// conversation, and a host with several conversations over one connection would share their
    /// disclosures.
    ///
    /// This setting is for a server that one client starts, on standard input and output. It has no
    /// effect over HTTP, where a connection may carry requests of several clients, and
    /// `serve --http` refuses it.
    #[must_use]
    pub fn remember_connection(mut self, on: bool) -> Self {
        self.policy.remember_connection = on;
        self
    }

    /// Returns whether connections are remembered, as set so far.
    #[cfg(feature = "cli")]
    pub(crate) fn remembers_connection(&self) -> bool {
        self.policy.remember_connection
    }

    /// Sets the origins from which the server fetches the rows of a [`Selected`](crate::Selected),
    /// and the limits for them. The server fetches from no origin by default. (Feature `fetch`.)
    #[cfg(feature = "fetch")]
    #[must_use]
    pub fn fetch(mut self, policy: crate::selective::FetchPolicy) -> Self {
        self.policy.fetching = crate::selective::fetch::OptionalFetcher::new(policy);
        self
    }

    /// Returns the fetch policy that is set so far.
    #[cfg(all(feature = "cli", feature = "fetch"))]
    pub(crate) fn fetch_policy(&self) -> crate::selective::FetchPolicy {
        self.policy.fetching.policy()
    }

    /// Sets the limits on requests and on tools' run time; [`Limits::default`] by default.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.policy.limits = limits;
        self
    }

    /// Sets the time that calls in flight have to finish after the server was asked to stop;
    /// [`SHUTDOWN_GRACE`](crate::serve::SHUTDOWN_GRACE) by default.
    #[must_use]
    pub fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.policy.shutdown_grace = grace;
        self
    }

    /// Changes the limits that were set so far.
    #[cfg(feature = "cli")]
    pub(crate) fn limited(mut self, change: impl FnOnce(Limits) -> Limits) -> Self {
        self.policy.limits = change(self.policy.limits);
        self
    }

    /// Sets the receiver of audit events: tools that were listed, found, described, refused or
    /// called. By default events go only to `tracing` subscribers of the target
    /// `pd_runtime::audit`.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn Audit>) -> Self {
        self.policy.listeners.audit = Some(audit);
        self
    }

    /// Sets the personal data that audit events contain;
    /// [`audit::AuditDetail::NONE`](crate::telemetry::audit::AuditDetail::NONE) by default.
    #[must_use]
    pub fn audit_detail(mut self, detail: audit::AuditDetail) -> Self {
        self.policy.listeners.detail = detail;
        self
    }

    /// Enables metrics. Off by default. (Feature `metrics`.)
    #[cfg(feature = "metrics")]
    #[must_use]
    pub fn metrics(mut self, metrics: crate::Metrics) -> Self {
        self.policy.listeners.metrics = Some(metrics);
        self
    }

    /// Sets how the server stores the rows that selective tools do not show; [`DataPlane::default`]
    /// by default.
    #[must_use]
    pub fn data_plane(mut self, plane: DataPlane) -> Self {
        self.policy.data_plane = plane;
        self
    }

    /// Changes the data plane's settings that were set so far.
    #[cfg(feature = "cli")]
    pub(crate) fn with_data_plane(mut self, change: impl FnOnce(DataPlane) -> DataPlane) -> Self {
        self.policy.data_plane = change(self.policy.data_plane);
        self
    }
}
