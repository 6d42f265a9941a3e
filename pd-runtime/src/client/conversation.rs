//! What one conversation's model has been shown: tools in the order in which they joined, and what that cost.

use super::{account::Tokens, description::Description, names, server::Server};
use crate::tokens::estimate_tokens;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Above this, tools that are listed in full are better searched for than read: the limit of
/// [`Listing::AUTO`](crate::Listing::AUTO).
const IN_FULL_MAX: usize = 2_000;

/// The tools of a conversation. They only join at the end: what a provider has cached of those before stays as it is.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) shown: Vec<Shown>,
    pub(super) tokens: Tokens,
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
}

/// What a description is to a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    New,
    Known,
    /// Another one was shown before.
    Changed,
}

impl Conversation {
    /// Brings it up to what the servers list. Tools that went away leave, those that changed change where they stand, new ones
    /// come last.
    pub(super) fn sync(&mut self, servers: &[Server], reserved: &str) {
        self.synced.resize(servers.len(), None);
        for (place, server) in servers.iter().enumerate() {
            let listed = server.listed();
            if self.synced.get(place).copied().flatten() == Some(listed.at()) {
                continue;
            }
            let in_full = listed.index();
            let offered: HashSet<&str> = listed.tools.iter().map(|tool| &*tool.name).collect();
            let finds = !listed.offer.finding.is_empty() || !listed.offer.groups.is_empty();
            self.shown.retain_mut(|shown| {
                if shown.server != place {
                    return true;
                }
                match in_full.get(shown.description.name()) {
                    Some(now) => shown.follow(now),
                    None => shown.disclosed && (finds || offered.contains(shown.description.name())),
                }
            });
            for tool in &listed.in_full {
                self.join(place, server, &tool.description, false, tool.always, reserved);
            }
            if let Some(synced) = self.synced.get_mut(place) {
                *synced = Some(listed.at());
            }
        }
        self.defers_listed.get_or_insert(self.tokens.listing > IN_FULL_MAX);
    }

    /// Takes in a description that was fetched.
    pub(super) fn note(&mut self, place: usize, server: &Server, told: &Arc<Description>, reserved: &str) -> Note {
        let known =
            self.shown.iter_mut().find(|shown| shown.server == place && shown.description.name() == told.name());
        match known {
            None => {
                self.join(place, server, told, true, false, reserved);
                Note::New
            }
            Some(shown) if shown.description.digest() == told.digest() => Note::Known,
            // A list and a description tell the same schema, and differ in all else.
            Some(shown) if shown.description.input_schema() == told.input_schema() && !shown.disclosed => Note::Known,
            Some(shown) => {
                shown.description = told.clone();
                self.tokens.descriptions += told.tokens();
                Note::Changed
            }
        }
    }

    fn join(
        &mut self,
        place: usize,
        server: &Server,
        told: &Arc<Description>,
        disclosed: bool,
        always: bool,
        reserved: &str,
    ) {
        if self.shown.iter().any(|shown| shown.server == place && shown.description.name() == told.name()) {
            return;
        }
        let cost = if disclosed { &mut self.tokens.descriptions } else { &mut self.tokens.listing };
        *cost += told.tokens();
        let is_taken = |name: &str| name == reserved || self.shown.iter().any(|shown| shown.name == name);
        let name = names::shown(server.name.as_deref(), told.name(), is_taken);
        self.shown.push(Shown { name, server: place, description: told.clone(), disclosed, always });
    }

    /// The server and the own name of a tool that was shown under this name.
    pub(super) fn named(&self, name: &str) -> Option<(usize, &str)> {
        let shown = self.shown.iter().find(|shown| shown.name == name)?;
        Some((shown.server, shown.description.name()))
    }

    /// The name under which a server's tool was shown.
    pub(super) fn name_of(&self, place: usize, own: &str) -> Option<&str> {
        let shown = self.shown.iter().find(|shown| shown.server == place && shown.description.name() == own)?;
        Some(&shown.name)
    }

    pub(super) fn counts_prompt(&mut self, prompt: &str) {
        self.tokens.prompt = estimate_tokens(prompt);
    }

    /// All that is shown, by name.
    pub(super) fn by_name(&self) -> HashMap<&str, &Shown> {
        self.shown.iter().map(|shown| (shown.name.as_str(), shown)).collect()
    }
}

impl Shown {
    /// Takes what the list tells now. A tool that was described stays as described while its arguments are the same: lists say
    /// less.
    fn follow(&mut self, now: &Arc<Description>) -> bool {
        let differs = match self.disclosed {
            true => self.description.input_schema() != now.input_schema(),
            false => self.description.digest() != now.digest(),
        };
        if differs {
            self.description = now.clone();
        }
        true
    }
}
