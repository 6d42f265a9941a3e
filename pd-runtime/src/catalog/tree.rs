//! The groups of a registry as a tree with paths: `/history/blame` is the group `blame` in
//! `history`.

use crate::registry::{check::heading_name, group::GroupView, skill_file::SkillFile};
use std::collections::HashMap;

/// All groups. Each is before the groups that it contains.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupTree {
    nodes: Vec<TreeNode>,
    by_name: HashMap<Box<str>, usize>,
    /// The groups that contain a tool directly, in order, by the tool's place.
    by_tool: HashMap<usize, Vec<usize>>,
}

/// One group. It refers to tools and groups by index.
#[derive(Debug, Clone)]
pub(crate) struct TreeNode {
    pub(crate) name: Box<str>,
    /// The path from the root, with a slash before each name.
    pub(crate) path: Box<str>,
    /// The name that people read, if there is one.
    pub(crate) title: Option<Box<str>>,
    /// The summary for callers who see all of its tools. `CallerView::summary_of` has that of
    /// every caller.
    summary: Box<str>,
    /// What a caller should know before using its tools. May be empty.
    pub(crate) instructions: Box<str>,
    pub(crate) parent: Option<usize>,
    pub(crate) groups: Vec<usize>,
    /// The tools directly in this group, without the tools of nested groups.
    pub(crate) tools: Vec<usize>,
    /// The tools of this group and of all nested groups, without duplicates, in catalog order.
    pub(crate) all_tools: Vec<usize>,
    /// The names of the group's prompts, and the URIs of its resources.
    pub(crate) prompts: Box<[String]>,
    pub(crate) resources: Box<[String]>,
    /// Whether the summary names the tools, so that it is not for every caller.
    pub(crate) has_made_summary: bool,
    /// The author's files for the group's skill.
    pub(crate) files: Vec<SkillFile>,
}

impl TreeNode {
    /// Returns the summary for callers who see all of its tools.
    pub(crate) fn whole_summary(&self) -> &str {
        &self.summary
    }
}

impl GroupTree {
    /// Builds the tree. `place_of` returns the index of a tool in the catalog.
    pub(crate) fn new(groups: &[GroupView], place_of: &impl Fn(&str) -> Option<usize>) -> Self {
        let mut tree = Self::default();
        for group in groups {
            tree.add_group(group, None, place_of);
        }
        for (place, node) in tree.nodes.iter().enumerate() {
            for tool in &node.tools {
                let groups = tree.by_tool.entry(*tool).or_default();
                // A group may list a tool twice, which `Registry::check` reports.
                if groups.last() != Some(&place) {
                    groups.push(place);
                }
            }
        }
        tree
    }

    fn add_group(
        &mut self,
        group: &GroupView,
        parent: Option<usize>,
        place_of: &impl Fn(&str) -> Option<usize>,
    ) -> usize {
        let place = self.nodes.len();
        let above = parent
            .and_then(|parent| self.nodes.get(parent))
            .map_or("", |parent| &parent.path);
        let path = format!("{above}/{}", group.name).into();
        // Pushed before its children, so that a parent's index is known to them; the members that
        // depend on the children are filled in afterwards.
        self.nodes.push(TreeNode {
            name: group.name.as_str().into(),
            path,
            title: group.title.as_deref().map(Into::into),
            summary: group.summary.as_str().into(),
            instructions: group.instructions.as_str().into(),
            parent,
            groups: Vec::new(),
            tools: group
                .tools
                .iter()
                .filter_map(|name| place_of(name))
                .collect(),
            all_tools: Vec::new(),
            prompts: group.prompts.as_slice().into(),
            resources: group.resources.as_slice().into(),
            has_made_summary: group.has_made_summary,
            files: group.files.clone(),
        });
        self.by_name.insert(group.name.as_str().into(), place);
        let inside: Vec<usize> = group
            .groups
            .iter()
            .map(|inner| self.add_group(inner, Some(place), place_of))
            .collect();
        let below = inside
            .iter()
            .filter_map(|inner| self.nodes.get(*inner))
            .flat_map(|inner| inner.all_tools.clone());
        let mut all_tools: Vec<usize> = below.collect();
        if let Some(node) = self.nodes.get_mut(place) {
            all_tools.extend(&node.tools);
            // Sorted by place, which is catalog order. A tool may be in several groups, so
            // duplicates are removed.
            all_tools.sort_unstable();
            all_tools.dedup();
            node.groups = inside;
            node.all_tools = all_tools;
        }
        place
    }

    /// Returns whether a group has a prompt.
    pub(crate) fn has_prompts(&self) -> bool {
        self.nodes.iter().any(|node| !node.prompts.is_empty())
    }

    /// Returns whether a group has a resource.
    pub(crate) fn has_resources(&self) -> bool {
        self.nodes.iter().any(|node| !node.resources.is_empty())
    }

    pub(crate) fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// Returns the names of the groups that contain a tool directly, in order.
    pub(crate) fn names_with(&self, tool: usize) -> Vec<&str> {
        self.by_tool
            .get(&tool)
            .into_iter()
            .flatten()
            .filter_map(|place| Some(&*self.nodes.get(*place)?.name))
            .collect()
    }

    /// Iterates over the top-level groups.
    pub(crate) fn top(&self) -> impl Iterator<Item = &TreeNode> {
        self.nodes.iter().filter(|node| node.parent.is_none())
    }

    pub(crate) fn inside(&self, node: &TreeNode) -> impl Iterator<Item = &TreeNode> {
        node.groups
            .iter()
            .filter_map(|place| self.nodes.get(*place))
    }

    pub(crate) fn named(&self, name: &str) -> Option<&TreeNode> {
        self.nodes.get(*self.by_name.get(name)?)
    }

    /// Finds a group by its path, with or without slashes at its ends. Group names are unique, so
    /// the name alone is enough. A name may also be written as in the tool author's code.
    pub(crate) fn find_path(&self, path: &str) -> Option<&TreeNode> {
        let path = heading_name(path.trim().trim_matches('/'));
        let name = path.rsplit('/').next()?;
        let node = self.named(name)?;
        (path == name || node.path.trim_start_matches('/') == path).then_some(node)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn branch(name: &str, tools: &[&str], groups: Vec<GroupView>) -> GroupView {
        let mut branch =
            GroupView::root(tools.iter().map(|&tool| tool.to_owned()).collect(), groups);
        branch.name = name.to_owned();
        branch
    }

    #[test]
    fn groups_are_found_by_name_and_by_path() {
        let blame = branch("blame", &["b"], Vec::new());
        let history = branch("history", &["a", "b"], vec![blame]);
        let tree = GroupTree::new(&[history, branch("trees", &["c"], Vec::new())], &|name| {
            "abc".find(name)
        });
        for path in ["/history/blame", "history/blame/", "blame", "/blame "] {
            assert_eq!(
                tree.find_path(path).map(|node| &*node.path),
                Some("/history/blame"),
                "{path}"
            );
        }
        for path in [
            "",
            "/",
            "/trees/blame",
            "/history/none",
            "a",
            "/history//blame",
        ] {
            assert!(tree.find_path(path).is_none(), "{path}");
        }
        assert_eq!(
            tree.find_path("history").unwrap().all_tools,
            [0, 1],
            "a tool in two groups is one tool"
        );
        assert_eq!(tree.names_with(1), ["history", "blame"]);
        assert_eq!(
            tree.top().map(|node| &*node.name).collect::<Vec<_>>(),
            ["history", "trees"]
        );
    }
}
