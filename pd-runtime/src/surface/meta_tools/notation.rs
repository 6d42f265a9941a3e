//! Paths in the notation of a family of meta-tools, and the errors for unknown paths.

use super::path;
use crate::{
    catalog::{entry::CatalogEntry, tree::TreeNode},
    disclosure::view::CallerView,
    policy::meta_tool_purpose::MetaToolPurpose,
};
use pd_schema::suggest;

/// The most paths or names that an error suggests.
const NEAREST_MAX: usize = 5;

/// The notation in which a family of meta-tools writes groups and tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathNotation {
    /// Groups with slashes, tools by their names: the default meta-tools.
    Names,
    /// Both with slashes: the whitepaper's tree.
    #[cfg_attr(not(feature = "presets"), expect(dead_code, reason = "presets use it"))]
    Slashes,
    /// Both with dots, and groups are called categories: lazy-mcp.
    Dots,
}

impl PathNotation {
    /// Renders a group's path.
    pub(crate) fn group(self, group: &TreeNode) -> String {
        match self {
            Self::Dots => group.path.trim_start_matches('/').replace('/', "."),
            Self::Names | Self::Slashes => group.path.to_string(),
        }
    }

    /// Renders a tool's path in this group, or at the top level.
    pub(crate) fn tool(self, tool: &CatalogEntry, group: Option<&TreeNode>) -> String {
        let above = group.map(|group| self.group(group)).unwrap_or_default();
        match self {
            Self::Names => tool.name().to_owned(),
            Self::Slashes => format!("{above}/{}", tool.name()),
            Self::Dots if above.is_empty() => tool.name().to_owned(),
            Self::Dots => format!("{above}.{}", tool.name()),
        }
    }

    fn noun(self) -> &'static str {
        if self == Self::Dots {
            "category"
        } else {
            "group"
        }
    }

    fn root(self) -> &'static str {
        match self {
            Self::Names => "list without a path",
            Self::Slashes => "list `/`",
            Self::Dots => "the path '' has all tools",
        }
    }

    /// Reports that no group has this path, with the nearest paths. A hidden group and an absent
    /// one get the same text.
    pub(crate) fn unknown_group(self, path: &str, view: &CallerView<'_>) -> String {
        // A group of a server that has not answered yet may exist, so it is not called unknown.
        if let Some(set) = view.missing_for(path) {
            return set.render(path);
        }
        let noun = self.noun();
        // A tool at this path is the likelier intention, so it comes before similar groups.
        if let Some(next) = self.tool_instead(path, view) {
            return format!("`{path}` is a tool, not a {noun}: {next}");
        }
        let groups: Vec<_> = view
            .tree()
            .nodes()
            .iter()
            .filter(|group| view.sees_group(group))
            .collect();
        let paths: Vec<String> = groups.into_iter().map(|group| self.group(group)).collect();
        match suggest::rank(path, paths.iter().map(String::as_str), NEAREST_MAX).as_slice() {
            [] => format!("no {noun} at `{path}`: there are none; {}", self.root()),
            near => format!("no {noun} at `{path}`; the nearest: {}", near.join(", ")),
        }
    }

    /// Renders the next step if the path of a group names a tool, under the meta-tools that are
    /// offered.
    fn tool_instead(self, path: &str, view: &CallerView<'_>) -> Option<String> {
        // The group in the path may be wrong, so the last part alone is tried, too.
        let tool = path::tool(path, view)
            .or_else(|| path.rsplit('/').next().and_then(|name| view.resolve(name)))?;
        let offered = view.meta_tools();
        let describe = offered
            .name_of(MetaToolPurpose::Describe)
            .map(|describe| ("describe", describe));
        let (verb, with) =
            describe.or_else(|| Some(("call", offered.name_of(MetaToolPurpose::Call)?)))?;
        Some(format!(
            "{verb} `{}` with {with}",
            self.tool(tool, view.groups_of(tool).next())
        ))
    }

    /// Reports that no tool has this path or name, with the nearest ones.
    #[cfg(feature = "presets")]
    pub(crate) fn unknown_tool(self, path: &str, view: &CallerView<'_>) -> String {
        if let Some(set) = view.missing_for(path) {
            return set.render(path);
        }
        let brief = crate::disclosure::disclose::render_unknown_briefly(path);
        let name = path.rsplit(['/', '.']).next().unwrap_or(path);
        // Ranked by the last part alone, because the error is usually in the path of the group.
        let near = view
            .nearest(name, NEAREST_MAX)
            .into_iter()
            .filter_map(|name| view.find(name));
        let near: Vec<String> = near
            .map(|tool| self.tool(tool, view.groups_of(tool).next()))
            .collect();
        match near.as_slice() {
            [] => format!("{brief}: there are none"),
            near => format!("{brief}; the nearest: {}", near.join(", ")),
        }
    }
}
