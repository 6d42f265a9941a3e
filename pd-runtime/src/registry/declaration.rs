//! The trait of declared tools, by which generated code checks the paths that name them.

use super::{group::Node, tool::Tool};
use crate::tool::{
    descriptor::Declared,
    state::{Lend, Needs},
};

/// A declared tool, to which a path in generated code must resolve.
#[diagnostic::on_unimplemented(
    message = "this path names no tool",
    label = "no `#[pd_tool]` function of this name",
    note = "mend the path, put `#[pd_tool]` on the function, or make it visible from here: `pub(crate) fn`",
    note = "a generic type has its tools only where the bounds of their `impl` hold"
)]
pub trait Declaration: Sized {
    /// The state that the tool borrows.
    type Needs: Needs;

    /// Returns the tool.
    fn declared(self) -> Declared<Self::Needs>;

    /// Returns the tool's name.
    fn name(self) -> &'static str {
        self.declared().facts.name
    }

    /// Converts the tool into a part of a registry, for state that can lend what the tool borrows.
    fn node<S: Lend<Self::Needs>>(self) -> Node<S> {
        Node::Tool(Box::new(Tool::declared(&self.declared())))
    }
}

#[diagnostic::do_not_recommend]
impl<N: Needs> Declaration for Declared<N> {
    type Needs = N;

    fn declared(self) -> Self {
        self
    }
}

/// The key of a free function's tool: a unit struct with the function's name.
///
/// Generated code refers to this struct in a pattern, because a bare name has no fallback for an
/// item that does not exist. A pattern that names no struct is a new variable. `F` is the type of
/// the function, so that rustc reports a missing function, and nothing else about it.
#[diagnostic::on_unimplemented(
    message = "this path names no tool",
    label = "no tool of this name is in scope",
    note = "put `#[pd_tool]` on the function",
    note = "a tool stays in the module of its function: where `use` brings in the function alone, write its whole path"
)]
pub trait ToolKey<F, N: Needs> {
    /// The tool.
    const DECLARED: Declared<N>;
}

/// Returns the tool whose key `_key` returns.
pub const fn keyed<K: ToolKey<F, N>, F, N: Needs>(_function: &F, _key: fn() -> K) -> &'static Declared<N> {
    const { &K::DECLARED }
}
