//! That every related tool is one, judged where it is named, whether or not a registry lists the tool.

use crate::{
    editor, missing,
    paths::{name_const, tool_const, tool_const_of},
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{ExprPath, spanned::Spanned};

/// ```text
/// trait __PdNoTool {
///     const __PD_NAME_SHOW: &'static str = "";
///     const __PD_TOOL_SHOW: () = ();
/// }
/// impl<T> __PdNoTool for T {}
/// let _ = || {
///     __pd::Declaration::declared(Repo::__PD_TOOL_SHOW);
/// };
/// ```
///
/// Tools may name each other: the type of the other one's constant is asked for, its value, in a closure that nobody
/// calls, is not. Nothing stands for a missing tool, since that is what rustc checks fastest.
pub(super) fn emit(related: &[ExprPath]) -> TokenStream {
    let below_types = || related.iter().filter(|path| missing::may_be_type(&prefix(path)));
    let functions = below_types().filter_map(|path| path.path.segments.last()).map(|last| &last.ident);
    let fallback = missing::emit_fallback(functions, emit_constants);
    let judged = below_types().map(emit_judged);
    let named = editor::emit(related.iter().map(|path| (Vec::new(), path)));
    let judged = fallback.map(|fallback| quote!(#fallback let _ = || { #(#judged;)* };));
    quote!(#named #judged)
}

/// `Repo::` of `Repo::show`.
fn prefix(path: &ExprPath) -> TokenStream {
    let mut tokens: Vec<TokenTree> = path.to_token_stream().into_iter().collect();
    tokens.pop();
    tokens.into_iter().collect()
}

fn emit_constants(function: &Ident) -> TokenStream {
    let (name, tool) = (name_const(function), tool_const(function));
    quote! {
        const #name: &'static str = "";
        const #tool: () = ();
    }
}

/// Points at the function, as the registry does.
fn emit_judged(path: &ExprPath) -> TokenStream {
    let tool = tool_const_of(path);
    let last = path.path.segments.last().map_or_else(|| path.span(), |last| last.ident.span());
    quote_spanned!(Span::mixed_site().located_at(last)=> __pd::Declaration::declared(#tool))
}
