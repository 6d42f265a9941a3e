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

#[diagnostic::do_not_recommend]
impl<N: Needs> Declaration for &'static Declared<N> {
    type Needs = N;

    fn declared(self) -> Declared<N> {
        *self
    }
}

/// The tool of a free function: a unit struct of the function's module implements it.
///
/// An expression cannot ask for a struct that may be missing, since nothing yields to all names in scope. A pattern can: one
/// that names no struct is a new variable. `registry!` and `related` write it as a closure's parameter.
pub trait FreeTool<N: Needs> {
    /// The name by which callers know it: a constant of its own, so that tools can name each other as related.
    const NAME: &'static str;

    /// The tool.
    const DECLARED: Declared<N>;
}

/// The struct of the function's tool.
///
/// Where the pattern is a variable, its type is that of a value that never exists, which has no tool. `F` is the type of
/// the function: rustc reports a function that is missing, and nothing else about it.
#[diagnostic::on_unimplemented(
    message = "this path names no tool",
    label = "no tool of this name is in scope",
    note = "put `#[pd_tool]` on the function",
    note = "a tool stays in the module of its function: where `use` brings in the function alone, write its whole path"
)]
pub trait ToolKey<F, N: Needs>: FreeTool<N> {}

#[diagnostic::do_not_recommend]
impl<K: FreeTool<N>, F, N: Needs> ToolKey<F, N> for K {}

/// The tool of a function, by its struct.
pub const fn tool<K: ToolKey<F, N>, F, N: Needs>(_function: &F, _key: fn(K) -> K) -> &'static Declared<N> {
    const { &K::DECLARED }
}

/// The name of a function's tool, by its struct.
pub const fn tool_name<K: ToolKey<F, N>, F, N: Needs>(_function: &F, _key: fn(K) -> K) -> &'static str {
    K::NAME
}

/// The struct of a tool, seen from where its function stands: from inside an impl, it is not in scope.
#[diagnostic::on_unimplemented(
    message = "a tool in an impl is a method; write `&self` as its first parameter",
    label = "not a method"
)]
pub trait InModule<N: Needs> {}

#[diagnostic::do_not_recommend]
impl<K: FreeTool<N>, N: Needs> InModule<N> for K {}

/// Refuses a function without `self` that stands in an impl.
pub const fn in_module<K: InModule<N>, N: Needs>(_key: fn(K) -> K) {}
