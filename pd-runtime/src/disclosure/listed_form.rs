//! How much of each tool one caller's list shows, and whether that is enough for a call.

use super::view::CallerView;
use crate::{
    catalog::entry::CatalogEntry,
    policy::{
        GateMode, Listing, ListingStep,
        meta_tools::{MetaTools, OfferedMetaTool},
    },
};

/// The form in which a caller's `tools/list` shows a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListedForm {
    /// Its full definition: there is nothing left to disclose.
    Full,
    /// Its name, its summary and its arguments without texts.
    Outline,
    /// Its name and summary.
    Minimal,
    /// Its name and one short line, because the client requested that.
    Brief,
    /// Not listed. The caller can find it in other ways, and call it by name.
    Unlisted,
}

impl<'a> CallerView<'a> {
    /// Returns the form in which this caller's list shows the tool. It is computed for each request
    /// and never remembered.
    pub(crate) fn listed_form(&self, entry: &CatalogEntry) -> ListedForm {
        let terms = &self.caller.terms;
        // A gateway needs all definitions. Its own lists leave out what its clients find there.
        if terms.relays {
            return ListedForm::Full;
        }
        // Clients of the Groups extension get such a tool with its group, in full.
        if terms.expands_groups && !entry.is_top {
            return ListedForm::Unlisted;
        }
        let step = self.step();
        // The order matters: a tool that the listing leaves out stays so for every client, and
        // Delta-MCP shows even eager tools in brief.
        if !entry.stays_listed(step) {
            return ListedForm::Unlisted;
        }
        // One schema that a provider refuses fails the request with all tools in it.
        let is_refused =
            || matches!(self.policy.listing, Listing::Auto { .. }) && !entry.fits_providers();
        match step {
            _ if terms.wants_brief => ListedForm::Brief,
            ListingStep::Full if is_refused() => ListedForm::Outline,
            ListingStep::Full => ListedForm::Full,
            _ if entry.tool.about.eager => ListedForm::Full,
            _ if entry.tool.about.pinned => ListedForm::Outline,
            ListingStep::Minimal => ListedForm::Minimal,
            ListingStep::Outline | ListingStep::Grouped | ListingStep::Eager => ListedForm::Outline,
        }
    }

    /// Returns the listing of this caller. It is computed for each request and never remembered.
    pub(crate) fn step(&self) -> ListingStep {
        *self.step.get_or_init(|| {
            self.policy.listing_step(self.caller.terms.describes, || {
                let by_cost = self.catalog.ladder_step(|| self.sight().clone());
                let leaves_out = if self.catalog.has_grouped {
                    ListingStep::Grouped
                } else {
                    ListingStep::Eager
                };
                let host = self.caller.host;
                host.map_or(by_cost, |host| {
                    host.step(by_cost, leaves_out, || self.visible().count())
                })
            })
        })
    }

    /// Returns the meta-tools that this caller's listing offers.
    pub(crate) fn meta_tools(&self) -> &'a MetaTools {
        self.policy.meta_tools(self.step())
    }

    /// Returns the meta-tool of this name, also if the caller's listing does not offer it: hosts
    /// keep lists, and call what an earlier one had.
    pub(crate) fn meta_tool(&self, name: &str) -> Option<&'a OfferedMetaTool> {
        self.catalog
            .meta_tool(name, self.policy, &self.caller.authority)
    }

    /// Returns whether calls of listed tools are refused before their descriptions were read, and
    /// the client may not know it. Under `Negotiated` only clients that declared the extension are
    /// gated, and they know the workflow.
    pub(crate) fn refuses_unread(&self) -> bool {
        let step = self.step();
        let shows_enough = matches!(step, ListingStep::Full | ListingStep::Outline);
        self.gate() == GateMode::Enforce
            && !shows_enough
            && self.policy.listing != Listing::Negotiated
    }

    /// Returns whether the caller's list shows as much of the tool as a call needs: all of it, or
    /// all arguments of a tool that may be called before its description was read.
    pub(crate) fn shows_enough(&self, entry: &CatalogEntry) -> bool {
        match self.listed_form(entry) {
            ListedForm::Full => true,
            ListedForm::Outline => !entry.is_read_first(),
            ListedForm::Minimal | ListedForm::Brief | ListedForm::Unlisted => false,
        }
    }
}
