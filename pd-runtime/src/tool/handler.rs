//! Handlers: the code of a tool as a trait object, from a declaration or from a closure.

use super::{
    context::CallContext,
    output::ToolResult,
    state::{HandlerInput, LendState, Provide, StateTypes},
};
use futures::future::BoxFuture;
use rmcp::model::JsonObject;
use std::{fmt, marker::PhantomData, sync::Arc};

/// Runs a tool on state `S`. The arguments are validated and contain the defaults.
pub trait ToolHandler<S>: Send + Sync {
    /// Runs the tool once.
    fn call<'a>(
        &'a self,
        state: &'a S,
        context: &'a CallContext,
        arguments: JsonObject,
    ) -> BoxFuture<'a, ToolResult>;
}

/// A shared [`ToolHandler`] trait object.
pub type BoxedHandler<S> = Arc<dyn ToolHandler<S>>;

/// The handler of a declared tool, in the form that generated code contains.
pub(crate) type DeclaredHandler<N> = for<'a> fn(HandlerInput<'a, N>) -> BoxFuture<'a, ToolResult>;

/// Runs a declared tool on any state that can lend what the tool borrows.
struct DeclaredToolHandler<N: StateTypes>(DeclaredHandler<N>);

impl<S: LendState<N>, N: StateTypes> ToolHandler<S> for DeclaredToolHandler<N> {
    fn call<'a>(
        &'a self,
        state: &'a S,
        context: &'a CallContext,
        arguments: JsonObject,
    ) -> BoxFuture<'a, ToolResult> {
        // The state is lent here, so that generated code does not depend on its type.
        (self.0)(HandlerInput {
            lent: <S as LendState<N>>::lend(state),
            context,
            arguments,
        })
    }
}

/// Runs a handler of state `A` on a state that provides an `A`.
struct MappedHandler<A, B> {
    inner: BoxedHandler<A>,
    // `fn(B)` keeps the handler `Send` and `Sync` for every `B`, of which it holds no value.
    outer: PhantomData<fn(B)>,
}

impl<A: 'static, B: Provide<A> + 'static> ToolHandler<B> for MappedHandler<A, B> {
    fn call<'a>(
        &'a self,
        state: &'a B,
        context: &'a CallContext,
        arguments: JsonObject,
    ) -> BoxFuture<'a, ToolResult> {
        self.inner
            .call(<B as Provide<A>>::provide(state), context, arguments)
    }
}

/// A handler together with its state.
struct StatefulHandler<S> {
    inner: BoxedHandler<S>,
    state: Arc<S>,
}

// From here on no type depends on the author's state, so the server's code compiles once, in this
// crate.
impl<S: Send + Sync + 'static> ToolHandler<()> for StatefulHandler<S> {
    fn call<'a>(
        &'a self,
        (): &'a (),
        context: &'a CallContext,
        arguments: JsonObject,
    ) -> BoxFuture<'a, ToolResult> {
        self.inner.call(&self.state, context, arguments)
    }
}

/// The handler of a tool in a registry without state, which is only inspected. Each call fails.
#[cfg(feature = "export")]
struct StatelessHandler;

#[cfg(feature = "export")]
impl ToolHandler<()> for StatelessHandler {
    fn call<'a>(
        &'a self,
        (): &'a (),
        _: &'a CallContext,
        _: JsonObject,
    ) -> BoxFuture<'a, ToolResult> {
        let error = super::error::ToolError::new(
            "NO_STATE",
            "the tool has no state to run on; call it through its server",
        );
        Box::pin(std::future::ready(Err(error)))
    }
}

/// Runs a closure as a handler.
struct ClosureHandler<F>(F);

impl<S, F> ToolHandler<S> for ClosureHandler<F>
where
    F: for<'a> Fn(&'a S, &'a CallContext, JsonObject) -> BoxFuture<'a, ToolResult> + Send + Sync,
{
    fn call<'a>(
        &'a self,
        state: &'a S,
        context: &'a CallContext,
        arguments: JsonObject,
    ) -> BoxFuture<'a, ToolResult> {
        (self.0)(state, context, arguments)
    }
}

pub(crate) fn declared_handler<S: LendState<N>, N: StateTypes>(
    handler: DeclaredHandler<N>,
) -> BoxedHandler<S> {
    Arc::new(DeclaredToolHandler(handler))
}

pub(crate) fn mapped_handler<A: 'static, B: Provide<A> + 'static>(
    inner: BoxedHandler<A>,
) -> BoxedHandler<B> {
    Arc::new(MappedHandler {
        inner,
        outer: PhantomData,
    })
}

pub(crate) fn stateful_handler<S: Send + Sync + 'static>(
    inner: BoxedHandler<S>,
    state: Arc<S>,
) -> BoxedHandler<()> {
    Arc::new(StatefulHandler { inner, state })
}

#[cfg(feature = "export")]
pub(crate) fn stateless_handler() -> BoxedHandler<()> {
    Arc::new(StatelessHandler)
}

pub(crate) fn closure_handler<S, F>(run: F) -> BoxedHandler<S>
where
    F: for<'a> Fn(&'a S, &'a CallContext, JsonObject) -> BoxFuture<'a, ToolResult>
        + Send
        + Sync
        + 'static,
{
    Arc::new(ClosureHandler(run))
}

impl<S> fmt::Debug for dyn ToolHandler<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolHandler")
    }
}
