//! A server's tool list at one point in time.

use super::{description::Description, groups::OpenedGroups, server_capabilities::ServerFeatures};
use rmcp::model::Tool;
use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

/// A list that was fetched in one state of the server.
#[derive(Debug, Default)]
pub(super) struct ToolList {
    /// The number of changes that were reported before this list was fetched.
    change_count: u64,
    pub(super) tools: Vec<Tool>,
    pub(super) features: ServerFeatures,
    /// Tools that are listed in full and shown to a model, in the order of the list.
    pub(super) in_full: Vec<FullyListedTool>,
    pub(super) opened: OpenedGroups,
}

#[derive(Debug)]
pub(super) struct FullyListedTool {
    pub(super) description: Arc<Description>,
    /// Whether the server requires that the tool is never deferred.
    pub(super) never_deferred: bool,
}

impl ToolList {
    pub(super) fn new(change_count: u64, tools: Vec<Tool>, features: ServerFeatures) -> Self {
        Self {
            change_count,
            in_full: in_full(&tools, &features),
            tools,
            features,
            opened: OpenedGroups::default(),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// Returns the listed tools that the prompt shows by their summaries, in the order of the list.
    pub(super) fn summaries(&self) -> impl Iterator<Item = &Tool> {
        self.tools
            .iter()
            .filter(|tool| self.features.minimal.contains(&*tool.name))
    }

    /// Returns whether the server has tools that are not in the list.
    pub(super) fn has_unlisted(&self) -> bool {
        !self.features.search_tools.is_empty() || !self.features.groups.is_empty()
    }

    /// Returns whether any tool must be described.
    pub(super) fn discloses(&self) -> bool {
        self.features.needs_describing()
    }

    pub(super) fn index(&self) -> HashMap<&str, &Arc<Description>> {
        self.in_full
            .iter()
            .map(|tool| (tool.description.name(), &tool.description))
            .collect()
    }

    pub(super) fn change_count(&self) -> u64 {
        self.change_count
    }
}

/// Returns a hash of a list, by which the cache notices another list.
pub(super) fn fingerprint(tools: &[Tool]) -> u64 {
    // The hash may differ between versions of Rust, so it is compared within the process only.
    let mut hasher = DefaultHasher::new();
    tools.iter().for_each(|tool| {
        serde_json::to_string(tool)
            .unwrap_or_default()
            .hash(&mut hasher)
    });
    hasher.finish()
}

fn in_full(tools: &[Tool], features: &ServerFeatures) -> Vec<FullyListedTool> {
    let mut seen = HashSet::new();
    let full = tools.iter().filter(|tool| {
        !features.hidden.contains(&*tool.name) && !features.minimal.contains(&*tool.name)
    });
    let in_full = |tool: &Tool| {
        let annotation = tool
            .meta
            .as_ref()
            .and_then(|meta| meta.get("anthropic/alwaysLoad"));
        // A search tool must be visible from the start: deferred, it would have to be searched for
        // itself.
        let never_deferred = annotation.is_some_and(|never_deferred| *never_deferred == true)
            || features.search_tools.iter().any(|name| *name == tool.name);
        Some(FullyListedTool {
            description: Arc::new(Description::from_tool(tool)?),
            never_deferred,
        })
    };
    // Providers refuse a request with two tools of one name.
    full.filter(|tool| seen.insert(tool.name.clone()))
        .filter_map(in_full)
        .collect()
}
