//! What one conversation's model has been shown: tools in the order in which they joined, and what that cost.

use super::{
    description::Description,
    names::{Names, Place},
    server::Server,
    token_usage::Tokens,
    tool_list::Listed,
};
use crate::text::token_estimate::estimate_tokens;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Above this, tools that are listed in full are better searched for than read: the limit of
/// [`Listing::AUTO`](crate::Listing::AUTO).
const IN_FULL_MAX: usize = 2_000;
/// The most tools of a conversation: as many as a provider takes in one request.
const SHOWN_MAX: usize = 10_000;

/// The tools of a conversation. They only join at the end, and none leaves: what a provider has cached of those before stays
/// as it is, and what the history refers to is there.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) shown: Vec<Shown>,
    pub(super) tokens: Tokens,
    pub(super) names: Names,
    /// Where in `shown` a server's tool stands.
    places: HashMap<Place, usize>,
    /// Which state of each server's list is in it.
    synced: Vec<Option<u64>>,
    /// Whether tools that are listed in full cost so much that they are deferred; decided once.
    pub(super) defers_listed: Option<bool>,
}

/// A tool in front of the model.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) server: usize,
    pub(super) description: Arc<Description>,
    /// Whether it joined by being described, not by being listed in full.
    pub(super) disclosed: bool,
    pub(super) always: bool,
    /// Whether its server has it no more. A call of it is one of an unknown tool.
    pub(super) withdrawn: bool,
}

/// What a description is to a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    New,
    Known,
    /// Another one was shown before.
    Changed,
    /// There was no room for it.
    LeftOut,
}

impl Conversation {
    /// Brings it up to what the servers list. Tools that went away are withdrawn where they stand, those that changed change
    /// there, new ones come last.
    pub(super) fn sync(&mut self, servers: &[Server]) {
        self.synced.resize(servers.len(), None);
        for (place, server) in servers.iter().enumerate() {
            let listed = server.listed();
            if self.synced.get(place).copied().flatten() == Some(listed.at()) {
                continue;
            }
            self.follow(place, &listed);
            self.name(place, server, &listed);
            for tool in &listed.in_full {
                self.join(place, server, &tool.description, false, tool.always);
            }
            if let Some(synced) = self.synced.get_mut(place) {
                *synced = Some(listed.at());
            }
        }
        self.defers_listed.get_or_insert(self.tokens.listing > IN_FULL_MAX);
    }

    fn follow(&mut self, place: usize, listed: &Listed) {
        let in_full = listed.index();
        let offered: HashSet<&str> = listed.tools.iter().map(|tool| &*tool.name).collect();
        for shown in self.shown.iter_mut().filter(|shown| shown.server == place) {
            let own = shown.description.name();
            shown.withdrawn = !(offered.contains(own) || (shown.disclosed && listed.has_unlisted()));
            if let Some(now) = in_full.get(own) {
                shown.follow(now);
            }
        }
    }

    /// Names what is listed, so that a name means the same wherever it is read.
    fn name(&mut self, place: usize, server: &Server, listed: &Listed) {
        let tools = listed.tools.iter().map(|tool| &*tool.name).filter(|name| !listed.offer.hidden.contains(*name));
        let own: Vec<&str> = tools.chain(listed.offer.groups.iter().map(|group| &*group.name)).collect();
        let shown = self.places.keys().filter(|(server, _)| *server == place).map(|(_, own)| own.as_str());
        let kept: HashSet<&str> = own.iter().copied().chain(shown).collect();
        self.names.list(place, server.name.as_deref(), &own, |own| kept.contains(own));
    }

    /// Takes in a description that was fetched.
    pub(super) fn note(&mut self, place: usize, server: &Server, told: &Arc<Description>) -> Note {
        let Some(shown) = self.at(place, told.name()).and_then(|at| self.shown.get_mut(at)) else {
            return if self.join(place, server, told, true, false) { Note::New } else { Note::LeftOut };
        };
        shown.withdrawn = false;
        if shown.description.digest() == told.digest() {
            return Note::Known;
        }
        // A list and a description tell the same schema, and differ in all else; what was described says more.
        let is_listed = || server.listed().in_full.iter().any(|listed| Arc::ptr_eq(&listed.description, told));
        if shown.description.input_schema() == told.input_schema() && (!shown.disclosed || is_listed()) {
            return Note::Known;
        }
        shown.description = told.clone();
        self.tokens.descriptions += told.tokens();
        Note::Changed
    }

    /// Whether there was room for it, or it was there.
    fn join(&mut self, place: usize, server: &Server, told: &Arc<Description>, disclosed: bool, always: bool) -> bool {
        if self.at(place, told.name()).is_some() {
            return true;
        }
        if self.is_full() {
            return false;
        }
        let cost = if disclosed { &mut self.tokens.descriptions } else { &mut self.tokens.listing };
        *cost += told.tokens();
        let name = self.names.name(place, server.name.as_deref(), told.name());
        self.places.insert((place, told.name().to_owned()), self.shown.len());
        let description = told.clone();
        self.shown.push(Shown { name, server: place, description, disclosed, always, withdrawn: false });
        true
    }

    pub(super) fn is_full(&self) -> bool {
        self.shown.len() >= SHOWN_MAX
    }

    fn at(&self, place: usize, own: &str) -> Option<usize> {
        self.places.get(&(place, own.to_owned())).copied()
    }

    /// What a server's tool is in this conversation, if it was shown.
    pub(super) fn shown_of(&self, place: usize, own: &str) -> Option<&Shown> {
        self.shown.get(self.at(place, own)?)
    }

    pub(super) fn is_withdrawn(&self, (place, own): &Place) -> bool {
        self.shown_of(*place, own).is_some_and(|shown| shown.withdrawn)
    }

    pub(super) fn counts_prompt(&mut self, prompt: &str) {
        self.tokens.prompt = estimate_tokens(prompt);
    }
}

impl Shown {
    /// Takes what the list tells now. A tool that was described stays as described while its arguments are the same: lists say
    /// less.
    fn follow(&mut self, now: &Arc<Description>) {
        let differs = match self.disclosed {
            true => self.description.input_schema() != now.input_schema(),
            false => self.description.digest() != now.digest(),
        };
        if differs {
            self.description = now.clone();
        }
    }
}
