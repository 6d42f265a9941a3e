//! Decides how much a caller's `tools/list` shows under `Listing::Auto`. The decision depends on
//! the tools that the caller sees, because tools that are hidden from a caller must not change that
//! caller's list.

use super::{entry::CatalogEntry, token_cost::CostForm, visibility_cache::VisibleSet};
use crate::policy::{Listing, ListingStep, Policy};

use std::sync::Arc;

/// The steps of the ladder, for all callers or by what a caller sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListingLadder {
    /// All callers get this step.
    Fixed(ListingStep),
    /// Each caller gets the first step that its visible tools fit.
    ByCost(LadderLimits),
}

/// The most tokens that a list of a step may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LadderLimits {
    full: usize,
    outline: usize,
}

impl ListingLadder {
    /// Decides for all callers at once if hidden tools make no difference.
    pub(super) fn new(policy: &Policy, entries: &[Arc<CatalogEntry>]) -> Self {
        let Listing::Auto {
            max_full_tokens,
            max_outline_tokens,
        } = policy.listing
        else {
            return Self::Fixed(ListingStep::Full);
        };
        let limits = LadderLimits {
            full: max_full_tokens,
            outline: max_outline_tokens,
        };
        // A caller that sees fewer tools has a shorter list, so it is below the limit, too.
        if fits(entries.iter(), CostForm::Definition, limits.full) {
            return Self::Fixed(ListingStep::Full);
        }
        Self::ByCost(limits)
    }

    /// Returns the step for a caller who sees these tools.
    pub(super) fn step(
        self,
        entries: &[Arc<CatalogEntry>],
        has_grouped: bool,
        sight: impl FnOnce() -> Arc<VisibleSet>,
    ) -> ListingStep {
        match self {
            Self::Fixed(step) => step,
            Self::ByCost(limits) => {
                // The step is cached with the visible set, because summing costs reads every
                // visible tool.
                let sight = sight();
                sight
                    .cached(|| {
                        CachedStep(limits.step(
                            || entries.iter().filter(|entry| sight.sees(entry.place)),
                            has_grouped,
                        ))
                    })
                    .0
            }
        }
    }
}

impl LadderLimits {
    fn step<'a, I>(self, visible: impl Fn() -> I, has_grouped: bool) -> ListingStep
    where
        I: Iterator<Item = &'a Arc<CatalogEntry>>,
    {
        if fits(visible(), CostForm::Definition, self.full) {
            return ListingStep::Full;
        }
        if fits(visible(), CostForm::Outline, self.outline) {
            return ListingStep::Outline;
        }
        // Groups are there to be left out. Where too much is in none, everything is.
        let listed = || visible().filter(|entry| entry.stays_listed(ListingStep::Grouped));
        match has_grouped && fits(listed(), CostForm::Outline, self.outline) {
            true => ListingStep::Grouped,
            false => ListingStep::Eager,
        }
    }
}

/// The step for a set of tools, as its `VisibleSet` caches it.
struct CachedStep(ListingStep);

/// Returns whether the entries cost at most so many tokens. Only as many are rendered as it takes to
/// know that they cost more.
fn fits<'a>(
    entries: impl Iterator<Item = &'a Arc<CatalogEntry>>,
    form: CostForm,
    max: usize,
) -> bool {
    let mut cost = 0_usize;
    for entry in entries {
        // Saturating, because a definition that cannot be serialized counts as huge.
        cost = cost.saturating_add(entry.cost(form) as usize);
        if cost > max {
            return false;
        }
    }
    true
}
