//! Fallbacks for paths that name no tool. Generated code lets `Type::path` resolve to
//! [`NO_SUCH_TOOL`], so that the compiler's message is about tools and not about hidden constants.
//! `registry::declaration` has the messages.

use crate::{
    text::const_message::Message,
    tool::{
        descriptor::{Facts, facts},
        shape::refuse,
    },
};

/// The value of a path that names no tool.
#[derive(Debug, Clone, Copy)]
pub struct NoSuchTool {
    /// Empty facts. The empty name identifies the fallback.
    pub facts: Facts,
}

/// The only value of the fallback.
pub const NO_SUCH_TOOL: NoSuchTool = NoSuchTool { facts: facts::<()>("") };

/// The name of a free function's tool, compared with the function's. Generated code matches on it
/// in patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// The tool does not exist, so the pattern names no constant.
    Absent,
    /// The tool has the function's name.
    AsFunction,
    /// The tool has another name.
    Otherwise,
}

/// Returns the name of a related tool that differs from its function's, if its module defines it.
#[track_caller]
pub const fn renamed(tool: &str, function: &str, name: &'static str) -> &'static str {
    if name.is_empty() {
        let said =
            Message::new().text("`").text(function).text("` has a name of its own and stands in a function's body");
        refuse(tool, &said, "; move both tools to a module, or leave out `related`");
    }
    name
}

/// Rejects a related function that is not a tool.
#[track_caller]
pub const fn refuse_related(tool: &str, function: &str) {
    let said = Message::new().text("`").text(function).text("` names no tool");
    refuse(tool, &said, "; put `#[pd_tool]` on the function, or name it by its module");
}

/// Rejects a function without `self` in an impl: the impl's own constants are not in scope there.
#[track_caller]
pub const fn refuse_function(tool: &str) {
    refuse(tool, &Message::new(), "a tool in an impl is a method; write `&self` as its first parameter");
}
