//! Fallbacks for paths that name no tool. Generated code lets `TypeExpression::path` resolve to
//! [`NO_SUCH_TOOL`], so that the compiler's message is about tools and not about hidden constants.
//! `registry::declaration` has the messages.

use crate::tool::descriptor::{ToolFacts, facts};

/// The value of a path that names no tool.
#[derive(Debug, Clone, Copy)]
pub struct NoSuchTool {
    /// Empty facts. The empty name identifies the fallback.
    pub facts: ToolFacts,
}

/// The only value of the fallback.
pub const NO_SUCH_TOOL: NoSuchTool = NoSuchTool {
    facts: facts::<()>(""),
};
