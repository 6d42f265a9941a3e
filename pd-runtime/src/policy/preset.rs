//! Presets: known patterns of progressive disclosure, each as the settings that reproduce it.

use super::{
    Listing, MinimalSchema, Policy,
    meta_tools::{MetaToolRole, MetaTools},
    preset_role::{GramRole, PresetRole, StrataRole, TreeRole},
};

/// A known pattern of progressive disclosure with its tool names and arguments, for hosts and
/// prompts that were made for it.
///
/// A preset sets the listing, the meta-tools and the minimal schema. Later settings override it.
/// The gate is unchanged, and each tool that describes also discloses. Groups take the role of the
/// pattern's servers, categories, folders or tags.
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
    /// Lists names and summaries first. Descriptions are in the resource `tool_descriptions`.
    TwoStage,
    /// Presents tools as files in folders: `list_tools("/history")`,
    /// `describe_tool("/history/log")`.
    Tree,
    /// Presents lazy-mcp's form of the tree, with dots between names.
    LazyMcp,
    /// Presents Klavis' funnel: a goal, a category, an action, its schema.
    Strata,
    /// Presents Speakeasy's search by words and by tags.
    Gram,
}

impl Preset {
    pub(crate) fn apply(self, policy: &mut Policy) {
        let (listing, schema) = match self {
            Self::TwoStage => (Listing::Minimal, MinimalSchema::Empty),
            // The other patterns list meta-tools only.
            _ => (Listing::Eager, MinimalSchema::default()),
        };
        policy.listing = listing;
        policy.minimal_schema = schema;
        policy.meta_tools = Some(self.meta_tools());
    }

    fn meta_tools(self) -> MetaTools {
        match self {
            Self::TwoStage => MetaTools::none(),
            Self::Tree => with_roles(&[
                PresetRole::Tree(TreeRole::List),
                PresetRole::Tree(TreeRole::Describe),
                PresetRole::CallAt("path"),
            ]),
            Self::LazyMcp => with_roles(&[PresetRole::Category, PresetRole::CallAt("tool_path")]),
            Self::Strata => with_roles(&StrataRole::ALL.map(PresetRole::Strata)),
            // Gram's calling tool takes the arguments of `Call`, under another name.
            Self::Gram => with_roles(&[
                PresetRole::Gram(GramRole::Search),
                PresetRole::Gram(GramRole::Describe),
            ])
            .call("execute_tool"),
        }
    }
}

fn with_roles(roles: &[PresetRole]) -> MetaTools {
    let roles: Vec<_> = roles.iter().copied().map(MetaToolRole::Preset).collect();
    MetaTools::with_roles(&roles)
}
