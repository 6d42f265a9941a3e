//! Whose list shows full definitions. Under `Listing::Auto` that depends on the tools that a caller sees: tools that are
//! hidden from a caller must not change the caller's list.

use super::{entry::Entry, token_cost::Form, visibility_cache::Sight};
use crate::policy::{Listing, Policy};

use std::sync::Arc;

/// Whose list shows full definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FullListing {
    /// Everybody's.
    Everyone,
    /// Nobody's, unless the client's capabilities say otherwise.
    Nobody,
    /// The list of callers whose visible tools cost at most this many tokens in full.
    UpTo(usize),
}

impl FullListing {
    /// Decides for all callers at once where hidden tools make no difference.
    pub(super) fn new(policy: &Policy, entries: &[Arc<Entry>]) -> Self {
        let max_tokens = match policy.listing {
            Listing::Full => return Self::Everyone,
            Listing::Auto { max_tokens } => max_tokens,
            _ => return Self::Nobody,
        };
        // Whoever sees less pays less.
        if cost(entries.iter()) <= max_tokens {
            return Self::Everyone;
        }
        // Everybody sees at least these.
        let open = entries.iter().filter(|entry| policy.access.are_none() && entry.tool.about.scopes.is_empty());
        if cost(open) > max_tokens { Self::Nobody } else { Self::UpTo(max_tokens) }
    }

    pub(super) fn is_for(self, entries: &[Arc<Entry>], sight: impl FnOnce() -> Arc<Sight>) -> bool {
        match self {
            Self::Everyone => true,
            Self::Nobody => false,
            Self::UpTo(max_tokens) => {
                let sight = sight();
                let visible = || entries.iter().filter(|entry| sight.sees(entry.place));
                sight.kept(|| IsCheap(cost(visible()) <= max_tokens)).0
            }
        }
    }
}

/// Whether a set of tools is listed in full, as its sight keeps it.
struct IsCheap(bool);

fn cost<'a>(entries: impl Iterator<Item = &'a Arc<Entry>>) -> usize {
    entries.map(|entry| entry.cost(Form::Definition) as usize).fold(0, usize::saturating_add)
}
