//! The catalog as one caller may see it, which every surface works with. Its only decisions are
//! what a list shows and how strict the gate is.

use crate::{
    catalog::{
        Catalogue,
        definition::Whole,
        entry::Entry,
        tree::{Node, Tree},
        visibility_cache::Sight,
    },
    disclosure::{caller::Caller, gate::ticket::Tickets, recorder::Seen},
    policy::{
        Gate, Listing, Policy,
        rate_limit::{Kind, Limiter, retry_after::TryLater},
    },
    registry::{bundle::Bundle, check::heading_name},
    selective::data_plane::Plane,
    text::suggest,
};
use std::sync::{Arc, OnceLock};

/// One request's view of the catalog.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) caller: &'a Caller<'a>,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) policy: &'a Policy,
    pub(crate) tickets: &'a Tickets,
    pub(crate) limiter: &'a Limiter,
    /// The data plane, which takes the rows that are not shown.
    pub(crate) plane: &'a Plane,
    /// The recorder of this request's events.
    pub(crate) recorder: Seen<'a>,
    sight: OnceLock<Arc<Sight>>,
    has_groups: OnceLock<bool>,
}

/// The result of a search.
#[derive(Debug)]
pub(crate) struct Matches<'a> {
    /// The hits, best first, each with its score. Scores are comparable only within one answer.
    pub(crate) hits: Vec<(&'a Arc<Entry>, f32)>,
    /// Whether the first hit is so much better than the others that it must be the intended tool.
    pub(crate) stands_out: bool,
}

/// The form in which a caller's `tools/list` shows a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Its full definition: there is nothing left to disclose.
    Full,
    /// Its name and summary.
    Minimal,
    /// Its name and one short line, because the client requested that.
    Brief,
    /// Not listed. The caller can find it in other ways, and call it by name.
    Unlisted,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        caller: &'a Caller<'a>,
        catalogue: &'a Catalogue,
        policy: &'a Policy,
        tickets: &'a Tickets,
        limiter: &'a Limiter,
        plane: &'a Plane,
    ) -> Self {
        let (recorder, sight, has_groups) = (Seen::default(), OnceLock::new(), OnceLock::new());
        Self { caller, catalogue, policy, tickets, limiter, plane, recorder, sight, has_groups }
    }

    /// Attaches the recorder of this request's events.
    pub(crate) fn with_recorder(self, recorder: Seen<'a>) -> Self {
        Self { recorder, ..self }
    }

    /// Charges the caller for this many requests of a kind, before anything is done for them: a
    /// hidden name costs the same as an unknown one.
    ///
    /// # Errors
    ///
    /// Returns an error, with the time to retry, if the caller is over its limit.
    pub(crate) fn charge(&self, kind: Kind, count: usize) -> Result<(), TryLater> {
        // A session has its own, smaller buckets, so that one conversation cannot use up the
        // principal's.
        let session = self.caller.own_session().map(|session| &session.used);
        let charged = self.limiter.charge(kind, count, self.caller.payer(), session);
        charged.inspect_err(|_| self.recorder.record_limited(kind.in_words()))
    }

    /// Charges the caller for this many descriptions. A request with more names than allowed is
    /// refused unread, so it counts as one.
    ///
    /// # Errors
    ///
    /// Returns an error, with the time to retry, if the caller is over its limit.
    pub(crate) fn charge_descriptions(&self, count: usize) -> Result<(), TryLater> {
        self.charge(Kind::Describe, if self.names_too_many(count) { 1 } else { count })
    }

    /// Returns whether this many tools are too many for one request.
    pub(crate) fn names_too_many(&self, count: usize) -> bool {
        count > self.policy.limits.names
    }

    /// Returns the tool called `name`, if it exists for this caller. A hidden tool is reported like
    /// an unknown one.
    pub(crate) fn find(&self, name: &str) -> Option<&'a Arc<Entry>> {
        self.catalogue.find(name, &self.caller.authority)
    }

    /// Returns the tool that the caller requested by name, and records a name that no visible tool
    /// has.
    pub(crate) fn find_or_record_miss(&self, name: &str) -> Option<&'a Arc<Entry>> {
        let entry = self.find(name);
        if entry.is_none() {
            self.recorder.record_unknown(name);
        }
        entry
    }

    /// Returns the tools that exist for this caller, in the registry's order.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &'a Arc<Entry>> {
        self.catalogue.visible(&self.caller.authority)
    }

    /// Returns the names most like this one, of the tools that exist for this caller.
    pub(crate) fn nearest(&self, name: &str, count: usize) -> Vec<&'a str> {
        suggest::ranked(name, self.visible().map(|entry| entry.name()), count)
    }

    /// Returns the tools that fit a query best. Tools that do not exist for this caller influence
    /// neither the hits nor the scores.
    pub(crate) async fn search(&self, query: &str, count: usize) -> Matches<'a> {
        // Word statistics are computed over the visible tools alone. Otherwise a score would reveal
        // hidden texts.
        let (finder, sight) = (&self.catalogue.finder, self.sight());
        let visible = sight.kept(|| finder.view(|place| sight.sees(place)));
        let hits = match self.policy.model {
            None => finder.find(query, count, &visible),
            // A model takes milliseconds, which is too long for a runtime thread between two
            // awaits.
            Some(_) => {
                let (finder, query) = (finder.clone(), query.to_owned());
                let search = tokio::task::spawn_blocking(move || finder.find(&query, count, &visible));
                // If the model panics, the search has no hits: the panic must not end the
                // connection.
                search.await.unwrap_or_default()
            }
        };
        let entries = hits.iter().filter_map(|hit| Some((self.catalogue.entries.get(hit.place)?, hit.score)));
        Matches { hits: entries.collect(), stands_out: hits.first().is_some_and(|first| first.stands_out) }
    }

    /// Returns the set of tools that exist for this caller, with the values cached for it.
    pub(crate) fn sight(&self) -> &Arc<Sight> {
        self.sight.get_or_init(|| self.catalogue.sight(&self.caller.authority))
    }

    pub(crate) fn tree(&self) -> &'a Tree {
        &self.catalogue.tree
    }

    /// Returns the groups that contain a tool. All of them exist for a caller who sees the tool.
    pub(crate) fn groups_of(&self, entry: &Entry) -> impl Iterator<Item = &'a Node> + use<'a> {
        let place = entry.place;
        self.tree().nodes().iter().filter(move |group| group.tools.contains(&place))
    }

    /// Returns the bundle of this name, or of this name as code writes it, if one of its tools
    /// exists for this caller.
    pub(crate) fn bundle(&self, name: &str) -> Option<&'a Bundle> {
        let name = heading_name(name);
        let bundle = self.catalogue.bundles.iter().find(|bundle| bundle.name == name)?;
        bundle.tools.iter().any(|tool| self.find(tool).is_some()).then_some(bundle)
    }

    /// Returns a group's own tools that exist for this caller.
    pub(crate) fn tools_of(&self, group: &'a Node) -> impl Iterator<Item = &'a Arc<Entry>> {
        let visible = group.tools.iter().filter(|place| self.sight().sees(**place));
        visible.filter_map(|place| self.catalogue.entries.get(*place))
    }

    /// Returns the tools of a group and of all groups inside it that exist for this caller, each
    /// once.
    pub(crate) fn all_tools_of(&self, group: &'a Node) -> impl Iterator<Item = &'a Arc<Entry>> {
        let visible = group.all_tools.iter().filter(|place| self.sight().sees(**place));
        visible.filter_map(|place| self.catalogue.entries.get(*place))
    }

    /// Returns the number of tools of a group, and of all groups inside it, that exist for this
    /// caller. A group without such a tool does not exist for the caller.
    pub(crate) fn count(&self, group: &Node) -> usize {
        group.all_tools.iter().filter(|place| self.sight().sees(**place)).count()
    }

    /// Returns whether the group exists for this caller.
    pub(crate) fn sees_group(&self, group: &Node) -> bool {
        group.all_tools.iter().any(|place| self.sight().sees(*place))
    }

    /// Returns the group at a path, if it exists for this caller.
    pub(crate) fn group(&self, path: &str) -> Option<&'a Node> {
        self.tree().at(path).filter(|group| self.sees_group(group))
    }

    /// Returns the groups in this one, or at the top level, that exist for this caller.
    pub(crate) fn groups_in(&self, group: Option<&'a Node>) -> Vec<&'a Node> {
        let tree = self.tree();
        let inside: Vec<_> = match group {
            Some(group) => tree.inside(group).collect(),
            None => tree.top().collect(),
        };
        inside.into_iter().filter(|group| self.sees_group(group)).collect()
    }

    /// Returns the form in which this caller's list shows the tool. It is computed for each request
    /// and never remembered.
    pub(crate) fn listed_form(&self, entry: &Entry) -> Shown {
        let terms = &self.caller.terms;
        // Clients of the Groups extension get such a tool with its group, in full.
        if terms.expands_groups && !entry.is_top {
            return Shown::Unlisted;
        }
        let is_left_out = match self.policy.listing {
            Listing::Grouped => !entry.is_top && !entry.tool.about.eager,
            Listing::Eager => !entry.tool.about.eager,
            _ => false,
        };
        let in_full = entry.tool.about.eager || self.policy.lists_in_full(terms.describes) || self.lists_in_full();
        // The order matters: a tool that the listing leaves out stays so for every client, and
        // Delta-MCP shows even eager tools in brief.
        match (is_left_out, terms.wants_brief, in_full) {
            (true, ..) => Shown::Unlisted,
            (_, true, _) => Shown::Brief,
            (_, _, true) => Shown::Full,
            _ => Shown::Minimal,
        }
    }

    /// Returns whether the server lists all tools in full to this caller, regardless of what the
    /// client declared.
    pub(crate) fn lists_in_full(&self) -> bool {
        self.catalogue.lists_in_full(|| self.sight().clone())
    }

    /// Returns the tool's full definition, as this caller sees it.
    pub(crate) fn full_definition<'entry>(&self, entry: &'entry Entry) -> &'entry Whole {
        let forms = entry.forms(self.caller.modern);
        // A caller who sees no group must not learn from the definition's `_meta` that groups
        // exist.
        forms.unmarked.as_ref().filter(|_| !self.has_groups()).unwrap_or(&forms.full)
    }

    /// Returns whether any group exists for this caller.
    pub(crate) fn has_groups(&self) -> bool {
        // Computed at most once a request: a list asks it for every tool.
        *self.has_groups.get_or_init(|| self.tree().top().any(|group| self.sees_group(group)))
    }

    /// Returns whether the caller's list shows the tool in full, so that there is nothing to
    /// disclose.
    pub(crate) fn sees_in_full(&self, entry: &Entry) -> bool {
        self.listed_form(entry) == Shown::Full
    }

    /// Returns the gate's mode for this caller. Some surfaces forbid refusals. For clients that
    /// expand groups, no call may depend on the gate either; without groups, there is nothing to
    /// expand.
    pub(crate) fn gate(&self) -> Gate {
        let terms = &self.caller.terms;
        let must_admit = || terms.forbids_gating || (terms.expands_groups && self.has_groups());
        match self.policy.gate {
            Gate::Enforce if must_admit() => Gate::Advise,
            gate => gate,
        }
    }
}
