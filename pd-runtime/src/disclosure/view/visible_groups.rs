//! The groups and bundles that exist for a caller.

use super::CallerView;
use crate::{
    catalog::{
        entry::CatalogEntry,
        tree::{GroupTree, TreeNode},
    },
    registry::{bundle::Bundle, check::heading_name},
    search::subjects::{self, NamedTool},
};
use parking_lot::Mutex;
use std::{borrow::Cow, collections::HashMap, sync::Arc};

/// Summaries that were made for callers who do not see all tools of a group, by the group's name.
/// There are at most as many as groups.
#[derive(Debug, Default)]
struct PartialSummaries {
    by_group: Mutex<HashMap<Box<str>, String>>,
}

impl<'a> CallerView<'a> {
    pub(crate) fn tree(&self) -> &'a GroupTree {
        &self.catalog.tree
    }

    /// Returns the groups that contain a tool. All of them exist for a caller who sees the tool.
    pub(crate) fn groups_of(
        &self,
        entry: &CatalogEntry,
    ) -> impl Iterator<Item = &'a TreeNode> + use<'a> {
        let place = entry.place;
        self.tree()
            .nodes()
            .iter()
            .filter(move |group| group.tools.contains(&place))
    }

    /// Returns the bundle of this name, or of this name as code writes it, if one of its tools
    /// exists for this caller.
    pub(crate) fn bundle(&self, name: &str) -> Option<&'a Bundle> {
        let name = heading_name(name);
        let bundle = self
            .catalog
            .bundles
            .iter()
            .find(|bundle| bundle.name == name)?;
        bundle
            .tools
            .iter()
            .any(|tool| self.find(tool).is_some())
            .then_some(bundle)
    }

    /// Returns the bundle that has all of these tools, and the fewest others that exist for this
    /// caller.
    pub(crate) fn bundle_with(&self, tools: &[&CatalogEntry]) -> Option<&'a Bundle> {
        self.catalog
            .bundles
            .iter()
            .filter(|bundle| {
                let mut wanted = tools.iter();
                wanted.all(|tool| bundle.tools.iter().any(|name| name == tool.name()))
            })
            .min_by_key(|bundle| {
                // A hidden tool must not change which bundle is named.
                let visible = bundle.tools.iter().filter(|tool| self.find(tool).is_some());
                visible.count()
            })
    }

    /// Returns the first group of the first tool that contains the others, too.
    pub(crate) fn group_with(&self, tools: &[&CatalogEntry]) -> Option<&'a TreeNode> {
        let (first, others) = tools.split_first()?;
        let mut groups = self.groups_of(first);
        groups.find(|group| others.iter().all(|tool| group.tools.contains(&tool.place)))
    }

    /// Returns a group's own tools that exist for this caller.
    pub(crate) fn tools_of(
        &self,
        group: &'a TreeNode,
    ) -> impl Iterator<Item = &'a Arc<CatalogEntry>> {
        let visible = group
            .tools
            .iter()
            .filter(|place| self.sight().sees(**place));
        visible.filter_map(|place| self.catalog.entries.get(*place))
    }

    /// Returns the tools of a group and of all groups inside it that exist for this caller, each
    /// once.
    pub(crate) fn all_tools_of(
        &self,
        group: &'a TreeNode,
    ) -> impl Iterator<Item = &'a Arc<CatalogEntry>> {
        let visible = group
            .all_tools
            .iter()
            .filter(|place| self.sight().sees(**place));
        visible.filter_map(|place| self.catalog.entries.get(*place))
    }

    /// Returns the number of tools of a group, and of all groups inside it, that exist for this
    /// caller. A group without such a tool does not exist for the caller.
    pub(crate) fn count(&self, group: &TreeNode) -> usize {
        group
            .all_tools
            .iter()
            .filter(|place| self.sight().sees(**place))
            .count()
    }

    /// Returns whether the group exists for this caller.
    pub(crate) fn sees_group(&self, group: &TreeNode) -> bool {
        group
            .all_tools
            .iter()
            .any(|place| self.sight().sees(*place))
    }

    /// Returns the group at a path, if it exists for this caller.
    pub(crate) fn group(&self, path: &str) -> Option<&'a TreeNode> {
        self.tree()
            .find_path(path)
            .filter(|group| self.sees_group(group))
    }

    /// Returns the groups in this one, or at the top level, that exist for this caller.
    pub(crate) fn groups_in(&self, group: Option<&'a TreeNode>) -> Vec<&'a TreeNode> {
        let tree = self.tree();
        let inside: Vec<_> = match group {
            Some(group) => tree.inside(group).collect(),
            None => tree.top().collect(),
        };
        inside
            .into_iter()
            .filter(|group| self.sees_group(group))
            .collect()
    }

    /// Returns a group's summary. If it was made of tools, it names those alone that exist for this
    /// caller.
    pub(crate) fn summary_of(&self, group: &'a TreeNode) -> Cow<'a, str> {
        if !group.has_made_summary || self.count(group) == group.all_tools.len() {
            return Cow::Borrowed(group.whole_summary());
        }
        let summaries = self.sight().cached(PartialSummaries::default);
        if let Some(known) = summaries.by_group.lock().get(&group.name) {
            return Cow::Owned(known.clone());
        }
        let tools: Vec<_> = self
            .all_tools_of(group)
            .filter_map(|entry| NamedTool::of(&entry.tool.about))
            .collect();
        let made = subjects::line(&tools).unwrap_or_default();
        summaries
            .by_group
            .lock()
            .insert(group.name.clone(), made.clone());
        Cow::Owned(made)
    }

    /// Returns whether any group exists for this caller, also one whose tools are still read.
    pub(crate) fn has_groups(&self) -> bool {
        // Computed at most once a request: a list asks it for every tool.
        *self.has_groups.get_or_init(|| {
            self.tree().top().any(|group| self.sees_group(group)) || self.has_unread_groups()
        })
    }

    /// Returns whether a group exists for this caller whose tools are still read.
    pub(crate) fn has_unread_groups(&self) -> bool {
        self.missing().iter().any(|set| !set.lines.is_empty())
    }
}
