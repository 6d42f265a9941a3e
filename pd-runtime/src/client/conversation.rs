//! The tools that one conversation's model has been shown, in the order in which they were added,
//! and their cost.

use super::{
    description::Description,
    names::{ServerToolId, ToolNames},
    server::ConnectedServer,
    token_usage::TokenUsage,
    tool_list::ToolList,
};
use crate::text::token_estimate::estimate_tokens;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// The cost in tokens above which listed tools are deferred behind a search. It equals the limit of
/// [`Listing::AUTO`](crate::Listing::AUTO).
const LISTED_TOKENS_MAX: usize = 2_000;
/// The largest number of tools in a conversation: as many as a provider accepts in one request.
const SHOWN_MAX: usize = 10_000;

/// The state of a conversation. Tools are only added at the end and never removed. The prefix that
/// a provider has cached therefore stays valid, and every tool that the history refers to stays
/// defined.
#[derive(Debug, Default)]
pub(super) struct ConversationState {
    pub(super) tools: Vec<ShownTool>,
    pub(super) tokens: TokenUsage,
    pub(super) names: ToolNames,
    /// The index in `tools` of each server's tool.
    indexes: HashMap<ServerToolId, usize>,
    /// The change count of each server's list that this state reflects.
    synced: Vec<Option<u64>>,
    /// Whether tools that are listed in full are deferred because of their cost. Decided once,
    /// because a later change would alter the cached prefix.
    pub(super) defers_listed: Option<bool>,
    /// The number of tools when the request's `tools` were rendered first, if later ones are
    /// inserted into the messages.
    first_tools: Option<usize>,
}

/// A tool that the model sees.
#[derive(Debug, Clone)]
pub(super) struct ShownTool {
    pub(super) name: String,
    pub(super) server: usize,
    pub(super) description: Arc<Description>,
    /// Whether the tool was added by being described, not by being listed in full.
    pub(super) disclosed: bool,
    pub(super) never_deferred: bool,
    /// Whether the server no longer has the tool. A call of it fails like a call of an unknown
    /// tool.
    pub(super) withdrawn: bool,
    /// The description that was inserted into the messages.
    inserted: Option<Arc<Description>>,
}

/// A change of the tools that is not in the messages yet.
#[derive(Debug)]
pub(super) enum ToolChange<'a> {
    Added(&'a ShownTool),
    Removed(&'a ShownTool),
}

/// The effect of a description on the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DescriptionStatus {
    New,
    Known,
    /// The model was shown another description before.
    Changed,
    /// The conversation is full.
    LeftOut,
}

impl ConversationState {
    /// Updates the state to the servers' lists. Removed tools are marked as withdrawn, changed
    /// tools are updated in place, and new tools are added at the end.
    pub(super) fn sync(&mut self, servers: &[ConnectedServer]) {
        self.synced.resize(servers.len(), None);
        for (server_index, server) in servers.iter().enumerate() {
            let tool_list = server.tool_list();
            // Each use of the state comes here, and lists rarely change.
            if self.synced.get(server_index).copied().flatten() == Some(tool_list.change_count()) {
                continue;
            }
            self.update_shown(server_index, &tool_list);
            self.assign_names(server_index, server, &tool_list);
            for tool in &tool_list.in_full {
                self.add(
                    server_index,
                    server,
                    &tool.description,
                    false,
                    tool.never_deferred,
                );
            }
            if let Some(synced) = self.synced.get_mut(server_index) {
                *synced = Some(tool_list.change_count());
            }
        }
        self.defers_listed
            .get_or_insert(self.tokens.listing > LISTED_TOKENS_MAX);
    }

    fn update_shown(&mut self, server_index: usize, tool_list: &ToolList) {
        let in_full = tool_list.index();
        let offered: HashSet<&str> = tool_list.tools.iter().map(|tool| &*tool.name).collect();
        for tool in self
            .tools
            .iter_mut()
            .filter(|tool| tool.server == server_index)
        {
            let own = tool.description.name();
            // A described tool may exist without being listed. It is not withdrawn while the server
            // has unlisted tools.
            tool.withdrawn =
                !(offered.contains(own) || (tool.disclosed && tool_list.has_unlisted()));
            if let Some(now) = in_full.get(own) {
                tool.update(now);
            }
        }
    }

    /// Assigns names to all listed tools and groups, so that a name has the same meaning in every
    /// prompt, request and call.
    fn assign_names(
        &mut self,
        server_index: usize,
        server: &ConnectedServer,
        tool_list: &ToolList,
    ) {
        let tools = tool_list
            .tools
            .iter()
            .map(|tool| &*tool.name)
            .filter(|name| !tool_list.features.hidden.contains(*name));
        let own: Vec<&str> = tools
            .chain(tool_list.features.groups.iter().map(|group| &*group.name))
            .collect();
        // Tools that were shown keep their names even if no list has them, because the history uses
        // these names.
        let shown_names = self
            .indexes
            .keys()
            .filter(|(server, _)| *server == server_index)
            .map(|(_, own)| own.as_str());
        let kept_names: HashSet<&str> = own.iter().copied().chain(shown_names).collect();
        self.names
            .assign_listed(server_index, server.name.as_deref(), &own, |own| {
                kept_names.contains(own)
            });
    }

    /// Records a fetched description.
    pub(super) fn record_description(
        &mut self,
        server_index: usize,
        server: &ConnectedServer,
        description: &Arc<Description>,
    ) -> DescriptionStatus {
        let Some(tool) = self
            .index_of(server_index, description.name())
            .and_then(|index| self.tools.get_mut(index))
        else {
            return if self.add(server_index, server, description, true, false) {
                DescriptionStatus::New
            } else {
                DescriptionStatus::LeftOut
            };
        };
        // A server that describes a tool has it again.
        tool.withdrawn = false;
        if tool.description.digest() == description.digest() {
            return DescriptionStatus::Known;
        }
        // A list and a description contain the same schema, and differ in other fields. The
        // description is more detailed, so the list does not replace it.
        let is_listed = || {
            server
                .tool_list()
                .in_full
                .iter()
                .any(|tool| Arc::ptr_eq(&tool.description, description))
        };
        if tool.description.input_schema() == description.input_schema()
            && (!tool.disclosed || is_listed())
        {
            return DescriptionStatus::Known;
        }
        tool.description = description.clone();
        self.tokens.descriptions += description.tokens();
        DescriptionStatus::Changed
    }

    /// Adds a tool at the end. Returns whether the tool is now in the conversation.
    fn add(
        &mut self,
        server_index: usize,
        server: &ConnectedServer,
        description: &Arc<Description>,
        disclosed: bool,
        never_deferred: bool,
    ) -> bool {
        if self.index_of(server_index, description.name()).is_some() {
            return true;
        }
        if self.is_full() {
            return false;
        }
        let cost = if disclosed {
            &mut self.tokens.descriptions
        } else {
            &mut self.tokens.listing
        };
        *cost += description.tokens();
        let name = self
            .names
            .assign(server_index, server.name.as_deref(), description.name());
        self.indexes.insert(
            (server_index, description.name().to_owned()),
            self.tools.len(),
        );
        let description = description.clone();
        self.tools.push(ShownTool {
            name,
            server: server_index,
            description,
            disclosed,
            never_deferred,
            withdrawn: false,
            inserted: None,
        });
        true
    }

    pub(super) fn is_full(&self) -> bool {
        self.tools.len() >= SHOWN_MAX
    }

    fn index_of(&self, server_index: usize, own: &str) -> Option<usize> {
        self.indexes.get(&(server_index, own.to_owned())).copied()
    }

    /// Returns a server's tool as this conversation shows it.
    pub(super) fn shown_tool(&self, server_index: usize, own: &str) -> Option<&ShownTool> {
        self.tools.get(self.index_of(server_index, own)?)
    }

    pub(super) fn is_withdrawn(&self, (server_index, own): &ServerToolId) -> bool {
        self.shown_tool(*server_index, own)
            .is_some_and(|tool| tool.withdrawn)
    }

    /// Returns how many tools the request's `tools` contain, if later ones are inserted into the
    /// messages. The first request decides, because `tools` must not change after it.
    pub(super) fn first_tools(&mut self, inlines: bool) -> Option<usize> {
        inlines.then(|| *self.first_tools.get_or_insert(self.tools.len()))
    }

    /// Returns the tools of the request's `tools`.
    pub(super) fn request_tools(
        &self,
        first_tools: Option<usize>,
    ) -> impl Iterator<Item = &ShownTool> {
        let count = first_tools.unwrap_or(usize::MAX);
        let first = self.tools.iter().take(count);
        first.filter(move |tool| first_tools.is_none() || !tool.disclosed)
    }

    /// Returns what has changed since this was called last, in the order of the tools.
    pub(super) fn take_changes(&mut self) -> Vec<ToolChange<'_>> {
        let count = self.first_tools(true).unwrap_or_default();
        let later = self.tools.iter_mut().enumerate();
        later
            .filter(|(index, tool)| *index >= count || tool.disclosed)
            .filter_map(|(_, tool)| tool.take_change())
            .collect()
    }

    pub(super) fn record_prompt(&mut self, prompt: &str) {
        self.tokens.prompt = estimate_tokens(prompt);
    }
}

impl ShownTool {
    /// Returns what has changed since the tool was inserted, and records it as inserted.
    fn take_change(&mut self) -> Option<ToolChange<'_>> {
        if self.withdrawn {
            return self.inserted.take().map(|_| ToolChange::Removed(self));
        }
        let is_known = self
            .inserted
            .as_ref()
            .is_some_and(|inserted| inserted.digest() == self.description.digest());
        if is_known {
            return None;
        }
        self.inserted = Some(self.description.clone());
        Some(ToolChange::Added(self))
    }

    /// Takes over the tool's entry in the current list. A described tool keeps its description
    /// while its schema is unchanged, because lists contain less detail.
    fn update(&mut self, now: &Arc<Description>) {
        let differs = match self.disclosed {
            true => self.description.input_schema() != now.input_schema(),
            false => self.description.digest() != now.digest(),
        };
        if differs {
            self.description = now.clone();
        }
    }
}
