//! Names that generated code uses: the runtime's path and the hidden items beside a tool.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
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

/// `__PD_TOOL_LOG`: the tool's declaration.
pub(crate) fn tool_const(function: &Ident) -> Ident {
    hidden("__PD_TOOL", function)
}

/// `__PD_NAMING_NOW`: how the tool of a free function is named, in a constant that patterns can ask for.
pub(crate) fn naming_const(function: &Ident) -> Ident {
    hidden("__PD_NAMING", function)
}

/// `__PD_KEY_NOW`: the tool of a free function, as a unit struct that patterns can ask for.
pub(crate) fn key_struct(function: &Ident) -> Ident {
    hidden("__PD_KEY", function)
}

/// `__PD_RELATED_NOW`: where a tool asks for a related one. It has a name, since `const _` would keep the function alive for
/// rustc, which then reports no tool that no registry lists.
pub(crate) fn related_const(function: &Ident) -> Ident {
    hidden("__PD_RELATED", function)
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
