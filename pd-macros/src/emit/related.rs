//! That every related tool is one, judged where it is named, whether or not a registry lists the tool; and its name.

use super::text;
use crate::{
    editor, missing,
    nearest::nearest,
    paths::{name_const, name_const_of, naming_const, related_const, tool_const, tool_const_of},
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{ExprPath, ext::IdentExt, spanned::Spanned};

/// How a path reaches a tool, which decides what stands for one that is missing.
enum Reach {
    /// `Repo::log`, or what looks like it.
    Type,
    /// `clock::now`: the prefix.
    Module(TokenStream),
    /// `now`
    Bare(Ident),
}

/// ```text
/// trait __PdNoTool {
///     const __PD_NAME_SHOW: &'static str = "";
///     const __PD_TOOL_SHOW: () = ();
/// }
/// impl<T> __PdNoTool for T {}
/// let _ = || {
///     __pd::Declaration::declared(Repo::__PD_TOOL_SHOW);
/// };
/// #[allow(deprecated)]
/// const __PD_RELATED_NOW: () = {
///     let _ = now;
///     match __pd::Naming::Absent {
///         __PD_NAMING_NOW => __pd::refuse_related("log", "now"),
///         _ => (),
///     }
/// };
/// ```
///
/// Tools may name each other: the type of the other one's constant is asked for, its value, in a closure that nobody
/// calls, is not. Nothing stands for a missing tool, since that is what rustc checks fastest.
///
/// A bare name is asked for in a pattern. Where there is no such constant, the pattern is a variable and matches, so rustc
/// reports nothing about names that no author wrote: it reports the function itself, if that is missing, and otherwise
/// the constant panics.
pub(super) fn emit(tool: &str, related: &[ExprPath]) -> TokenStream {
    let below_types = related.iter().filter(|path| matches!(reach(path), Reach::Type));
    let functions = below_types.filter_map(|path| path.path.segments.last()).map(|last| &last.ident);
    let fallback = missing::emit_fallback(functions, emit_constants);
    let judged: Vec<_> = related.iter().filter_map(emit_judged).collect();
    let named = editor::emit(related.iter().map(|path| (Vec::new(), path)));
    let judged = (!judged.is_empty()).then(|| quote!(#fallback let _ = || { #(#judged;)* };));
    let existence = related.iter().filter_map(|path| match reach(path) {
        Reach::Bare(function) => Some(emit_existence(tool, &function)),
        _ => None,
    });
    quote!(#named #judged #(#existence)*)
}

/// A related tool's name, for the facts of `tool`. What is missing was judged before.
///
/// ```text
/// match __pd::Naming::AsFunction {
///     __PD_NAMING_NOW => "now",
///     _ => __pd::renamed("log", "now", { … }),
/// }
/// ```
///
/// Only a renamed tool's name is looked for in its module, where a glob import finds it: a path to a missing constant
/// would be an error about a name that no author wrote.
pub(super) fn emit_name(tool: &str, path: &ExprPath) -> TokenStream {
    match reach(path) {
        Reach::Type => name_const_of(path).into_token_stream(),
        Reach::Module(prefix) => {
            let constant = last(path).map(name_const);
            let fallback = quote!(const #constant: &'static str = "";);
            missing::emit_in_module(&prefix, &fallback, &constant.into_token_stream())
        }
        Reach::Bare(function) => {
            let (naming, constant) = (naming_const(&function), name_const(&function));
            let name = text(&function.unraw().to_string());
            let fallback = quote!(const #constant: &'static str = "";);
            let renamed = missing::emit_in_module(&quote!(self::), &fallback, &constant.into_token_stream());
            let refuse = Ident::new("renamed", function.span());
            let renamed = quote_spanned!(function.span()=> __pd::#refuse(#tool, #name, #renamed));
            quote! {
                match __pd::Naming::AsFunction {
                    #naming => #name,
                    _ => #renamed,
                }
            }
        }
    }
}

fn reach(path: &ExprPath) -> Reach {
    let prefix = prefix(path);
    match path.path.get_ident() {
        Some(function) if path.qself.is_none() => Reach::Bare(function.clone()),
        _ if missing::may_be_type(&prefix) => Reach::Type,
        _ => Reach::Module(prefix),
    }
}

/// `Repo::` of `Repo::show`.
fn prefix(path: &ExprPath) -> TokenStream {
    let mut tokens: Vec<TokenTree> = path.to_token_stream().into_iter().collect();
    tokens.pop();
    tokens.into_iter().collect()
}

fn last(path: &ExprPath) -> Option<&Ident> {
    path.path.segments.last().map(|segment| &segment.ident)
}

fn emit_constants(function: &Ident) -> TokenStream {
    let (name, tool) = (name_const(function), tool_const(function));
    quote! {
        const #name: &'static str = "";
        const #tool: () = ();
    }
}

/// Points at the function, as the registry does.
fn emit_judged(path: &ExprPath) -> Option<TokenStream> {
    let span = Span::mixed_site().located_at(last(path).map_or_else(|| path.span(), Ident::span));
    match reach(path) {
        Reach::Type => {
            let tool = tool_const_of(path);
            Some(quote_spanned!(span=> __pd::Declaration::declared(#tool)))
        }
        Reach::Module(prefix) => {
            let tool = last(path).map(tool_const)?;
            let fallback = quote!(const #tool: () = (););
            let declared = quote_spanned!(span=> __pd::Declaration::declared(#tool));
            Some(missing::emit_in_module(&prefix, &fallback, &declared))
        }
        Reach::Bare(_) => None,
    }
}

/// To rustc the call stands where the name does.
///
/// The function itself is named, so that rustc reports it if it is missing, with what may have been meant. Where that would
/// be the tool itself, which no tool may name, the function is not named.
fn emit_existence(tool: &str, function: &Ident) -> TokenStream {
    let (constant, naming) = (related_const(function), naming_const(function));
    let name = text(&function.unraw().to_string());
    let refuse = Ident::new("refuse_related", function.span());
    let refused = quote_spanned!(function.span()=> __pd::#refuse(#tool, #name));
    let named = (!is_like(&function.unraw().to_string(), tool)).then(|| quote!(let _ = #function;));
    quote! {
        #[allow(deprecated)]
        const #constant: () = {
            #named
            match __pd::Naming::Absent {
                #naming => #refused,
                _ => (),
            }
        };
    }
}

/// Whether rustc would take one name for a slip of the other: few edits, other case, or words in another order.
fn is_like(name: &str, other: &str) -> bool {
    let words = |name: &str| {
        let mut words: Vec<_> = name.to_lowercase().split('_').map(str::to_owned).collect();
        words.sort();
        words
    };
    nearest(name, [other]).is_some() || words(name) == words(other)
}
