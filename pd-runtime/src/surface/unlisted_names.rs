//! The names of the tools that a list leaves out, in the descriptions of the meta-tools that call
//! them.
//!
//! A small model calls what its list names. Without these names it calls a listed tool that is
//! near, and searches only if there is none: of 18 tasks, a model of 1.5 billion parameters began 3
//! with the right tool, and 10 with the names.

use super::call_routes;
use crate::{
    disclosure::view::CallerView,
    policy::{ListingStep, meta_tools::MetaToolRole},
    text::token_estimate::estimate_tokens,
};

/// The most tokens of all names, by the estimate. A list of more tools has the index of groups.
const TOKENS_MAX: usize = 120;

/// The names by the meta-tool that calls them.
#[derive(Debug, Default)]
pub(super) struct UnlistedNames<'a> {
    reading: Vec<&'a str>,
    writing: Vec<&'a str>,
}

/// Returns whether the caller's list names the tools that it leaves out.
pub(super) fn names_unlisted(view: &CallerView<'_>) -> bool {
    UnlistedNames::for_caller(view).is_some()
}

impl<'a> UnlistedNames<'a> {
    /// Returns the names of a grouped list, or `None` if they cost too much or nothing calls them.
    pub(super) fn for_caller(view: &CallerView<'a>) -> Option<Self> {
        let offered = view.meta_tools();
        // The meta-tools of other systems have the texts of those systems.
        let is_preset = offered
            .offers
            .iter()
            .any(|offer| matches!(offer.role, MetaToolRole::Preset(_)));
        if is_preset
            || view.step() != ListingStep::Grouped
            || view.caller.terms.wants_brief
            || view.policy.group_lines
            || !offered.offers(MetaToolRole::Call)
        {
            return None;
        }
        let are_apart = call_routes::are_apart(offered);
        let mut names = Self::default();
        let mut tokens = 0;
        for entry in view
            .visible()
            .filter(|entry| !entry.stays_listed(ListingStep::Grouped))
        {
            // With its separator.
            tokens += estimate_tokens(entry.name()) + 1;
            if tokens > TOKENS_MAX {
                return None;
            }
            names
                .of_route(are_apart && entry.is_read_only())
                .push(entry.name());
        }
        (tokens > 0).then_some(names)
    }

    fn of_route(&mut self, reads: bool) -> &mut Vec<&'a str> {
        if reads {
            &mut self.reading
        } else {
            &mut self.writing
        }
    }

    /// Renders the description of a meta-tool. Returns `None` if it calls none of these tools.
    pub(super) fn describe(&self, role: MetaToolRole) -> Option<String> {
        let names = match role {
            MetaToolRole::Call => &self.writing,
            MetaToolRole::CallReadOnly => &self.reading,
            _ => return None,
        };
        (!names.is_empty()).then(|| format!("Call {}", names.join(", ")))
    }
}
