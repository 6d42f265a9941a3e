//! The meta-tools of presets, in the order in which a model uses them. (Without the feature
//! `presets` there are none.)

use super::meta_tool_purpose::MetaToolPurpose;

/// A meta-tool of another system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PresetRole {
    #[cfg(feature = "presets")]
    Tree(TreeRole),
    /// The category tool of lazy-mcp.
    #[cfg(feature = "presets")]
    Category,
    #[cfg(feature = "presets")]
    Gram(GramRole),
    #[cfg(feature = "presets")]
    Strata(StrataRole),
    /// Calls the tool at a path. The value is the name of the path argument.
    #[cfg(feature = "presets")]
    CallAt(&'static str),
}

/// The tools of the whitepaper's tree pattern.
#[cfg(feature = "presets")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TreeRole {
    List,
    Describe,
}

/// The tools of Gram's search pattern.
#[cfg(feature = "presets")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GramRole {
    Search,
    Describe,
}

/// The tools of Strata's funnel, including the tools of later releases.
#[cfg(feature = "presets")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StrataRole {
    Categories,
    CategoryActions,
    ActionDetails,
    Execute,
    Actions,
    Documentation,
}

#[cfg(feature = "presets")]
impl StrataRole {
    pub(crate) const ALL: [Self; 6] = [
        Self::Categories,
        Self::CategoryActions,
        Self::ActionDetails,
        Self::Execute,
        Self::Actions,
        Self::Documentation,
    ];
}

#[cfg(feature = "presets")]
impl PresetRole {
    pub(super) const ALL: [Self; 13] = [
        Self::Tree(TreeRole::List),
        Self::Tree(TreeRole::Describe),
        Self::Category,
        Self::Gram(GramRole::Search),
        Self::Gram(GramRole::Describe),
        Self::Strata(StrataRole::Categories),
        Self::Strata(StrataRole::CategoryActions),
        Self::Strata(StrataRole::ActionDetails),
        Self::Strata(StrataRole::Execute),
        Self::Strata(StrataRole::Actions),
        Self::Strata(StrataRole::Documentation),
        Self::CallAt("path"),
        Self::CallAt("tool_path"),
    ];

    pub(super) fn default_name(self) -> &'static str {
        match self {
            Self::Tree(TreeRole::List) => "list_tools",
            Self::Tree(TreeRole::Describe) => "describe_tool",
            Self::Category => "get_tools_in_category",
            Self::Gram(GramRole::Search) => "search_tools",
            Self::Gram(GramRole::Describe) => "describe_tools",
            Self::Strata(StrataRole::Categories) => "discover_server_categories",
            Self::Strata(StrataRole::CategoryActions) => "get_category_actions",
            Self::Strata(StrataRole::ActionDetails) => "get_action_details",
            Self::Strata(StrataRole::Execute) => "execute_action",
            Self::Strata(StrataRole::Actions) => "discover_server_actions",
            Self::Strata(StrataRole::Documentation) => "search_documentation",
            Self::CallAt("path") => "call_tool",
            Self::CallAt(_) => "execute_tool",
        }
    }

    pub(super) fn purpose(self) -> MetaToolPurpose {
        match self {
            Self::Gram(GramRole::Search)
            | Self::Strata(
                StrataRole::Categories | StrataRole::Actions | StrataRole::Documentation,
            ) => MetaToolPurpose::Find,
            Self::Tree(TreeRole::List)
            | Self::Category
            | Self::Strata(StrataRole::CategoryActions) => MetaToolPurpose::List,
            Self::Tree(TreeRole::Describe)
            | Self::Gram(GramRole::Describe)
            | Self::Strata(StrataRole::ActionDetails) => MetaToolPurpose::Describe,
            Self::CallAt(_) | Self::Strata(StrataRole::Execute) => MetaToolPurpose::Call,
        }
    }

    /// Returns whether the meta-tool takes the path of a tool.
    pub(crate) fn describes_by_path(self) -> bool {
        self == Self::Tree(TreeRole::Describe)
    }
}

#[cfg(not(feature = "presets"))]
impl PresetRole {
    pub(super) fn default_name(self) -> &'static str {
        match self {}
    }

    pub(super) fn purpose(self) -> MetaToolPurpose {
        match self {}
    }

    pub(crate) fn describes_by_path(self) -> bool {
        match self {}
    }
}
