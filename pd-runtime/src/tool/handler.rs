//! Handlers: the code of a tool as a trait object, from a declaration or from a closure.

use super::{
    context::CallContext,
    error::ToolError,
    output::Outcome,
    state::{Borrowed, Lend, Needs, Provide},
};
use futures::future::BoxFuture;
use rmcp::model::JsonObject;
use std::{fmt, marker::PhantomData, sync::Arc};

/// Runs a tool on state `S`. The arguments are validated and contain the defaults.
pub trait Handle<S>: Send + Sync {
    /// Runs the tool once.
    fn call<'a>(&'a self, state: &'a S, context: &'a CallContext, arguments: JsonObject) -> BoxFuture<'a, Outcome>;
}

/// A shared [`Handle`] trait object.
pub type Handler<S> = Arc<dyn Handle<S>>;

/// The handler of a declared tool, in the form that generated code contains.
pub(crate) type Declared<N> = for<'a> fn(Borrowed<'a, N>) -> BoxFuture<'a, Outcome>;

/// Runs a declared tool on any state that can lend what the tool borrows.
struct Lending<N: Needs>(Declared<N>);

impl<S: Lend<N>, N: Needs> Handle<S> for Lending<N> {
    fn call<'a>(&'a self, state: &'a S, context: &'a CallContext, arguments: JsonObject) -> BoxFuture<'a, Outcome> {
        (self.0)(Borrowed { lent: <S as Lend<N>>::lend(state), context, arguments })
    }
}

/// Runs a handler of state `A` on a state that provides an `A`.
struct Lifted<A, B> {
    inner: Handler<A>,
    // `fn(B)` keeps the handler `Send` and `Sync` for every `B`, of which it holds no value.
    outer: PhantomData<fn(B)>,
}

impl<A: 'static, B: Provide<A> + 'static> Handle<B> for Lifted<A, B> {
    fn call<'a>(&'a self, state: &'a B, context: &'a CallContext, arguments: JsonObject) -> BoxFuture<'a, Outcome> {
        self.inner.call(<B as Provide<A>>::provide(state), context, arguments)
    }
}

/// A handler together with its state.
struct Bound<S> {
    inner: Handler<S>,
    state: Arc<S>,
}

// From here on no type depends on the author's state, so the server's code compiles once, in this
// crate.
impl<S: Send + Sync + 'static> Handle<()> for Bound<S> {
    fn call<'a>(&'a self, (): &'a (), context: &'a CallContext, arguments: JsonObject) -> BoxFuture<'a, Outcome> {
        self.inner.call(&self.state, context, arguments)
    }
}

/// The handler of a tool in a registry without state, which is only inspected. Each call fails.
struct Stateless;

impl Handle<()> for Stateless {
    fn call<'a>(&'a self, (): &'a (), _: &'a CallContext, _: JsonObject) -> BoxFuture<'a, Outcome> {
        let error = ToolError::new("NO_STATE", "the tool has no state to run on; call it through its server");
        Box::pin(std::future::ready(Err(error)))
    }
}

/// Runs a closure as a handler.
struct Closure<F>(F);

impl<S, F> Handle<S> for Closure<F>
where
    F: for<'a> Fn(&'a S, &'a CallContext, JsonObject) -> BoxFuture<'a, Outcome> + Send + Sync,
{
    fn call<'a>(&'a self, state: &'a S, context: &'a CallContext, arguments: JsonObject) -> BoxFuture<'a, Outcome> {
        (self.0)(state, context, arguments)
    }
}

pub(crate) fn lending<S: Lend<N>, N: Needs>(handler: Declared<N>) -> Handler<S> {
    Arc::new(Lending(handler))
}

pub(crate) fn lifted<A: 'static, B: Provide<A> + 'static>(inner: Handler<A>) -> Handler<B> {
    Arc::new(Lifted { inner, outer: PhantomData })
}

pub(crate) fn bound<S: Send + Sync + 'static>(inner: Handler<S>, state: Arc<S>) -> Handler<()> {
    Arc::new(Bound { inner, state })
}

pub(crate) fn stateless() -> Handler<()> {
    Arc::new(Stateless)
}

pub(crate) fn closure<S, F>(run: F) -> Handler<S>
where
    F: for<'a> Fn(&'a S, &'a CallContext, JsonObject) -> BoxFuture<'a, Outcome> + Send + Sync + 'static,
{
    Arc::new(Closure(run))
}

impl<S> fmt::Debug for dyn Handle<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}
