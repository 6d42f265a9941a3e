//! What a path in generated code must stand for: a declared tool.

use super::{group::Node, tool::Tool};
use crate::{
    descriptor::Declared,
    tool::state::{Lend, Needs},
};

/// What a path that names a tool stands for.
#[diagnostic::on_unimplemented(
    message = "this path names no tool",
    label = "no `#[pd_tool]` function of this name",
    note = "mend the path, put `#[pd_tool]` on the function, or make it visible from here",
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
