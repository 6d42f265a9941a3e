//! Paths that name no tool. Generated code lets `Type::path` fall back to [`NO_SUCH_TOOL`], so that the compiler speaks of
//! tools where it would speak of hidden constants. The words are at `registry::declaration`.

use crate::{
    text::const_message::Message,
    tool::{
        descriptor::{Facts, facts},
        shape::refuse,
    },
};

/// What a path stands for that names no tool.
#[derive(Debug, Clone, Copy)]
pub struct NoSuchTool {
    /// Nothing is said about it, not even a name; by that it is known.
    pub facts: Facts,
}

/// There is but one.
pub const NO_SUCH_TOOL: NoSuchTool = NoSuchTool { facts: facts::<()>("") };

/// How the tool of a free function is named, as generated code asks for it in patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// There is no such tool: what a pattern matches that names no constant.
    Absent,
    /// Its name is the function's.
    AsFunction,
    /// It has another name.
    Otherwise,
}

/// The name of a related tool that is not called as its function, if its module was found to have it.
#[track_caller]
pub const fn renamed(tool: &str, function: &str, name: &'static str) -> &'static str {
    if name.is_empty() {
        let said =
            Message::new().text("`").text(function).text("` has a name of its own and stands in a function's body");
        refuse(tool, &said, "; move both tools to a module, or leave out `related`");
    }
    name
}

/// Refuses a related function that is no tool.
#[track_caller]
pub const fn refuse_related(tool: &str, function: &str) {
    let said = Message::new().text("`").text(function).text("` names no tool");
    refuse(tool, &said, "; put `#[pd_tool]` on the function, or name it by its module");
}

/// Refuses a function without `self` that stands in an impl: from there its own constants are not in scope.
#[track_caller]
pub const fn refuse_function(tool: &str) {
    refuse(tool, &Message::new(), "a tool in an impl is a method; write `&self` as its first parameter");
}
