//! The catalog: a registry prepared for serving. Each request works on one snapshot of the catalog,
//! so the server can replace it at any time.

mod app_tools;
pub mod definition;
pub(crate) mod description;
pub(crate) mod description_text;
mod edition;
pub(crate) mod entry;
mod entry_cache;
pub(crate) mod header_arguments;
pub(crate) mod ladder;
pub(crate) mod outline;
#[cfg(feature = "overlay")]
pub(crate) mod overlay;
pub(crate) mod rendered_tool;
mod search_index;
mod servable;
pub(crate) mod signature;
mod source_names;
pub(crate) mod token_cost;
pub(crate) mod tree;
pub(crate) mod visibility_cache;
#[cfg(feature = "overlay")]
pub(crate) mod with_overlay;

use crate::{
    digest::Digest,
    large_results::{LargeResults, READ_MORE},
    parallel,
    policy::{
        ListingStep, Policy,
        access::{AccessRules, CallerAuthority},
        meta_tools::OfferedMetaTool,
    },
    registry::{
        Registry, RegistryInfo,
        app_role::VIEWS_MAX,
        bundle::Bundle,
        group::GroupView,
        problem::{RegistryError, RegistryErrorKind, RegistryErrors},
    },
    search::{
        scan::scan,
        searcher::{DocumentHit, ToolSearcher},
    },
};
use entry::CatalogEntry;
use ladder::ListingLadder;
use search_index::MeaningIndex;
use servable::{check_meta_tool_names, check_servable, problem_of};
use source_names::SourceNameIndex;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use tree::GroupTree;
use visibility_cache::{VisibleSet, VisibleSetCache};

/// The least number of tools for which a search does not wait for the index. One of fewer is built
/// in less time than a person notices.
const SCANNED_MIN: usize = 10_000;

/// The number of former digests that the catalog remembers for each tool.
const FORMER_MAX: usize = 4;

/// The frozen set of tools that a server serves.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) info: RegistryInfo,
    /// The tools, in the order of the list.
    pub entries: Vec<Arc<CatalogEntry>>,
    by_name: HashMap<Box<str>, usize>,
    /// The names that tools have elsewhere.
    source_names: SourceNameIndex,
    /// The top level as one group without a name. It contains the ungrouped tools and all groups.
    pub(crate) root: GroupView,
    /// The same groups with their paths. Tools are indexes into `entries`.
    pub(crate) tree: GroupTree,
    /// The search index over the tools. A hit's place is an index into `entries`. Without a model
    /// it is built for the first search, because a client lists tools before it searches, and may
    /// never search. The index of very many tools is built earlier, in the background.
    finder: OnceLock<Arc<ToolSearcher>>,
    /// Whether the index is being built in the background.
    is_indexing: AtomicBool,
    /// The index with vectors that are computed in the background. Until it is there, searches use
    /// words only.
    by_meaning: MeaningIndex,
    /// Whether this catalog, or one that it replaced, was searched.
    is_searched: AtomicBool,
    /// The bundles: named lists of tools for one task. Some of the tools may be hidden from a
    /// caller.
    pub(crate) bundles: Vec<Bundle>,
    /// The rule that decides which callers get full definitions in `tools/list`.
    ladder: ListingLadder,
    /// Whether some tools may be hidden from some callers.
    pub(crate) is_restricted: bool,
    /// All scopes that tools require, sorted and without duplicates.
    #[cfg(feature = "http")]
    pub(crate) scopes: Box<[Box<str>]>,
    /// Whether some tools are only in groups. Clients that expand groups do not list those tools.
    pub(crate) has_grouped: bool,
    /// What shortens results and reads on in them, if any result has a bound.
    pub(crate) large_results: Option<&'static dyn LargeResults>,
    /// Whether some tools are for the views of MCP Apps alone.
    pub(crate) has_app_tools: bool,
    /// The access policy of the tool author.
    access: AccessRules,
    /// Former digests of each tool, by tool name.
    former: HashMap<Box<str>, Vec<Digest>>,
    /// The visible set of callers that see every tool.
    all: Arc<VisibleSet>,
    sights: VisibleSetCache,
}

impl Catalog {
    /// Builds the catalog of a registry.
    ///
    /// # Errors
    ///
    /// Returns all problems that the registry was built with, and one problem for each tool that
    /// cannot be served.
    pub(crate) fn new(registry: Registry<()>, policy: &Policy) -> Result<Self, RegistryErrors> {
        let mut problems: Vec<RegistryError> = registry.problems;
        problems.extend(check_meta_tool_names(policy.all_meta_tools()));
        // A set, because each tool asks whether it is at the top level.
        let top: HashSet<&str> = registry.top.iter().map(String::as_str).collect();
        let by_name: HashMap<Box<str>, usize> = registry
            .tools
            .iter()
            .enumerate()
            .map(|(place, tool)| (tool.name().into(), place))
            .collect();
        // The tree comes before the entries, because each entry lists the groups that contain its
        // tool.
        let tree = GroupTree::new(&registry.groups, &|name| by_name.get(name).copied());
        // Tools that come and go may have the name later.
        #[cfg(feature = "code")]
        if let (Some(mode), false) = (&policy.code, policy.has_changing_tools) {
            let unknown = mode
                .allowed
                .iter()
                .filter(|name| !by_name.contains_key(name.as_str()));
            problems.extend(
                unknown
                    .map(|name| RegistryErrorKind::UnknownCodeTool { name: name.clone() })
                    .map(RegistryError::from_registry),
            );
        }
        // On all cores, because each entry needs a compiled schema and a digest.
        let tools: Vec<_> = registry.tools.into_iter().enumerate().collect();
        let built = parallel::map_items(&tools, |(place, tool)| {
            CatalogEntry::new(
                tool.clone(),
                *place,
                top.contains(tool.name()),
                &tree,
                policy,
            )
        });
        let mut entries = Vec::with_capacity(built.len());
        let mut views = 0;
        for ((_, tool), entry) in tools.into_iter().zip(built) {
            problems.extend(tool.about.problems.iter().cloned());
            problems.extend(check_servable(&tool.about, policy));
            match entry {
                Ok(mut entry) => {
                    if entry.app.shows_view() {
                        entry.is_listed_for_view = views < VIEWS_MAX;
                        views += 1;
                    }
                    entries.push(Arc::new(entry));
                }
                Err(problem) => problems.push(problem),
            }
        }
        // A registry with any problem is not served at all: the author gets every problem at once.
        RegistryErrors::fail_if_any(problems)?;
        let root = GroupView::root(registry.top, registry.groups);
        let catalog = Self::from_entries(
            registry.info,
            entries,
            tree,
            root,
            registry.bundles,
            policy,
            None,
        );
        // The offered meta-tools depend on the cost of the list, so their names are known only
        // after the entries are built.
        RegistryErrors::fail_if_any(catalog.reserved_names(policy))?;
        Ok(catalog)
    }

    /// Builds a catalog from finished entries. The order of `entries` must match the indexes in
    /// `tree`. The search index reuses the parts of `earlier` with unchanged entries.
    fn from_entries(
        info: RegistryInfo,
        entries: Vec<Arc<CatalogEntry>>,
        tree: GroupTree,
        root: GroupView,
        bundles: Vec<Bundle>,
        policy: &Policy,
        earlier: Option<&Self>,
    ) -> Self {
        let is_searched = earlier.is_some_and(Self::is_searched);
        Self {
            info,
            is_searched: AtomicBool::new(is_searched),
            is_indexing: AtomicBool::new(false),
            by_meaning: MeaningIndex::new(policy, earlier.map(|earlier| &earlier.by_meaning)),
            finder: search_index::build_early(
                &entries,
                &root.groups,
                policy.model.as_ref().filter(|model| !model.is_late),
                earlier,
            )
            .map(Arc::new)
            .map_or_else(OnceLock::new, OnceLock::from),
            tree,
            root,
            bundles,
            ladder: ListingLadder::new(policy, &entries),
            has_grouped: entries.iter().any(|entry| !entry.is_top),
            // Without access rules and scopes every caller sees every tool, and no visible set is
            // computed.
            is_restricted: !policy.access.are_none() || has_scopes(&entries),
            access: policy.access.clone(),
            former: HashMap::new(),
            #[cfg(feature = "http")]
            scopes: scopes(&entries),
            // Callers that see everything share this set; the access policy is not asked for them.
            all: Arc::new(VisibleSet::new(entries.len(), |place| {
                entries
                    .get(place)
                    .is_some_and(|entry| entry.app.is_for_models)
            })),
            large_results: {
                let own = |entry: &Arc<CatalogEntry>| entry.tool.about.rules.result_bound;
                let bound = policy.limits.result_bound;
                let bound = bound.or_else(|| entries.iter().find_map(own));
                bound.map(|bound| bound.code)
            },
            has_app_tools: entries.iter().any(|entry| !entry.app.is_for_models),
            sights: VisibleSetCache::default(),
            source_names: SourceNameIndex::new(&entries),
            by_name: entries
                .iter()
                .map(|entry| (entry.name().into(), entry.place))
                .collect(),
            entries,
        }
    }

    /// Returns a problem for each tool with the name of a meta-tool that the list of all tools
    /// needs.
    fn reserved_names(&self, policy: &Policy) -> Vec<RegistryError> {
        let step = policy.listing_step(false, || self.ladder_step(|| self.all.clone()));
        let offered = policy.meta_tools(step);
        let taken = self.entries.iter().filter(|entry| {
            offered.find_name(entry.name()).is_some()
                || (self.large_results.is_some() && entry.name() == READ_MORE)
        });
        taken
            .map(|entry| problem_of(&entry.tool.about, RegistryErrorKind::ReservedName))
            .collect()
    }

    /// Returns the search index over the tools, for a search.
    pub(crate) fn finder(&self) -> &Arc<ToolSearcher> {
        self.note_search();
        self.index()
    }

    /// Returns whether the index of very many tools is being built in the background. A search that
    /// comes so early does not wait for it.
    pub(crate) fn is_indexing(&self) -> bool {
        self.entries.len() >= SCANNED_MIN
            && self.is_indexing.load(Ordering::Acquire)
            && !self.has_index()
    }

    /// Finds tools by their names and summaries, without an index.
    pub(crate) fn scan(&self, request: &str, limit: usize, sight: &VisibleSet) -> Vec<DocumentHit> {
        self.note_search();
        let visible = self.entries.iter().filter(|entry| sight.sees(entry.place));
        let texts = visible.map(|entry| (entry.place, entry.name(), &*entry.tool.about.summary));
        scan(request, limit, texts)
    }

    fn note_search(&self) {
        // Read first: all threads would otherwise write to one place with each search.
        if !self.is_searched() {
            self.is_searched.store(true, Ordering::Relaxed);
        }
    }

    /// States whether the index is built in the background.
    pub(crate) fn set_indexing(&self, is_indexing: bool) {
        self.is_indexing.store(is_indexing, Ordering::Release);
    }

    fn is_searched(&self) -> bool {
        self.is_searched.load(Ordering::Relaxed)
    }

    /// Returns the search index over the tools: the one with vectors, if it is there.
    pub(crate) fn index(&self) -> &Arc<ToolSearcher> {
        self.by_meaning.get().unwrap_or_else(|| self.word_index())
    }

    /// Computes the vectors that are still to come. This takes as long as the model does.
    pub(crate) fn add_meaning(&self) {
        self.by_meaning
            .build(&self.entries, &self.root.groups, self.word_index());
    }

    /// Returns whether vectors are still to come.
    pub(crate) fn awaits_meaning(&self) -> bool {
        self.by_meaning.is_awaited()
    }

    fn word_index(&self) -> &Arc<ToolSearcher> {
        self.finder
            .get_or_init(|| Arc::new(search_index::build(&self.entries, &self.root.groups, None)))
    }

    /// Returns whether the search index exists already.
    pub(crate) fn has_index(&self) -> bool {
        self.finder.get().is_some()
    }

    /// Takes over state from the catalog that this one replaces: the former digests of changed
    /// tools, so that a ticket for an old description gets a precise refusal, and the permits of
    /// running calls.
    pub(crate) fn take_over(&mut self, old: &Self) {
        self.share_slots(old);
        let changed = self.entries.iter().filter_map(|entry| {
            let before = old.entries.get(*old.by_name.get(entry.name())?)?;
            let mut digests = old.former(entry.name()).to_vec();
            if before.digest != entry.digest {
                // Remove both digests first: a tool that changes back and forth must not fill the
                // history with duplicates, and its current digest is not a former one.
                digests.retain(|digest| *digest != entry.digest && *digest != before.digest);
                digests.insert(0, before.digest);
                digests.truncate(FORMER_MAX);
            }
            Some((entry.name().into(), digests))
        });
        self.former = changed.filter(|(_, digests)| !digests.is_empty()).collect();
    }

    /// Returns the digests that a tool had before, latest first.
    pub(crate) fn former(&self, name: &str) -> &[Digest] {
        self.former.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Shares the call permits of the old catalog, so that calls that still run there count against
    /// the limits here.
    fn share_slots(&mut self, old: &Self) {
        // `get_mut` succeeds only for entries built for this catalog. An entry that both catalogs
        // share already has the old permits.
        for entry in self.entries.iter_mut().filter_map(Arc::get_mut) {
            let before = old
                .by_name
                .get(entry.name())
                .and_then(|place| old.entries.get(*place));
            let known = before.and_then(|before| before.slots.as_ref());
            if let (Some(slots), Some(known)) = (&mut entry.slots, known)
                // A changed limit needs a pool of the new size. Calls that still run then keep
                // their old permits.
                && slots.count == known.count
            {
                *slots = known.clone();
            }
        }
    }

    /// Returns the tool called `name` if it exists for this authority. A hidden tool is treated
    /// like an unknown one.
    ///
    /// The access policy runs even for unknown names. Otherwise, the response time would show which
    /// hidden names exist.
    pub(crate) fn find(
        &self,
        name: &str,
        authority: &CallerAuthority,
    ) -> Option<&Arc<CatalogEntry>> {
        let known = self
            .by_name
            .get(name)
            .and_then(|place| self.entries.get(*place));
        // For an unknown name, ask the policy about some other tool and discard its answer.
        let asked = known.or(self.entries.first().filter(|_| !self.access.are_none()))?;
        let sees = self.sees(asked, authority);
        known.filter(|_| sees)
    }

    /// Returns the tools that have this name at their source and that the caller sees.
    ///
    /// `sight` is computed for every unknown name. Otherwise, the response time would show which
    /// names hidden tools have.
    pub(crate) fn find_by_source<'a>(
        &'a self,
        name: &str,
        sight: impl FnOnce() -> Arc<VisibleSet>,
    ) -> Vec<&'a Arc<CatalogEntry>> {
        if self.source_names.is_empty() {
            return Vec::new();
        }
        let sight = sight();
        let places = self.source_names.find(name, &self.entries);
        places
            .into_iter()
            .filter(|place| sight.sees(*place))
            .filter_map(|place| self.entries.get(place))
            .collect()
    }

    /// Returns whether a tool exists for the models of this authority. Tools for the views of MCP
    /// Apps do not: what looks for tools looks here.
    fn sees(&self, entry: &CatalogEntry, authority: &CallerAuthority) -> bool {
        // The access policy is asked in any case, as for a hidden tool.
        self.access.allows(&entry.tool, authority) && entry.app.is_for_models
    }

    /// Returns the tool called `name`, for the operator of the server.
    #[cfg(feature = "cli")]
    pub(crate) fn named_for_owner(&self, name: &str) -> Option<&Arc<CatalogEntry>> {
        self.find(name, &CallerAuthority::Owner)
            .or_else(|| only(&self.find_by_source(name, || self.all.clone())))
    }

    /// Returns the set of tools that exist for this authority.
    pub(crate) fn visible_set(&self, authority: &CallerAuthority) -> Arc<VisibleSet> {
        // The policy is not asked for these callers: they see every tool.
        if !self.is_restricted || *authority == CallerAuthority::Owner {
            return self.all.clone();
        }
        // Callers with equal sets share one object, and so everything that is cached in it.
        self.sights
            .intern(VisibleSet::new(self.entries.len(), |place| {
                self.entries
                    .get(place)
                    .is_some_and(|entry: &Arc<CatalogEntry>| self.sees(entry, authority))
            }))
    }

    /// Returns the meta-tool that a call of this name means. Where the listing depends on the
    /// caller, the meta-tools of every listing can be called, except by names of tools that exist
    /// for this authority. A hidden tool must not change the answer.
    pub(crate) fn meta_tool<'a>(
        &self,
        name: &str,
        policy: &'a Policy,
        authority: &CallerAuthority,
    ) -> Option<&'a OfferedMetaTool> {
        // The cheap lookup comes first, because `find` runs the access policy.
        let offer = policy.all_meta_tools().find_name(name)?;
        self.find(name, authority).is_none().then_some(offer)
    }

    /// Returns whether a source may have more tools than are known.
    pub(crate) fn has_missing_tools(&self) -> bool {
        self.info.sources.iter().any(|source| !source.is_complete())
    }

    /// Returns the step of [`Listing::Auto`](crate::Listing::Auto) for callers with this visible
    /// set.
    pub(crate) fn ladder_step(&self, sight: impl FnOnce() -> Arc<VisibleSet>) -> ListingStep {
        self.ladder.step(&self.entries, self.has_grouped, sight)
    }

    /// Returns a registry of the same tools, which are bound to their state.
    #[cfg(feature = "cli")]
    pub(crate) fn registry(&self) -> Registry<()> {
        Registry {
            info: self.info.clone(),
            tools: self
                .entries
                .iter()
                .map(|entry| entry.tool.clone())
                .collect(),
            top: self.root.tools.clone(),
            groups: self.root.groups.clone(),
            bundles: self.bundles.clone(),
            problems: Vec::new(),
        }
    }

    /// Iterates over the tools that exist for this authority, in catalog order.
    pub(crate) fn visible<'a>(
        &'a self,
        authority: &'a CallerAuthority,
    ) -> impl Iterator<Item = &'a Arc<CatalogEntry>> {
        self.entries
            .iter()
            .filter(|entry| self.sees(entry, authority))
    }
}

/// Returns the tool that a name means, if it means one.
pub(crate) fn only<'a>(tools: &[&'a Arc<CatalogEntry>]) -> Option<&'a Arc<CatalogEntry>> {
    match tools {
        [tool] => Some(tool),
        _ => None,
    }
}

fn has_scopes(entries: &[Arc<CatalogEntry>]) -> bool {
    entries
        .iter()
        .any(|entry| !entry.tool.about.rules.scopes.is_empty())
}

#[cfg(feature = "http")]
fn scopes(entries: &[Arc<CatalogEntry>]) -> Box<[Box<str>]> {
    let scopes = entries.iter().flat_map(|entry| {
        entry
            .tool
            .about
            .rules
            .scopes
            .iter()
            .map(|scope| Box::from(&**scope))
    });
    scopes
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests;
