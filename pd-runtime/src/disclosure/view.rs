//! The catalog as one caller may see it, which every surface works with. Its only decision is how
//! strict the gate is; `listed_form` decides what a list shows.

mod visible_groups;

#[cfg(feature = "code")]
use super::program_run::ProgramRun;
use super::tool_naming::ToolNaming;
use crate::{
    catalog::{
        self, Catalog, definition::FullDefinition, entry::CatalogEntry,
        visibility_cache::VisibleSet,
    },
    disclosure::{caller::Caller, gate::ticket::TicketSigner, recorder::RequestRecorder},
    policy::{
        GateMode, ListingStep, Policy,
        access::CallerAuthority,
        rate_limit::{CallLimiter, ChargeKind, retry_after::TryLater},
    },
    registry::tool_source::{MissingTools, RegistrySource},
    search::searcher::DocumentHit,
    selective::data_plane::DataPlaneRuntime,
};
use pd_schema::suggest;
use std::{
    borrow::Cow,
    collections::HashSet,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// One request's view of the catalog.
#[derive(Debug)]
pub(crate) struct CallerView<'a> {
    pub(crate) caller: &'a Caller<'a>,
    pub(crate) catalog: &'a Catalog,
    pub(crate) policy: &'a Policy,
    pub(crate) tickets: &'a TicketSigner,
    pub(crate) limiter: &'a CallLimiter,
    /// The data plane, which takes rows and large results that are not shown.
    pub(crate) plane: &'a DataPlaneRuntime,
    /// The recorder of this request's events.
    pub(crate) recorder: RequestRecorder<'a>,
    /// The program that makes the calls of this view.
    #[cfg(feature = "code")]
    pub(crate) run: Option<&'a ProgramRun>,
    sight: OnceLock<Arc<VisibleSet>>,
    has_groups: OnceLock<bool>,
    pub(super) step: OnceLock<ListingStep>,
    /// Whether the arguments of a nested call arrived as an object.
    has_object_form: AtomicBool,
    /// Whether the request calls a tool by its name, and not through a meta-tool.
    is_direct_call: AtomicBool,
    pub(super) naming: OnceLock<ToolNaming>,
}

/// The form in which this request has the arguments of a call through a meta-tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NestedForm {
    /// An object, or the tool was called by its own name.
    Object,
    /// A text that contains JSON, as meta-tools declare them.
    Text,
}

/// The result of a search.
#[derive(Debug)]
pub(crate) struct SearchMatches<'a> {
    /// The hits, best first, each with its score. Scores are comparable only within one answer.
    pub(crate) hits: Vec<(&'a Arc<CatalogEntry>, f32)>,
    /// Whether the first hit is so much better than the others that it must be the intended tool.
    pub(crate) stands_out: bool,
    /// The number of steps of the query, each with its best hit first; 0 for a query of one step.
    pub(crate) steps: usize,
}

/// Returns the sets of tools that are not known yet, as far as a caller may know of them.
pub(crate) fn missing_tools(
    sources: &[RegistrySource],
    policy: &Policy,
    caller: &CallerAuthority,
) -> Vec<MissingTools> {
    if *caller != CallerAuthority::Owner && !policy.access.are_none() {
        return Vec::new();
    }
    let incomplete = sources.iter().filter(|source| !source.is_complete());
    incomplete
        .flat_map(|source| source.missing(caller))
        .collect()
}

impl<'a> CallerView<'a> {
    pub(crate) fn new(
        caller: &'a Caller<'a>,
        catalog: &'a Catalog,
        policy: &'a Policy,
        tickets: &'a TicketSigner,
        limiter: &'a CallLimiter,
        plane: &'a DataPlaneRuntime,
    ) -> Self {
        let (recorder, sight, has_groups, step) = (
            RequestRecorder::default(),
            OnceLock::new(),
            OnceLock::new(),
            OnceLock::new(),
        );
        Self {
            caller,
            catalog,
            policy,
            tickets,
            limiter,
            plane,
            recorder,
            #[cfg(feature = "code")]
            run: None,
            sight,
            has_groups,
            step,
            has_object_form: AtomicBool::new(false),
            is_direct_call: AtomicBool::new(false),
            naming: OnceLock::new(),
        }
    }

    /// Notes in which form the arguments of a nested call arrived.
    pub(crate) fn note_nested_form(&self, form: NestedForm) {
        self.has_object_form
            .store(form == NestedForm::Object, Relaxed);
    }

    /// Notes that the request calls a tool by its name.
    pub(crate) fn note_direct_call(&self) {
        self.is_direct_call.store(true, Relaxed);
    }

    pub(crate) fn is_direct_call(&self) -> bool {
        self.is_direct_call.load(Relaxed)
    }

    /// Returns the form in which calls through meta-tools are shown to the caller. A client that
    /// passed an object on will do so again. Otherwise the form is the declared one.
    pub(crate) fn nested_form(&self) -> NestedForm {
        if self.has_object_form.load(Relaxed) {
            NestedForm::Object
        } else {
            NestedForm::Text
        }
    }

    /// Returns the view of a program's calls. Descriptions that the program reads count for its
    /// calls, and events name the run.
    #[cfg(feature = "code")]
    pub(crate) fn for_run<'b>(&'b self, run: &'b ProgramRun) -> CallerView<'b> {
        let view = CallerView::new(
            self.caller,
            self.catalog,
            self.policy,
            self.tickets,
            self.limiter,
            self.plane,
        );
        CallerView {
            run: Some(run),
            recorder: self.recorder.in_run(run.id),
            // The caller is the same, so its visible tools are computed once.
            sight: self.sight.clone(),
            ..view
        }
    }

    /// Returns the run of the program that makes the calls of this view.
    #[cfg(feature = "code")]
    pub(crate) fn program_run(&self) -> Option<&'a ProgramRun> {
        self.run
    }

    /// Returns whether this view serves the calls of a program.
    pub(crate) fn serves_program(&self) -> bool {
        #[cfg(feature = "code")]
        return self.run.is_some();
        #[cfg(not(feature = "code"))]
        false
    }

    /// Returns whether a program of the server's author makes the calls of this view.
    pub(crate) fn serves_author_program(&self) -> bool {
        #[cfg(feature = "code")]
        return self.run.is_some_and(ProgramRun::is_by_author);
        #[cfg(not(feature = "code"))]
        false
    }

    /// Returns whether the user let the program that makes the calls of this view call the tool.
    pub(crate) fn was_approved_in_run(&self, entry: &CatalogEntry) -> bool {
        #[cfg(feature = "code")]
        return self.run.is_some_and(|run| run.is_approved(&entry.digest));
        #[cfg(not(feature = "code"))]
        {
            let _ = entry;
            false
        }
    }

    /// Returns whether the program that makes the calls of this view has read the tool's
    /// description.
    pub(crate) fn was_read_in_run(&self, entry: &CatalogEntry) -> bool {
        #[cfg(feature = "code")]
        return self.run.is_some_and(|run| run.has_read(&entry.digest));
        #[cfg(not(feature = "code"))]
        {
            let _ = entry;
            false
        }
    }

    /// Attaches the recorder of this request's events.
    pub(crate) fn with_recorder(self, recorder: RequestRecorder<'a>) -> Self {
        Self { recorder, ..self }
    }

    /// Charges the caller for this many requests of a kind, before anything is done for them: a
    /// hidden name costs the same as an unknown one.
    ///
    /// # Errors
    ///
    /// Returns an error, with the time to retry, if the caller is over its limit.
    pub(crate) fn charge(&self, kind: ChargeKind, count: usize) -> Result<(), TryLater> {
        // A session has its own, smaller buckets, so that one conversation cannot use up the
        // principal's.
        let session = self.caller.own_session().map(|session| &session.used);
        let charged = self
            .limiter
            .charge(kind, count, self.caller.payer(), session);
        charged.inspect_err(|_| self.recorder.record_limited(kind.as_str()))
    }

    /// Charges the caller for this many descriptions. A request with more names than allowed is
    /// refused unread, so it counts as one.
    ///
    /// # Errors
    ///
    /// Returns an error, with the time to retry, if the caller is over its limit.
    pub(crate) fn charge_descriptions(&self, count: usize) -> Result<(), TryLater> {
        self.charge(
            ChargeKind::Describe,
            if self.names_too_many(count) { 1 } else { count },
        )
    }

    /// Returns whether this many tools are too many for one request.
    pub(crate) fn names_too_many(&self, count: usize) -> bool {
        count > self.policy.limits.names
    }

    /// Returns the tool called `name`, if it exists for this caller. A hidden tool is reported like
    /// an unknown one.
    pub(crate) fn find(&self, name: &str) -> Option<&'a Arc<CatalogEntry>> {
        self.catalog.find(name, &self.caller.authority)
    }

    /// Returns the tool that a caller means by this name: the tool's own name, or the name that
    /// only one tool has at its source.
    pub(crate) fn resolve(&self, name: &str) -> Option<&'a Arc<CatalogEntry>> {
        // Before the names at sources, so that no server can take the name of another's tool.
        self.find(name)
            .or_else(|| catalog::only(&self.find_by_source(name)))
    }

    /// Returns the tools that have this name at their source and exist for this caller.
    pub(crate) fn find_by_source(&self, name: &str) -> Vec<&'a Arc<CatalogEntry>> {
        self.catalog.find_by_source(name, || self.sight().clone())
    }

    /// Returns the tool that the caller requested by name, and records a name that no visible tool
    /// has.
    pub(crate) fn find_or_record_miss(&self, name: &str) -> Option<&'a Arc<CatalogEntry>> {
        let entry = self.resolve(name);
        if entry.is_none() {
            self.recorder.record_unknown(name);
        }
        entry
    }

    /// Returns the tools that exist for this caller, in the registry's order.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &'a Arc<CatalogEntry>> {
        self.catalog.visible(&self.caller.authority)
    }

    /// Returns the names most like this one, of the tools that exist for this caller.
    pub(crate) fn nearest(&self, name: &str, count: usize) -> Vec<&'a str> {
        suggest::rank(name, self.visible().map(|entry| entry.name()), count)
    }

    /// Returns the tools that fit a query best. Tools that do not exist for this caller influence
    /// neither the hits nor the scores.
    pub(crate) async fn search(&self, query: &str, count: usize) -> SearchMatches<'a> {
        // Word statistics are computed over the visible tools alone. Otherwise a score would reveal
        // hidden texts.
        let sight = self.sight();
        if self.catalog.is_indexing() {
            return self.matches(&self.catalog.scan(query, count, sight));
        }
        let finder = self.catalog.finder();
        let visible = sight.cached(|| finder.view(|place| sight.sees(place)));
        let hits = match self.policy.model {
            None => finder.find(query, count, &visible),
            // A model takes milliseconds, which is too long for a runtime thread between two
            // awaits.
            Some(_) => {
                let finder = finder.clone();
                let query = query.to_owned();
                let search =
                    tokio::task::spawn_blocking(move || finder.find(&query, count, &visible));
                // If the model panics, the search has no hits: the panic must not end the
                // connection.
                search.await.unwrap_or_default()
            }
        };
        self.matches(&hits)
    }

    fn matches(&self, hits: &[DocumentHit]) -> SearchMatches<'a> {
        let entries = hits
            .iter()
            .filter_map(|hit| Some((self.catalog.entries.get(hit.place)?, hit.score)));
        SearchMatches {
            hits: entries.collect(),
            stands_out: hits.first().is_some_and(|first| first.stands_out),
            steps: hits.iter().filter(|hit| hit.step.is_some()).count(),
        }
    }

    /// Returns the set of tools that exist for this caller, with the values cached for it.
    pub(crate) fn sight(&self) -> &Arc<VisibleSet> {
        self.sight
            .get_or_init(|| self.catalog.visible_set(&self.caller.authority))
    }

    /// Returns the sets of tools that are not known yet, as far as the caller may know of them.
    /// Only the author's policy knows who may see a tool, and cannot be asked before there is one.
    pub(crate) fn missing(&self) -> Vec<MissingTools> {
        missing_tools(
            &self.catalog.info.sources,
            self.policy,
            &self.caller.authority,
        )
    }

    /// Returns the set of unknown tools that a name or path means.
    pub(crate) fn missing_for(&self, name: &str) -> Option<MissingTools> {
        self.missing().into_iter().find(|set| set.claims(name))
    }

    /// Returns the registry's instructions, with the groups that exist for the caller.
    pub(crate) fn instructions(&self) -> Cow<'a, str> {
        let info = &self.catalog.info;
        if info.listed_groups.is_empty() {
            return Cow::Borrowed(&info.instructions);
        }
        let missing = self.missing();
        let missing: HashSet<&str> = missing.iter().map(|set| set.group.as_str()).collect();
        info.instructions_for(|name, line| match self.group(name) {
            Some(group) => Some(self.summary_of(group)),
            None => missing.contains(name).then_some(line.into()),
        })
    }

    /// Returns the tool's full definition, as this caller sees it.
    pub(crate) fn full_definition<'entry>(
        &self,
        entry: &'entry CatalogEntry,
    ) -> &'entry FullDefinition {
        let forms = entry.forms(self.caller.modern);
        // A caller who sees no group must not learn from the definition's `_meta` that groups
        // exist.
        forms
            .unmarked
            .as_ref()
            .filter(|_| !self.has_groups())
            .unwrap_or(&forms.full)
    }

    /// Returns the gate's mode for this caller. Some surfaces forbid refusals. For clients that
    /// expand groups, no call may depend on the gate either; without groups, there is nothing to
    /// expand.
    pub(crate) fn gate(&self) -> GateMode {
        let terms = &self.caller.terms;
        let must_admit = || terms.forbids_gating || (terms.expands_groups && self.has_groups());
        match self.policy.gate {
            GateMode::Enforce if must_admit() => GateMode::Advise,
            gate => gate,
        }
    }
}
