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

#[diagnostic::do_not_recommend]
impl<N: Needs> Declaration for &'static Declared<N> {
    type Needs = N;

    fn declared(self) -> Declared<N> {
        *self
    }
}

/// The tool of a free function. A unit struct in the function's module implements it.
///
/// `registry!` and `related` refer to this struct in a pattern, as the parameter of a closure. A bare
/// name in an expression has no fallback for an item that does not exist. A pattern that names no
/// struct is a new variable.
pub trait FreeTool<N: Needs> {
    /// The tool's name. It is a constant of its own, so that tools can name each other as related
    /// without a const cycle.
    const NAME: &'static str;

    /// The tool.
    const DECLARED: Declared<N>;
}

/// The struct of a function's tool.
///
/// If the pattern is a variable, its type is the never type, which has no tool. `F` is the type of
/// the function, so that rustc reports a missing function, and nothing else about it.
#[diagnostic::on_unimplemented(
    message = "this path names no tool",
    label = "no tool of this name is in scope",
    note = "put `#[pd_tool]` on the function",
    note = "a tool stays in the module of its function: where `use` brings in the function alone, write its whole path"
)]
pub trait ToolKey<F, N: Needs>: FreeTool<N> {}

#[diagnostic::do_not_recommend]
impl<K: FreeTool<N>, F, N: Needs> ToolKey<F, N> for K {}

/// Returns the tool of a function, by its struct.
pub const fn tool<K: ToolKey<F, N>, F, N: Needs>(_function: &F, _key: fn(K) -> K) -> &'static Declared<N> {
    const { &K::DECLARED }
}

/// Returns the name of a function's tool, by its struct.
pub const fn tool_name<K: ToolKey<F, N>, F, N: Needs>(_function: &F, _key: fn(K) -> K) -> &'static str {
    K::NAME
}

/// The struct of a tool, in scope beside its function. Inside an impl it is not in scope.
#[diagnostic::on_unimplemented(
    message = "a tool in an impl is a method; write `&self` as its first parameter",
    label = "not a method"
)]
pub trait InModule<N: Needs> {}

#[diagnostic::do_not_recommend]
impl<K: FreeTool<N>, N: Needs> InModule<N> for K {}

/// Rejects a function without `self` in an impl.
pub const fn in_module<K: InModule<N>, N: Needs>(_key: fn(K) -> K) {}
