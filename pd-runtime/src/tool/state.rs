//! What the server lends a tool by reference: its state. Arguments, which a tool takes by value, are in `argument`.

use super::context::CallContext;
use rmcp::model::JsonObject;

/// State that can lend a `T` to a tool.
///
/// Every type lends itself, so a server whose state is one type needs nothing. A server with several parts derives
/// `State`, which writes one `Provide` for each field.
///
/// ```
/// use pd_runtime::prelude::*;
///
/// struct Clock;
/// struct Store;
///
/// #[derive(State)]
/// struct App {
///     clock: Clock,
///     store: Store,
/// }
///
/// let app = App { clock: Clock, store: Store };
/// let _clock: &Clock = app.provide();
/// ```
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

/// The list of state types that a tool borrows, as a tuple.
pub trait Needs: 'static {
    /// The same list as references.
    type Lent<'a>: Send;
}

/// State that can lend everything in the list `N`.
#[diagnostic::on_unimplemented(
    message = "the server's state `{Self}` cannot lend what this tool borrows: `{N}`",
    label = "`{Self}` lacks some of `{N}`",
    note = "give `{Self}` those fields and `#[derive(State)]`, or implement `Provide` for them",
    note = "the call itself is taken by its own name, not by another: `&CallContext`"
)]
pub trait Lend<N: Needs>: Send + Sync + 'static {
    /// Lends it.
    fn lend(&self) -> N::Lent<'_>;
}

macro_rules! lend_tuples {
    ($(($($part:ident),*))*) => {$(
        impl<$($part: Send + Sync + 'static),*> Needs for ($($part,)*) {
            type Lent<'a> = ($(&'a $part,)*);
        }

        impl<S, $($part),*> Lend<($($part,)*)> for S
        where
            S: Send + Sync + 'static $(+ Provide<$part>)*,
            $($part: Send + Sync + 'static,)*
        {
            #[allow(clippy::unused_unit, reason = "the empty list lends the empty tuple")]
            fn lend(&self) -> ($(&$part,)*) {
                ($(<S as Provide<$part>>::provide(self),)*)
            }
        }
    )*};
}

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

/// Everything one call hands to the generated handler.
#[derive(Debug)]
pub struct Borrowed<'a, N: Needs> {
    /// The state, in the order the function names it.
    pub lent: N::Lent<'a>,
    /// The call's context.
    pub context: &'a CallContext,
    /// The arguments, validated and with defaults filled in.
    pub arguments: JsonObject,
}
