//! Editions: a number for what an authority sees. It changes when the tools that exist for the
//! authority change, or their texts do. Changes to hidden tools do not affect it.

use super::{Catalog, visibility_cache::VisibleSet};
use crate::policy::access::CallerAuthority;

use std::hash::{DefaultHasher, Hash, Hasher};

/// An edition, as a `VisibleSet` caches it.
struct CatalogEdition(u64);

impl Catalog {
    /// Returns the edition that this authority sees.
    pub(crate) fn edition(&self, authority: &CallerAuthority) -> u64 {
        let sight = self.visible_set(authority);
        let of_models = sight.cached(|| CatalogEdition(self.edition_of(&sight))).0;
        if !self.has_app_tools {
            return of_models;
        }
        // Hosts with views are listed these, too.
        let mut hasher = DefaultHasher::new();
        of_models.hash(&mut hasher);
        for entry in self.app_tools(authority) {
            entry.digest.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Computes the edition. Equal contents give equal numbers, also across catalogs.
    fn edition_of(&self, sight: &VisibleSet) -> u64 {
        // `DefaultHasher::new` has fixed keys, so the number is stable within a build. Replicas of
        // other builds may compute other numbers.
        let mut hasher = DefaultHasher::new();
        let sees = |name: &str| {
            self.by_name
                .get(name)
                .is_some_and(|place| sight.sees(*place))
        };
        for entry in self.entries.iter().filter(|entry| sight.sees(entry.place)) {
            let about = &entry.tool.about;
            // The digest covers the description. The minimal entry covers everything else that a
            // list shows.
            (entry.digest, entry.is_top, about.eager).hash(&mut hasher);
            serde_json::to_string(&*entry.transient_minimal())
                .unwrap_or_default()
                .hash(&mut hasher);
            about
                .discovery
                .related
                .iter()
                .filter(|name| sees(name))
                .for_each(|name| name.hash(&mut hasher));
            // Separates the tools, so that a related name cannot be mistaken for the next tool's
            // data.
            0xff_u8.hash(&mut hasher);
        }
        for group in self.tree.nodes() {
            let tools: Vec<_> = group
                .all_tools
                .iter()
                .filter(|place| sight.sees(**place))
                .collect();
            // A group without visible tools does not exist for the caller, so its texts must not
            // count.
            if !tools.is_empty() {
                let names = tools
                    .into_iter()
                    .filter_map(|place| Some(self.entries.get(*place)?.name()));
                names.for_each(|name| name.hash(&mut hasher));
                (&group.path, &group.instructions).hash(&mut hasher);
                // A made summary says nothing but what the visible tools do, and may name others.
                if !group.has_made_summary {
                    group.whole_summary().hash(&mut hasher);
                }
            }
        }
        // Like groups: a bundle without visible tools does not exist for the caller.
        for bundle in self
            .bundles
            .iter()
            .filter(|bundle| bundle.tools.iter().any(|name| sees(name)))
        {
            bundle
                .tools
                .iter()
                .filter(|name| sees(name))
                .for_each(|name| name.hash(&mut hasher));
            (&bundle.name, &bundle.instructions).hash(&mut hasher);
        }
        hasher.finish()
    }
}
