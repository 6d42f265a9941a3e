//! Paths that name no tool. Generated code lets `Type::path` fall back to [`NO_SUCH_TOOL`], so that the compiler speaks of
//! tools where it would speak of hidden constants. The words are at `registry::declaration`.

use crate::tool::descriptor::{Facts, facts};

/// What a path stands for that names no tool.
#[derive(Debug, Clone, Copy)]
pub struct NoSuchTool {
    /// Nothing is said about it, not even a name; by that it is known.
    pub facts: Facts,
}

/// There is but one.
pub const NO_SUCH_TOOL: NoSuchTool = NoSuchTool { facts: facts::<()>("") };
