//! Decides which callers get full definitions in `tools/list`. Under `Listing::Auto` the decision
//! depends on the tools that a caller sees, because tools that are hidden from a caller must not
//! change that caller's list.

use super::{entry::CatalogEntry, token_cost::CostForm, visibility_cache::VisibleSet};
use crate::policy::{Listing, Policy};

use std::sync::Arc;

/// The callers whose list shows full definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FullListing {
    /// All callers.
    AllCallers,
    /// No caller, unless the client's capabilities request it.
    NoCaller,
    /// Callers whose visible tools cost at most this many tokens in full.
    UpTo(usize),
}

impl FullListing {
    /// Decides for all callers at once if hidden tools make no difference.
    pub(super) fn new(policy: &Policy, entries: &[Arc<CatalogEntry>]) -> Self {
        let max_tokens = match policy.listing {
            Listing::Full => return Self::AllCallers,
            Listing::Auto { max_tokens } => max_tokens,
            _ => return Self::NoCaller,
        };
        // A caller that sees fewer tools has a shorter list, so it is below the limit, too.
        if cost(entries.iter()) <= max_tokens {
            return Self::AllCallers;
        }
        // Every caller sees at least the tools without an access rule. If those exceed the limit,
        // all lists do.
        let open = entries.iter().filter(|entry| policy.access.are_none() && entry.tool.about.scopes.is_empty());
        if cost(open) > max_tokens { Self::NoCaller } else { Self::UpTo(max_tokens) }
    }

    pub(super) fn applies_to(self, entries: &[Arc<CatalogEntry>], sight: impl FnOnce() -> Arc<VisibleSet>) -> bool {
        match self {
            Self::AllCallers => true,
            Self::NoCaller => false,
            Self::UpTo(max_tokens) => {
                let sight = sight();
                let visible = || entries.iter().filter(|entry| sight.sees(entry.place));
                sight.cached(|| FitsBudget(cost(visible()) <= max_tokens)).0
            }
        }
    }
}

/// Whether a set of tools is listed in full, as its `VisibleSet` caches it.
struct FitsBudget(bool);

fn cost<'a>(entries: impl Iterator<Item = &'a Arc<CatalogEntry>>) -> usize {
    entries.map(|entry| entry.cost(CostForm::Definition) as usize).fold(0, usize::saturating_add)
}
