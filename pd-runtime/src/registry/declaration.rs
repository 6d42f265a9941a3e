//! The trait of declared tools, by which generated code checks the paths that name them.

use super::{group::GroupNode, tool::Tool};
use crate::tool::{
    descriptor::DeclaredTool,
    state::{LendState, StateTypes},
};

/// A declared tool, to which a path in generated code must resolve.
#[diagnostic::on_unimplemented(
    message = "this path does not name a tool",
    label = "no `#[pd_tool]` function of this name",
    note = "correct the path, put `#[pd_tool]` on the function, or make it visible from here: `pub(crate) fn`",
    note = "a generic type has its tools only where the bounds of their `impl` hold"
)]
pub trait Declaration: Sized {
    /// The state that the tool borrows.
    type Needs: StateTypes;

    /// Returns the tool.
    fn declared(self) -> DeclaredTool<Self::Needs>;

    /// Returns the tool's name.
    fn name(self) -> &'static str {
        self.declared().facts.name
    }

    /// Converts the tool into a part of a registry, for state that can lend what the tool borrows.
    fn node<S: LendState<Self::Needs>>(self) -> GroupNode<S> {
        GroupNode::Tool(Box::new(Tool::from_declaration(&self.declared())))
    }
}

#[diagnostic::do_not_recommend]
impl<N: StateTypes> Declaration for DeclaredTool<N> {
    type Needs = N;

    fn declared(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<N: StateTypes> Declaration for &'static DeclaredTool<N> {
    type Needs = N;

    fn declared(self) -> DeclaredTool<N> {
        *self
    }
}

/// The tool of a free function. A unit struct in the function's module implements it.
///
/// `registry!` and `related` refer to this struct in a pattern, as the parameter of a closure. A
/// bare name in an expression has no fallback for an item that does not exist. A pattern that names
/// no struct is a new variable.
pub trait FreeTool<N: StateTypes> {
    /// The tool's name. It is a separate constant, so that tools can name each other as related
    /// without a const cycle.
    const NAME: &'static str;

    /// The tool.
    const DECLARED: DeclaredTool<N>;
}

/// The struct of a function's tool.
///
/// If the pattern is a variable, its type is the never type, which has no tool. `F` is the type of
/// the function, so that rustc reports a missing function, and nothing else about it.
#[diagnostic::on_unimplemented(
    message = "this path does not name a tool",
    label = "no tool of this name is in scope",
    note = "put `#[pd_tool]` on the function",
    note = "a tool stays in the module of its function: where `use` brings in the function alone, write its whole path"
)]
pub trait ToolKey<F, N: StateTypes>: FreeTool<N> {}

#[diagnostic::do_not_recommend]
impl<K: FreeTool<N>, F, N: StateTypes> ToolKey<F, N> for K {}

/// Returns the tool of a function, by its struct.
pub const fn tool<K: ToolKey<F, N>, F, N: StateTypes>(
    _function: &F,
    _key: fn(K) -> K,
) -> &'static DeclaredTool<N> {
    // A `const` block, so that a reference to the constant is valid for the whole program.
    const { &K::DECLARED }
}

/// Returns the name of a function's tool, by its struct.
pub const fn tool_name<K: ToolKey<F, N>, F, N: StateTypes>(
    _function: &F,
    _key: fn(K) -> K,
) -> &'static str {
    K::NAME
}

/// The struct of a tool, in scope beside its function. Inside an impl it is not in scope.
#[diagnostic::on_unimplemented(
    message = "a tool in an impl is a method; write `&self` as its first parameter",
    label = "not a method"
)]
pub trait InModule<N: StateTypes> {}

#[diagnostic::do_not_recommend]
impl<K: FreeTool<N>, N: StateTypes> InModule<N> for K {}

/// Rejects a function without `self` in an impl.
pub const fn in_module<K: InModule<N>, N: StateTypes>(_key: fn(K) -> K) {}
