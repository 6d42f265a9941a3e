//! A registry's groups as a tree with paths: `/history/blame` is the group `blame` in `history`.

use crate::registry::{check::heading_name, group::Branch, skill_file::SkillFile};
use std::collections::HashMap;

/// All groups, each before those inside it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    by_name: HashMap<Box<str>, usize>,
}

/// A group. The tools and groups in it are named by their places.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) name: Box<str>,
    /// From the root, with a slash before each name.
    pub(crate) path: Box<str>,
    pub(crate) summary: Box<str>,
    /// What a caller should know before using its tools; may be empty.
    pub(crate) instructions: Box<str>,
    pub(crate) parent: Option<usize>,
    pub(crate) groups: Vec<usize>,
    /// The tools that stand in it, not those of groups inside.
    pub(crate) tools: Vec<usize>,
    /// Its tools and those of all groups inside, each once, in the catalogue's order.
    pub(crate) all_tools: Vec<usize>,
    /// The author's own files of its skill.
    pub(crate) files: Vec<SkillFile>,
}

impl Tree {
    /// The tree of these groups; `place_of` tells where the catalogue has a tool.
    pub(crate) fn new(groups: &[Branch], place_of: &impl Fn(&str) -> Option<usize>) -> Self {
        let mut tree = Self::default();
        for group in groups {
            tree.grow(group, None, place_of);
        }
        tree
    }

    fn grow(&mut self, group: &Branch, parent: Option<usize>, place_of: &impl Fn(&str) -> Option<usize>) -> usize {
        let place = self.nodes.len();
        let above = parent.and_then(|parent| self.nodes.get(parent)).map_or("", |parent| &parent.path);
        let path = format!("{above}/{}", group.name).into();
        self.nodes.push(Node {
            name: group.name.as_str().into(),
            path,
            summary: group.summary.as_str().into(),
            instructions: group.instructions.as_str().into(),
            parent,
            groups: Vec::new(),
            tools: group.tools.iter().filter_map(|name| place_of(name)).collect(),
            all_tools: Vec::new(),
            files: group.files.clone(),
        });
        self.by_name.insert(group.name.as_str().into(), place);
        let inside: Vec<usize> = group.groups.iter().map(|inner| self.grow(inner, Some(place), place_of)).collect();
        let below = inside.iter().filter_map(|inner| self.nodes.get(*inner)).flat_map(|inner| inner.all_tools.clone());
        let mut all_tools: Vec<usize> = below.collect();
        if let Some(node) = self.nodes.get_mut(place) {
            all_tools.extend(&node.tools);
            all_tools.sort_unstable();
            all_tools.dedup();
            node.groups = inside;
            node.all_tools = all_tools;
        }
        place
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The names of the groups that a tool stands in itself, in order.
    pub(crate) fn names_with(&self, tool: usize) -> Vec<&str> {
        self.nodes.iter().filter(|node| node.tools.contains(&tool)).map(|node| &*node.name).collect()
    }

    /// The groups that stand in no other.
    pub(crate) fn top(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.parent.is_none())
    }

    pub(crate) fn inside(&self, node: &Node) -> impl Iterator<Item = &Node> {
        node.groups.iter().filter_map(|place| self.nodes.get(*place))
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Node> {
        self.nodes.get(*self.by_name.get(name)?)
    }

    /// The group at a path, with or without slashes at its ends; a group's name alone will do, for names are unique. Whoever
    /// knows the code may write names as they stand there.
    pub(crate) fn at(&self, path: &str) -> Option<&Node> {
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

    fn branch(name: &str, tools: &[&str], groups: Vec<Branch>) -> Branch {
        let mut branch = Branch::root(tools.iter().map(|&tool| tool.to_owned()).collect(), groups);
        branch.name = name.to_owned();
        branch
    }

    #[test]
    fn groups_are_found_by_name_and_by_path() {
        let blame = branch("blame", &["b"], Vec::new());
        let history = branch("history", &["a", "b"], vec![blame]);
        let tree = Tree::new(&[history, branch("trees", &["c"], Vec::new())], &|name| "abc".find(name));
        for path in ["/history/blame", "history/blame/", "blame", "/blame "] {
            assert_eq!(tree.at(path).map(|node| &*node.path), Some("/history/blame"), "{path}");
        }
        for path in ["", "/", "/trees/blame", "/history/none", "a", "/history//blame"] {
            assert!(tree.at(path).is_none(), "{path}");
        }
        assert_eq!(tree.at("history").unwrap().all_tools, [0, 1], "a tool in two groups is one tool");
        assert_eq!(tree.names_with(1), ["history", "blame"]);
        assert_eq!(tree.top().map(|node| &*node.name).collect::<Vec<_>>(), ["history", "trees"]);
    }
}
