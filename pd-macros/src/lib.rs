//! The procedural macros of pd-runtime. The crate `pd-runtime` re-exports and documents them.
//!
//! Each macro is a pipeline: tokens → parsed → checked → tokens. A stage depends on earlier stages
//! only.

mod args;
mod const_assert;
mod constraint;
mod doc;
mod duration;
mod foreign;
mod item;
mod map_keys;
mod parameter;
mod selected;
mod std_types;

mod check;
mod emit;
mod expand;
mod model;

mod derive;
mod registry;

mod attributes;
mod editor;
mod errors;
mod fallback;
mod field_attribute;
mod icons;
mod json;
mod keys;
mod lent;
mod lints;
mod literal;
mod nearest;
mod owned_form;
mod paths;
mod rmcp;
mod source;
mod ty;
mod view;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod goldens;
#[cfg(test)]
mod incomplete_input;

use proc_macro::TokenStream;

/// Declares a tool; see `pd_runtime::pd_tool`.
#[proc_macro_attribute]
pub fn pd_tool(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(args.into(), item.into()).into()
}

/// Lists the tools of a server; see `pd_runtime::registry`.
#[proc_macro]
pub fn registry(literal: TokenStream) -> TokenStream {
    registry::expand(literal.into()).into()
}

/// Turns each variant of an error enum into an error code for callers; see
/// `pd_runtime::ToolErrors`.
#[proc_macro_derive(ToolErrors, attributes(tool_error, pd))]
pub fn tool_errors(item: TokenStream) -> TokenStream {
    derive::tool_errors(item.into()).into()
}

/// Describes the JSON that an argument's type accepts; see `pd_runtime::ToolArg`.
#[proc_macro_derive(ToolArg, attributes(tool_arg, serde, pd))]
pub fn tool_arg(item: TokenStream) -> TokenStream {
    derive::tool_arg(item.into()).into()
}

/// Lends each field of a server's state to its tools; see `pd_runtime::State`.
#[proc_macro_derive(State, attributes(state, pd))]
pub fn state(item: TokenStream) -> TokenStream {
    derive::state(item.into()).into()
}
