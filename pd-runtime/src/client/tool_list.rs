//! What a server lists, as of one moment.

use super::{description::Description, groups::Opened, server_capabilities::Offer};
use rmcp::model::Tool;
use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

/// A list, as of one state of the server.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// How many changes were heard of before it.
    at: u64,
    pub(super) tools: Vec<Tool>,
    pub(super) offer: Offer,
    /// Tools that are listed in full and shown to a model, in the list's order.
    pub(super) in_full: Vec<InFull>,
    pub(super) opened: Opened,
}

#[derive(Debug)]
pub(super) struct InFull {
    pub(super) description: Arc<Description>,
    /// Whether its server asks that it is never deferred.
    pub(super) always: bool,
}

impl Listed {
    pub(super) fn new(at: u64, tools: Vec<Tool>, offer: Offer) -> Self {
        Self { at, in_full: in_full(&tools, &offer), tools, offer, opened: Opened::default() }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// Listed tools that are shown by their summary, in the list's order.
    pub(super) fn summaries(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|tool| self.offer.minimal.contains(&*tool.name))
    }

    /// Whether there are tools that the list does not tell of.
    pub(super) fn has_unlisted(&self) -> bool {
        !self.offer.finding.is_empty() || !self.offer.groups.is_empty()
    }

    /// Whether anything of it has to be described.
    pub(super) fn discloses(&self) -> bool {
        self.offer.needs_describing()
    }

    pub(super) fn index(&self) -> HashMap<&str, &Arc<Description>> {
        self.in_full.iter().map(|tool| (tool.description.name(), &tool.description)).collect()
    }

    pub(super) fn at(&self) -> u64 {
        self.at
    }
}

/// Tells lists apart.
pub(super) fn fingerprint(tools: &[Tool]) -> u64 {
    let mut hasher = DefaultHasher::new();
    tools.iter().for_each(|tool| serde_json::to_string(tool).unwrap_or_default().hash(&mut hasher));
    hasher.finish()
}

fn in_full(tools: &[Tool], offer: &Offer) -> Vec<InFull> {
    let mut seen = HashSet::new();
    let shown = tools.iter().filter(|tool| !offer.hidden.contains(&*tool.name) && !offer.minimal.contains(&*tool.name));
    let made = |tool: &Tool| {
        let asked = tool.meta.as_ref().and_then(|meta| meta.get("anthropic/alwaysLoad"));
        let always = asked.is_some_and(|always| *always == true) || offer.finding.iter().any(|name| *name == tool.name);
        Some(InFull { description: Arc::new(Description::of_tool(tool)?), always })
    };
    shown.filter(|tool| seen.insert(tool.name.clone())).filter_map(made).collect()
}
