//! The `registry!` literal: the server's table of contents. It has the same stages as `#[pd_tool]`.

mod check;
mod const_rules;
mod emit;
mod parse;

use crate::{errors::Errors, paths::RuntimePath};
use proc_macro2::TokenStream;
use quote::quote;

/// Expands `registry! { … }`. The valid parts of a literal with errors still form a registry, so
/// that the expression keeps its type.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let literal = parse::parse(tokens, &mut errors);
    let runtime = RuntimePath(literal.options.runtime.clone());
    let registry = emit::emit(&runtime, &check::check(literal, &mut errors));
    if errors.is_empty() {
        return registry;
    }
    let errors = errors.into_compile_errors("`registry!`");
    quote!({ #errors #registry })
}
