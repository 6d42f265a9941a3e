//! What a path in generated code must stand for: a declared tool.

use super::{group::Node, tool::Tool};
use crate::tool::{
    descriptor::Declared,
    state::{Lend, Needs},
};

/// What a path that names a tool stands for.
#[diagnostic::on_unimplemented(
    message = "this path names no tool",
    label = "no `#[pd_tool]` function of this name",
    note = "mend the path, put `#[pd_tool]` on the function, or make it visible from here: `pub(crate) fn`",
    note = "a generic type has its tools only where the bounds of their `impl` hold"
)]
pub trait Declaration: Sized {
    /// What the tool borrows.
    type Needs: Needs;

    /// The tool.
    fn declared(self) -> Declared<Self::Needs>;

    /// The name by which callers know it.
    fn name(self) -> &'static str {
        self.declared().facts.name
    }

    /// The tool as part of a registry on state that can lend what it borrows.
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

/// The key of a free function's tool: a unit struct beside the function.
///
/// A bare name cannot ask for a constant that may be missing, since nothing yields to all names in scope. It asks for this
/// struct in a pattern: a pattern that names no struct is a new variable. `F` is the type of the function, so that rustc
/// reports a function that is missing, and nothing else about it.
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

/// The tool whose key `_key` returns.
pub const fn keyed<K: ToolKey<F, N>, F, N: Needs>(_function: &F, _key: fn() -> K) -> &'static Declared<N> {
    const { &K::DECLARED }
}
