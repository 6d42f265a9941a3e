//! The handler of a tool: it takes the arguments, calls the function and converts the result.

use crate::{
    foreign::ForeignCrate,
    model::{Callee, CheckedTool},
    parameter::{Argument, Parameter},
    selected,
    ty::without_lifetimes,
};
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// The handler's own variable.
const CALL: &str = "call";

/// ```text
/// |mut call| {
///     __pd::HandlerFuture::<(Self,)>::run(async move {
///         let limit = __pd::take::<u32>(&mut call.arguments, "limit")?;
///         __pd::output(Self::log(call.lent.0, limit, call.context).await)
///     })
/// }
/// ```
pub(super) fn emit(tool: &CheckedTool, lent: &[TokenStream]) -> TokenStream {
    // `mixed_site` gives this variable its own hygiene, because a parameter may be called `call`,
    // too.
    let call = Ident::new(CALL, Span::mixed_site());
    let takes = tool
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(emit_take(&call, argument)),
            _ => None,
        });
    let output = emit_output(&call, tool);
    let binding = emit_binding(&call, tool);
    // The function decides what the future contains, so an error about the future points at the
    // function's name.
    let place = located(&tool.function.ident);
    let run = match lent {
        [] => quote_spanned!(place=> __pd::run),
        lent => quote_spanned!(place=> __pd::HandlerFuture::<(#(#lent,)*)>::run),
    };
    quote! {
        |#binding| #run(async move {
            #(#takes)*
            #output
        })
    }
}

/// Emits `let limit = __pd::take::<u32>(&mut call.arguments, "limit")?;`, or
/// `__pd::take_selected::<Alert>(&mut call.arguments)` for rows.
fn emit_take(call: &Ident, argument: &Argument) -> TokenStream {
    let Argument {
        local,
        name,
        ty,
        cfgs,
        ..
    } = argument;
    let take = match selected::row_of(ty) {
        Some(row) => {
            let row_static = without_lifetimes(row.to_token_stream());
            quote_spanned!(located(row)=> __pd::take_selected::<#row_static>(&mut #call.arguments))
        }
        None => {
            let ty_static = without_lifetimes(ty.to_token_stream());
            let take = match ForeignCrate::find(ty) {
                Some(foreign) => foreign.emit("take", &ty_static, located(ty)),
                None => quote_spanned!(located(ty)=> __pd::take::<#ty_static>),
            };
            quote_spanned!(located(ty)=> #take(&mut #call.arguments, #name))
        }
    };
    let local = variable(local);
    quote!(#(#cfgs)* let #local = #take?;)
}

/// Emits `__pd::output(Self::log(call.lent.0, limit, call.context).await)`, or
/// `__pd::rows(call.context, …)` for a selective tool.
///
/// All tokens have spans of the return type. An error about that type is then identical to the
/// error of `__pd::facts`, and rustc reports it once.
fn emit_output(call: &Ident, tool: &CheckedTool) -> TokenStream {
    let Callee {
        ident,
        is_method,
        is_async,
        returns,
        ..
    } = &tool.function;
    let (first, last) = ends(returns);
    let mut function = ident.clone();
    function.set_span(first);
    let receiver = is_method.then(|| quote_spanned!(first=> Self::));
    let passed = emit_passed(call, &tool.parameters);
    let passed = quote_spanned!(last=> (#(#passed),*));
    let wait = is_async.then(|| quote_spanned!(last=> .await));
    match tool.selective {
        true => quote!(__pd::rows(#call.context, #receiver #function #passed #wait)),
        false => quote!(__pd::output(#receiver #function #passed #wait)),
    }
}

/// Returns the spans of a type's first and last token.
fn ends(ty: &TokenStream) -> (Span, Span) {
    let span = |token: Option<TokenTree>| token.map_or_else(Span::mixed_site, |token| token.span());
    (
        span(ty.clone().into_iter().next()),
        span(ty.clone().into_iter().last()),
    )
}

/// Returns the variable for an argument. It has its own hygiene, because an argument may be called like
/// the function. The handler's own variable has the same hygiene, so an argument that is called like
/// it gets another name.
fn variable(local: &Ident) -> Ident {
    if local == CALL {
        return Ident::new("__pd_call", located(local));
    }
    let mut variable = local.clone();
    variable.set_span(located(local));
    variable
}

/// Returns a span that resolves names at the macro and reports errors at the author's tokens.
fn located(tokens: &impl Spanned) -> Span {
    Span::mixed_site().located_at(tokens.span())
}

/// Emits the call's arguments in the function's order.
fn emit_passed(call: &Ident, parameters: &[Parameter]) -> Vec<TokenStream> {
    let mut lent = (0..).map(Literal::usize_unsuffixed);
    parameters
        .iter()
        .map(|parameter| match parameter {
            Parameter::Argument(argument) => {
                let Argument { local, cfgs, .. } = &**argument;
                let local = variable(local);
                quote!(#(#cfgs)* #local)
            }
            Parameter::State(_) => {
                let index = lent.next();
                quote!(#call.lent.#index)
            }
            Parameter::Context(cfgs) => quote!(#(#cfgs)* #call.context),
        })
        .collect()
}

/// Emits `mut call`, `call` or `_`, so that no unused-variable lint fires.
fn emit_binding(call: &Ident, tool: &CheckedTool) -> TokenStream {
    let takes = tool
        .parameters
        .iter()
        .any(|parameter| matches!(parameter, Parameter::Argument(_)));
    match tool.parameters.as_slice() {
        [] if !tool.selective => quote!(_),
        _ if takes => quote!(mut #call),
        _ => quote!(#call),
    }
}
