//! State that the server lends a tool by reference. The module `argument` covers the parameters
//! that a tool takes by value.

use super::{context::CallContext, output::ToolResult};
use futures::future::BoxFuture;
use rmcp::model::JsonObject;
use std::{marker::PhantomData, sync::Arc};

/// State that can lend a `T` to a tool.
///
/// Every type lends itself, so a server with one type as its state needs no implementation. A
/// server with several parts derives `State`, which implements `Provide` for each field.
///
/// ```
/// use pd_runtime::prelude::*;
///
/// struct Clock;
/// struct SessionStore;
///
/// #[derive(State)]
/// struct App {
///     clock: Clock,
///     store: SessionStore,
/// }
///
/// let app = App { clock: Clock, store: SessionStore };
/// let _clock: &Clock = app.provide();
/// ```
///
/// State in an `Arc` or a `Box` lends its content, too. A field `Arc<Pool>` serves tools that take
/// `&Pool`, and so does a server with an `Arc<Pool>` as its whole state.
#[diagnostic::on_unimplemented(
    message = "the server's state `{Self}` has no `{T}` to lend",
    label = "no `{T}` in `{Self}`",
    note = "give `{Self}` a field of type `{T}` and `#[derive(State)]`, or implement `Provide<{T}>` for it",
    note = "parameters taken by reference are lent by the server; take an argument of the caller by value"
)]
pub trait Provide<T> {
    /// Lends the `T`.
    fn provide(&self) -> &T;
}

impl<T> Provide<T> for T {
    fn provide(&self) -> &T {
        self
    }
}

impl<T> Provide<T> for Arc<T> {
    fn provide(&self) -> &T {
        self
    }
}

impl<T> Provide<T> for Box<T> {
    fn provide(&self) -> &T {
        self
    }
}

/// A type that many calls can borrow at the same time.
///
/// Generated code requires this trait once for each parameter, and nothing else requires `Sync`, so
/// state that cannot be shared causes exactly one error. The blanket implementation is hidden from
/// error messages, so that the message below replaces rustc's chain of bounds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Send` and `Sync`, so calls that run at once cannot share it",
    label = "the server lends `{Self}` to many calls at once",
    note = "hold what changes in a `Mutex` (of `std::sync`, or of `tokio::sync` across `.await`) in place of `RefCell`, `Cell` or \
            `OnceCell`",
    note = "share by `Arc` in place of `Rc`; a boxed trait object needs `dyn … + Send + Sync`"
)]
pub trait SharedState: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> SharedState for T {}

/// Requires state that can be shared. Generated code calls it with the span of the parameter.
pub const fn shared_state<T: SharedState>() {}

/// A tuple of the state types that a tool borrows.
pub trait StateTypes: 'static {
    /// The same tuple as references.
    type Lent<'a>;
}

/// Boxes the futures of a tool that borrows the state types `N`.
///
/// Generated code calls `HandlerFuture::<N>::run`. If the state cannot be shared, the future is not
/// `Send`, and rustc resolves `run` to [`NotShared`] instead. rustc then reports the parameter and
/// not the future.
#[derive(Debug)]
pub struct HandlerFuture<N>(PhantomData<N>);

impl<N: Send + Sync> HandlerFuture<N> {
    /// Boxes a handler's future.
    pub fn run<'a, F: Future<Output = ToolResult> + Send + 'a>(
        future: F,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(future)
    }
}

/// A fallback for [`HandlerFuture::run`] in code that does not compile.
pub trait NotShared {
    /// Returns a future that never completes. It requires no `Send`, so it adds no error to the one
    /// about the parameter.
    fn run<'a, F: Future<Output = ToolResult> + 'a>(_future: F) -> BoxFuture<'a, ToolResult> {
        Box::pin(std::future::pending())
    }
}

// rustc prefers the inherent `run`. This impl applies only if the bounds of the inherent impl do
// not hold.
impl<N> NotShared for HandlerFuture<N> {}

/// State that can lend all state types in the tuple `N`.
#[diagnostic::on_unimplemented(
    message = "the server's state `{Self}` cannot lend what this tool borrows: `{N}`",
    label = "`{Self}` lacks some of `{N}`",
    note = "the state is the `{Self}` of `Registry<{Self}>`: write there what the tool borrows, or a type that has it as a field \
            and `#[derive(State)]`, or implement `Provide`",
    note = "a tool that wants all of the state borrows `&{Self}`; a field `Arc<T>` or `Box<T>` lends `&T` as well as itself",
    note = "the caller sends arguments by value; the call itself is `&CallContext`, by that name"
)]
pub trait LendState<N: StateTypes>: 'static {
    /// Returns references to all state types in `N`.
    fn lend(&self) -> N::Lent<'_>;
}

macro_rules! lend_tuples {
    ($(($($part:ident),*))*) => {$(
        impl<$($part: 'static),*> StateTypes for ($($part,)*) {
            type Lent<'a> = ($(&'a $part,)*);
        }

        impl<S, $($part),*> LendState<($($part,)*)> for S
        where
            S: 'static $(+ Provide<$part>)*,
            $($part: 'static,)*
        {
            #[allow(clippy::unused_unit, reason = "the empty list lends the empty tuple")]
            fn lend(&self) -> ($(&$part,)*) {
                ($(<S as Provide<$part>>::provide(self),)*)
            }
        }
    )*};
}

// Rust has no variadic generics, so each tuple length has its own impl. Eight state types are the
// maximum.
lend_tuples! {
    ()
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
    (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H)
}

/// The input of a generated handler for one call.
#[derive(Debug)]
pub struct HandlerInput<'a, N: StateTypes> {
    /// References to the state, in the order of the function's parameters.
    pub lent: N::Lent<'a>,
    /// The call's context.
    pub context: &'a CallContext,
    /// The arguments, after validation and with defaults filled in.
    pub arguments: JsonObject,
}
