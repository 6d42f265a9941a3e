//! What is served, as one caller may see it: what every surface works with. It decides nothing but what a list shows.

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

/// One request's view of the catalogue.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) caller: &'a Caller<'a>,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) policy: &'a Policy,
    pub(crate) tickets: &'a Tickets,
    pub(crate) limiter: &'a Limiter,
    /// Where rows go that are not shown.
    pub(crate) plane: &'a Plane,
    /// Who is told what happens.
    pub(crate) seen: Seen<'a>,
    sight: OnceLock<Arc<Sight>>,
    has_groups: OnceLock<bool>,
}

/// What a query finds.
#[derive(Debug)]
pub(crate) struct Matches<'a> {
    /// Best first, each with its score: comparable within one answer only.
    pub(crate) hits: Vec<(&'a Arc<Entry>, f32)>,
    /// Whether the first is so much better than the others that it must be what was meant.
    pub(crate) stands_out: bool,
}

/// How a caller's `tools/list` shows a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// With its full definition: there is nothing left to disclose.
    Full,
    /// By name and summary.
    Minimal,
    /// By name and one short line, because the client asked for that.
    Brief,
    /// Not at all. It can be found by other ways, and called by name.
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
        let (seen, sight, has_groups) = (Seen::default(), OnceLock::new(), OnceLock::new());
        Self { caller, catalogue, policy, tickets, limiter, plane, seen, sight, has_groups }
    }

    /// The same, seen by those who listen.
    pub(crate) fn seen_by(self, seen: Seen<'a>) -> Self {
        Self { seen, ..self }
    }

    /// Counts so many of a kind on the caller's account, before anything is done for it: a name that is hidden costs what an
    /// unknown one costs.
    ///
    /// # Errors
    ///
    /// They are too many; says when to come back.
    pub(crate) fn charge(&self, kind: Kind, count: usize) -> Result<(), TryLater> {
        let session = self.caller.own_session().map(|session| &session.used);
        let charged = self.limiter.charge(kind, count, self.caller.payer(), session);
        charged.inspect_err(|_| self.seen.limited(kind.in_words()))
    }

    /// Counts so many descriptions. A request for more than one may name is refused unread, so it counts as one.
    ///
    /// # Errors
    ///
    /// They are too many; says when to come back.
    pub(crate) fn charge_descriptions(&self, count: usize) -> Result<(), TryLater> {
        self.charge(Kind::Describe, if self.names_too_many(count) { 1 } else { count })
    }

    /// Whether so many tools are too many for one request.
    pub(crate) fn names_too_many(&self, count: usize) -> bool {
        count > self.policy.limits.names
    }

    /// The tool called `name`, if it exists for this caller: hidden is unknown.
    pub(crate) fn find(&self, name: &str) -> Option<&'a Arc<Entry>> {
        self.catalogue.find(name, &self.caller.authority)
    }

    /// The tool that the caller asks for by this name. That there is none is worth knowing.
    pub(crate) fn asked(&self, name: &str) -> Option<&'a Arc<Entry>> {
        let found = self.find(name);
        if found.is_none() {
            self.seen.unknown(name);
        }
        found
    }

    /// The tools that exist for this caller, in order.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &'a Arc<Entry>> {
        self.catalogue.visible(&self.caller.authority)
    }

    /// The tools' names most like this one, of those that exist for this caller.
    pub(crate) fn nearest(&self, name: &str, count: usize) -> Vec<&'a str> {
        suggest::ranked(name, self.visible().map(|entry| entry.name()), count)
    }

    /// The tools that fit a query best. Those that do not exist for this caller do not influence which, or how.
    pub(crate) async fn search(&self, query: &str, count: usize) -> Matches<'a> {
        let (finder, sight) = (&self.catalogue.finder, self.sight());
        let seen = sight.kept(|| finder.view(|place| sight.sees(place)));
        let found = match self.policy.model {
            None => finder.find(query, count, &seen),
            // A model takes milliseconds, which is too long between two awaits.
            Some(_) => {
                let (finder, query) = (finder.clone(), query.to_owned());
                let searching = tokio::task::spawn_blocking(move || finder.find(&query, count, &seen));
                searching.await.unwrap_or_default()
            }
        };
        let entries = found.iter().filter_map(|hit| Some((self.catalogue.entries.get(hit.place)?, hit.score)));
        Matches { hits: entries.collect(), stands_out: found.first().is_some_and(|first| first.stands_out) }
    }

    /// The set of tools that exist for this caller, with what was made of it.
    pub(crate) fn sight(&self) -> &Arc<Sight> {
        self.sight.get_or_init(|| self.catalogue.sight(&self.caller.authority))
    }

    pub(crate) fn tree(&self) -> &'a Tree {
        &self.catalogue.tree
    }

    /// The groups that a tool stands in: all of them exist for a caller who sees the tool.
    pub(crate) fn groups_of(&self, entry: &Entry) -> impl Iterator<Item = &'a Node> + use<'a> {
        let place = entry.place;
        self.tree().nodes().iter().filter(move |group| group.tools.contains(&place))
    }

    /// A bundle by its name, also as code writes it, if one of its tools exists for this caller.
    pub(crate) fn bundle(&self, name: &str) -> Option<&'a Bundle> {
        let name = heading_name(name);
        let bundle = self.catalogue.bundles.iter().find(|bundle| bundle.name == name)?;
        bundle.tools.iter().any(|tool| self.find(tool).is_some()).then_some(bundle)
    }

    /// A group's own tools, as far as they exist for this caller.
    pub(crate) fn tools_of(&self, group: &'a Node) -> impl Iterator<Item = &'a Arc<Entry>> {
        let visible = group.tools.iter().filter(|place| self.sight().sees(**place));
        visible.filter_map(|place| self.catalogue.entries.get(*place))
    }

    /// The tools of a group and of all inside it, each once, as far as they exist for this caller.
    pub(crate) fn all_tools_of(&self, group: &'a Node) -> impl Iterator<Item = &'a Arc<Entry>> {
        let visible = group.all_tools.iter().filter(|place| self.sight().sees(**place));
        visible.filter_map(|place| self.catalogue.entries.get(*place))
    }

    /// How many tools of a group, and of all inside it, exist for this caller. A group without one does not exist.
    pub(crate) fn count(&self, group: &Node) -> usize {
        group.all_tools.iter().filter(|place| self.sight().sees(**place)).count()
    }

    /// Whether the group exists for this caller.
    pub(crate) fn sees_group(&self, group: &Node) -> bool {
        group.all_tools.iter().any(|place| self.sight().sees(*place))
    }

    /// The group at a path, if it exists for this caller.
    pub(crate) fn group(&self, path: &str) -> Option<&'a Node> {
        self.tree().at(path).filter(|group| self.sees_group(group))
    }

    /// The groups in this one, or at the top level, that exist for this caller.
    pub(crate) fn groups_in(&self, group: Option<&'a Node>) -> Vec<&'a Node> {
        let tree = self.tree();
        let inside: Vec<_> = match group {
            Some(group) => tree.inside(group).collect(),
            None => tree.top().collect(),
        };
        inside.into_iter().filter(|group| self.sees_group(group)).collect()
    }

    /// How this caller's list shows the tool: computed from this very request, never remembered.
    pub(crate) fn shown(&self, entry: &Entry) -> Shown {
        let terms = &self.caller.terms;
        if terms.expands_groups && !entry.is_top {
            return Shown::Unlisted;
        }
        let is_left_out = match self.policy.listing {
            Listing::Grouped => !entry.is_top && !entry.tool.about.eager,
            Listing::Eager => !entry.tool.about.eager,
            _ => false,
        };
        let in_full = entry.tool.about.eager || self.policy.lists_in_full(terms.describes) || self.lists_in_full();
        match (is_left_out, terms.wants_brief, in_full) {
            (true, ..) => Shown::Unlisted,
            (_, true, _) => Shown::Brief,
            (_, _, true) => Shown::Full,
            _ => Shown::Minimal,
        }
    }

    /// Whether the server lists all tools in full to this caller, whatever the client declared.
    pub(crate) fn lists_in_full(&self) -> bool {
        self.catalogue.lists_in_full(|| self.sight().clone())
    }

    /// The tool's full definition, as this caller sees it.
    pub(crate) fn whole<'entry>(&self, entry: &'entry Entry) -> &'entry Whole {
        let forms = entry.forms(self.caller.modern);
        forms.unmarked.as_ref().filter(|_| !self.has_groups()).unwrap_or(&forms.full)
    }

    /// Whether any group exists for this caller.
    pub(crate) fn has_groups(&self) -> bool {
        *self.has_groups.get_or_init(|| self.tree().top().any(|group| self.sees_group(group)))
    }

    /// Whether the caller's list shows the tool in full, so that there is nothing to disclose.
    pub(crate) fn sees_in_full(&self, entry: &Entry) -> bool {
        self.shown(entry) == Shown::Full
    }

    /// How strict the gate is for this caller: some wires' rules forbid to refuse, and where groups are expanded no call may
    /// depend on it; without groups there is nothing to expand.
    pub(crate) fn gate(&self) -> Gate {
        let terms = &self.caller.terms;
        let must_admit = || terms.forbids_gating || (terms.expands_groups && self.has_groups());
        match self.policy.gate {
            Gate::Enforce if must_admit() => Gate::Advise,
            gate => gate,
        }
    }
}
