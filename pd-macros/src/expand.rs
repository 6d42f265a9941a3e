//! The story of `#[pd_tool]`: parse both, check, emit, or fall back to a stub. Only this file knows the order.

use crate::{args, check, doc, emit, errors::Errors, item::Function, paths::Runtime};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

/// Expands `#[pd_tool(args)] item`.
pub(crate) fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    match errors.take(syn::parse2::<Function>(item.clone())) {
        Some(function) => expand_function(args, &function, errors),
        None => quote_with(item, errors.into_compile_errors("`#[pd_tool]`")),
    }
}

/// The function comes first and untouched, so that it survives every error of ours.
fn expand_function(args: TokenStream, function: &Function, mut errors: Errors) -> TokenStream {
    let args = args::parse(args, &mut errors);
    let runtime = Runtime(args.runtime.clone());
    let doc = doc::parse(&function.attributes, &mut errors);
    let beside = match check::check(args, function, doc, &mut errors) {
        Some(tool) => emit::emit(&tool),
        None => {
            let subject = format!("`#[pd_tool]` on `{}`", function.signature.ident.unraw());
            quote_with(emit::emit_stub(&runtime, function), errors.into_compile_errors(&subject))
        }
    };
    quote_with(function.to_token_stream(), beside)
}

fn quote_with(first: TokenStream, second: TokenStream) -> TokenStream {
    quote!(#first #second)
}
