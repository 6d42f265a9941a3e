//! Patterns of progressive disclosure that others have shaped, each as the settings that reproduce it.

use super::{
    Listing, MinimalSchema, Policy,
    meta_tools::{Gram, MetaTools, Role, Strata, Tree},
};

/// A known pattern of progressive disclosure, with its names and arguments, for hosts and prompts made for it.
///
/// It sets the listing, the meta-tools and the minimal schema; settings made after it win. The gate stays, and what describes
/// a tool discloses it. Groups are what the pattern calls servers, categories, folders or tags.
///
/// | | the list | meta-tools |
/// |---|---|---|
/// | two-stage | all tools, with an empty schema | none: descriptions are a resource |
/// | tree | meta-tools | `list_tools`, `describe_tool`, `call_tool` |
/// | lazy-mcp | meta-tools | `get_tools_in_category`, `execute_tool` |
/// | Strata | meta-tools | `discover_server_categories`, `get_category_actions`, `get_action_details`, `execute_action`, `discover_server_actions`, `search_documentation` |
/// | Gram | meta-tools | `search_tools`, `describe_tools`, `execute_tool` |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// Names and summaries first, descriptions from the resource `tool_descriptions`.
    TwoStage,
    /// Tools as files in folders: `list_tools("/history")`, `describe_tool("/history/log")`.
    Tree,
    /// The tree as lazy-mcp has it, with dots between names.
    LazyMcp,
    /// Klavis' funnel: what is wanted, a category, an action, its schema.
    Strata,
    /// Speakeasy's search: by words, and by tags.
    Gram,
}

impl Preset {
    pub(crate) fn apply(self, policy: &mut Policy) {
        let (listing, schema) = match self {
            Self::TwoStage => (Listing::Minimal, MinimalSchema::Empty),
            _ => (Listing::Eager, MinimalSchema::default()),
        };
        policy.listing = listing;
        policy.minimal_schema = schema;
        policy.meta_tools = Some(self.meta_tools());
    }

    fn meta_tools(self) -> MetaTools {
        match self {
            Self::TwoStage => MetaTools::none(),
            Self::Tree => MetaTools::of(&[Role::Tree(Tree::List), Role::Tree(Tree::Describe), Role::CallAt("path")]),
            Self::LazyMcp => MetaTools::of(&[Role::Category, Role::CallAt("tool_path")]),
            Self::Strata => MetaTools::of(&Strata::ALL.map(Role::Strata)),
            Self::Gram => MetaTools::of(&[Role::Gram(Gram::Search), Role::Gram(Gram::Describe)]).call("execute_tool"),
        }
    }
}
