//! Names in generated code: the path of the runtime, and the hidden items beside a tool.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeSet;
use syn::{ExprPath, Path, ext::IdentExt};

/// The path `::pd_runtime::__private`, or `__private` below the author's `crate = path`.
#[derive(Default)]
pub(crate) struct RuntimePath(pub(crate) Option<Path>);

impl ToTokens for RuntimePath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match &self.0 {
            Some(path) => quote!(#path::__private),
            None => quote!(::pd_runtime::__private),
        });
    }
}

/// Returns `__PD_NAME_LOG`, the constant with the tool's name. It is separate from the declaration,
/// so that tools can be related to each other mutually.
pub(crate) fn name_const(function: &Ident) -> Ident {
    hidden("__PD_NAME", function)
}

/// Returns `__PD_TOOL_LOG`, the tool's declaration: a constant for a method, a unit struct for a
/// free function.
pub(crate) fn tool_const(function: &Ident) -> Ident {
    hidden("__PD_TOOL", function)
}

/// Returns `__PD_FREE_NOW`, the constant that checks that a free function's struct is in a module.
pub(crate) fn free_const(function: &Ident) -> Ident {
    hidden("__PD_FREE", function)
}

/// Returns the name of a constant about the function of a path: `__PD_FACTS_CLOCK_NOW`, with a
/// number if the name is in `taken`.
pub(crate) fn const_about(
    prefix: &str,
    path: &TokenStream,
    span: Span,
    taken: &mut BTreeSet<String>,
) -> Ident {
    // Keywords are skipped, because they would only make the constant's name longer.
    let names: Vec<_> = path
        .clone()
        .into_iter()
        .filter_map(|token| match token {
            TokenTree::Ident(name)
                if !["crate", "self", "super"].iter().any(|word| name == *word) =>
            {
                // The prefix `r#` cannot be inside of an identifier.
                Some(name.unraw().to_string().to_uppercase())
            }
            _ => None,
        })
        .collect();
    let first = format!("{prefix}_{}", names.join("_"));
    let mut unique = first.clone();
    // Two paths may differ in their separators alone, and then have the same words.
    for number in 2.. {
        if taken.insert(unique.clone()) {
            break;
        }
        unique = format!("{first}_{number}");
    }
    Ident::new(&unique, Span::mixed_site().located_at(span))
}

/// Returns `Repo::__PD_NAME_SHOW` for `Repo::show`.
pub(crate) fn name_const_of(tool: &ExprPath) -> ExprPath {
    with_last(tool, name_const)
}

/// Returns `Repo::__PD_TOOL_SHOW` for `Repo::show`.
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
    format_ident!(
        "{prefix}_{name}",
        span = Span::mixed_site().located_at(function.span())
    )
}
