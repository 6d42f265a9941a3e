//! Names that generated code uses: the runtime's path and the hidden items beside a tool.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeSet;
use syn::{ExprPath, Path, ext::IdentExt};

/// `::pd_runtime::__private`, or the same below the author's `crate = path`.
#[derive(Default)]
pub(crate) struct Runtime(pub(crate) Option<Path>);

impl ToTokens for Runtime {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match &self.0 {
            Some(path) => quote!(#path::__private),
            None => quote!(::pd_runtime::__private),
        });
    }
}

/// `__PD_NAME_LOG`: the tool's name, in a constant of its own so that tools can be related to each other mutually.
pub(crate) fn name_const(function: &Ident) -> Ident {
    hidden("__PD_NAME", function)
}

/// `__PD_TOOL_LOG`: the tool's declaration, a method's constant or a free function's unit struct.
pub(crate) fn tool_const(function: &Ident) -> Ident {
    hidden("__PD_TOOL", function)
}

/// `__PD_FREE_NOW`: where a free function's tool is known to be one.
pub(crate) fn free_const(function: &Ident) -> Ident {
    hidden("__PD_FREE", function)
}

/// `__PD_FACTS_CLOCK_NOW`, or the same with a number where it is one of `taken`: a constant about the function of a path.
pub(crate) fn const_about(prefix: &str, path: &TokenStream, span: Span, taken: &mut BTreeSet<String>) -> Ident {
    let name = |token| match token {
        TokenTree::Ident(name) if !["crate", "self", "super"].iter().any(|word| name == *word) => {
            Some(name.unraw().to_string().to_uppercase())
        }
        _ => None,
    };
    let names: Vec<_> = path.clone().into_iter().filter_map(name).collect();
    let first = format!("{prefix}_{}", names.join("_"));
    let mut unique = first.clone();
    for number in 2.. {
        if taken.insert(unique.clone()) {
            break;
        }
        unique = format!("{first}_{number}");
    }
    Ident::new(&unique, Span::mixed_site().located_at(span))
}

/// `Repo::show` as `Repo::__PD_NAME_SHOW`.
pub(crate) fn name_const_of(tool: &ExprPath) -> ExprPath {
    with_last(tool, name_const)
}

/// `Repo::show` as `Repo::__PD_TOOL_SHOW`.
pub(crate) fn tool_const_of(tool: &ExprPath) -> ExprPath {
    with_last(tool, tool_const)
}

fn with_last(tool: &ExprPath, constant: fn(&Ident) -> Ident) -> ExprPath {
    let mut path = tool.clone();
    if let Some(last) = path.path.segments.last_mut() {
        last.ident = constant(&last.ident);
    }
    path
}

fn hidden(prefix: &str, function: &Ident) -> Ident {
    let name = function.unraw().to_string().to_uppercase();
    format_ident!("{prefix}_{name}", span = Span::mixed_site().located_at(function.span()))
}
