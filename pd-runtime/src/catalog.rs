//! A registry made ready to serve. A request takes one snapshot of it, so that the whole can be swapped while serving.

pub(crate) mod definition;
pub(crate) mod description;
mod edition;
pub(crate) mod entry;
mod full_listing;
pub(crate) mod header_arguments;
pub(crate) mod overlay;
pub(crate) mod rendered;
mod search_index;
pub(crate) mod signature;
pub(crate) mod token_cost;
pub(crate) mod tree;
pub(crate) mod visibility_cache;
pub(crate) mod with_overlay;

use crate::{
    digest::Digest,
    policy::{
        Policy,
        access::{Authority, Rules},
        meta_tools::MetaTools,
    },
    registry::{
        Info, Registry,
        bundle::Bundle,
        check::{is_tool_name, takes_ticket},
        group::Branch,
        problem::{Fault, Problem, Problems},
        tool_spec::About,
    },
    search::searcher::Finder,
};
use entry::Entry;
use full_listing::FullListing;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};
use tree::Tree;
use visibility_cache::{Sight, Sights};

/// How many former digests of a tool are remembered.
const FORMER_MAX: usize = 4;

/// What is served, frozen.
#[derive(Debug)]
pub(crate) struct Catalogue {
    pub(crate) info: Info,
    pub(crate) entries: Vec<Arc<Entry>>,
    by_name: HashMap<Box<str>, usize>,
    /// The whole as one group without a name: the top level's tools and groups.
    pub(crate) root: Branch,
    /// The same groups with paths, and tools by their places.
    pub(crate) tree: Tree,
    /// What is searched of the tools, by their places.
    pub(crate) finder: Arc<Finder>,
    /// What tools a task takes. Not all of them exist for every caller.
    pub(crate) bundles: Vec<Bundle>,
    /// Whose list shows full definitions.
    full_listing: FullListing,
    /// Whether some tools may be hidden from some callers.
    pub(crate) is_restricted: bool,
    /// The scopes that tools ask for, sorted, each once.
    #[cfg(feature = "http")]
    pub(crate) scopes: Box<[Box<str>]>,
    /// Whether some tools stand in groups only, which clients that expand groups do not list.
    pub(crate) has_grouped: bool,
    /// The author's own policy.
    access: Rules,
    /// Digests that tools had before, by name.
    former: HashMap<Box<str>, Vec<Digest>>,
    /// What callers see who see everything.
    all: Arc<Sight>,
    sights: Sights,
}

impl Catalogue {
    /// # Errors
    ///
    /// Every tool that cannot be served, and every problem the registry was built with.
    pub(crate) fn new(registry: Registry<()>, policy: &Policy) -> Result<Self, Problems> {
        let mut found: Vec<Problem> = registry.problems;
        found.extend(misnamed(policy.meta_tools()));
        let top: HashSet<&str> = registry.top.iter().map(String::as_str).collect();
        let by_name: HashMap<Box<str>, usize> =
            registry.tools.iter().enumerate().map(|(place, tool)| (tool.name().into(), place)).collect();
        let tree = Tree::new(&registry.groups, &|name| by_name.get(name).copied());
        let mut entries = Vec::with_capacity(registry.tools.len());
        for (place, tool) in registry.tools.into_iter().enumerate() {
            found.extend(tool.about.problems.iter().cloned());
            found.extend(unservable(&tool.about, policy));
            let is_top = top.contains(tool.name());
            match Entry::new(tool, place, is_top, &tree, policy) {
                Ok(entry) => entries.push(Arc::new(entry)),
                Err(problem) => found.push(problem),
            }
        }
        Problems::none_of(found)?;
        let root = Branch::root(registry.top, registry.groups);
        Ok(Self::of_entries(registry.info, entries, tree, root, registry.bundles, policy, None))
    }

    /// What follows from the entries, which stand in the places that the tree knows. What is found by the entries that an earlier
    /// catalogue has, too, is taken from there.
    fn of_entries(
        info: Info,
        entries: Vec<Arc<Entry>>,
        tree: Tree,
        root: Branch,
        bundles: Vec<Bundle>,
        policy: &Policy,
        earlier: Option<&Self>,
    ) -> Self {
        Self {
            info,
            finder: Arc::new(search_index::of(&entries, &root.groups, policy.model.as_ref(), earlier)),
            tree,
            root,
            bundles,
            full_listing: FullListing::new(policy, &entries),
            has_grouped: entries.iter().any(|entry| !entry.is_top),
            is_restricted: !policy.access.are_none() || has_scopes(&entries),
            access: policy.access.clone(),
            former: HashMap::new(),
            #[cfg(feature = "http")]
            scopes: scopes(&entries),
            all: Arc::new(Sight::new(entries.len(), |_| true)),
            sights: Sights::default(),
            by_name: entries.iter().map(|entry| (entry.name().into(), entry.place)).collect(),
            entries,
        }
    }

    /// Takes over from another: remembers which digests its tools had, so that callers can be told that they changed, and which
    /// calls still run.
    pub(crate) fn succeed(&mut self, old: &Self) {
        self.keep_slots(old);
        let changed = self.entries.iter().filter_map(|entry| {
            let before = old.entries.get(*old.by_name.get(entry.name())?)?;
            let mut digests = old.former(entry.name()).to_vec();
            if before.digest != entry.digest {
                digests.retain(|digest| *digest != entry.digest && *digest != before.digest);
                digests.insert(0, before.digest);
                digests.truncate(FORMER_MAX);
            }
            Some((entry.name().into(), digests))
        });
        self.former = changed.filter(|(_, digests)| !digests.is_empty()).collect();
    }

    /// The digests that a tool had before, the latest first.
    pub(crate) fn former(&self, name: &str) -> &[Digest] {
        self.former.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Takes over the places of calls: what still runs on the old one counts here.
    fn keep_slots(&mut self, old: &Self) {
        for entry in self.entries.iter_mut().filter_map(Arc::get_mut) {
            let before = old.by_name.get(entry.name()).and_then(|place| old.entries.get(*place));
            let known = before.and_then(|before| before.slots.as_ref());
            if let (Some(slots), Some(known)) = (&mut entry.slots, known)
                && slots.count == known.count
            {
                *slots = known.clone();
            }
        }
    }

    /// The tool called `name`, if it exists for this authority: hidden is unknown. The author's policy is asked whatever the
    /// name, so that the time it takes tells nothing.
    pub(crate) fn find(&self, name: &str, authority: &Authority) -> Option<&Arc<Entry>> {
        let known = self.by_name.get(name).and_then(|place| self.entries.get(*place));
        let asked = known.or(self.entries.first().filter(|_| !self.access.are_none()))?;
        let sees = self.sees(asked, authority);
        known.filter(|_| sees)
    }

    fn sees(&self, entry: &Entry, authority: &Authority) -> bool {
        self.access.show(&entry.tool, authority)
    }

    /// The tool called `name`, for whoever runs the server.
    #[cfg(feature = "cli")]
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<Entry>> {
        self.find(name, &Authority::Owner)
    }

    /// The set of tools that exist for this authority.
    pub(crate) fn sight(&self, authority: &Authority) -> Arc<Sight> {
        if !self.is_restricted || *authority == Authority::Owner {
            return self.all.clone();
        }
        let sees = |place| self.entries.get(place).is_some_and(|entry: &Arc<Entry>| self.sees(entry, authority));
        self.sights.shared(Sight::new(self.entries.len(), sees))
    }

    /// Whether the list of whoever sees these tools shows full definitions, as far as the listing decides that for all
    /// clients.
    pub(crate) fn lists_in_full(&self, sight: impl FnOnce() -> Arc<Sight>) -> bool {
        self.full_listing.is_for(&self.entries, sight)
    }

    /// The tools that exist for this authority, in order.
    pub(crate) fn visible<'a>(&'a self, authority: &'a Authority) -> impl Iterator<Item = &'a Arc<Entry>> {
        self.entries.iter().filter(|entry| self.sees(entry, authority))
    }
}

fn has_scopes(entries: &[Arc<Entry>]) -> bool {
    entries.iter().any(|entry| !entry.tool.about.scopes.is_empty())
}

/// What is wrong with the names of meta-tools among themselves; that a tool has one's name is told of the tool.
fn misnamed(offered: &MetaTools) -> impl Iterator<Item = Problem> {
    let twice = offered.collision().map(|name| Fault::SameMetaTool { name: name.to_owned() });
    let illegal = offered.offers.iter().filter(|offer| !is_tool_name(&offer.name));
    let illegal = illegal.map(|offer| Fault::BadMetaToolName { name: offer.name.to_string() });
    twice.into_iter().chain(illegal).map(Problem::of_server)
}

/// What no server may serve, whichever way the tool came in: names are written into JSON as they are.
fn unservable(about: &About, policy: &Policy) -> Option<Problem> {
    let fault = if !is_tool_name(&about.name) {
        Fault::BadName
    } else if policy.meta_tools().named(&about.name).is_some() {
        Fault::ReservedName
    } else if takes_ticket(about) {
        Fault::ReservedArgument
    } else {
        return None;
    };
    Some(Problem { tool: about.name.to_string(), origin: about.origin.to_string(), fault })
}

#[cfg(feature = "http")]
fn scopes(entries: &[Arc<Entry>]) -> Box<[Box<str>]> {
    let scopes = entries.iter().flat_map(|entry| entry.tool.about.scopes.iter().map(|scope| Box::from(&**scope)));
    scopes.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}
