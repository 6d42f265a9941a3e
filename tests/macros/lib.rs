//! The stages of pd-macros in an ordinary library: a proc-macro crate exports nothing but its macros. What runs is the same
//! source, file by file, as if it stood at this crate's root.

#[path = "../../pd-macros/src"]
mod stages {
    pub(crate) mod args;
    pub(crate) mod attributes;
    pub(crate) mod check;
    pub(crate) mod const_assert;
    pub(crate) mod constraint;
    pub(crate) mod derive;
    pub(crate) mod doc;
    pub(crate) mod duration;
    pub(crate) mod editor;
    pub(crate) mod emit;
    pub(crate) mod errors;
    pub(crate) mod expand;
    pub(crate) mod fallback;
    pub(crate) mod foreign;
    pub(crate) mod icons;
    pub(crate) mod item;
    pub(crate) mod json;
    pub(crate) mod keys;
    pub(crate) mod lent;
    pub(crate) mod lints;
    pub(crate) mod map_keys;
    pub(crate) mod model;
    pub(crate) mod nearest;
    pub(crate) mod parameter;
    pub(crate) mod paths;
    pub(crate) mod registry;
    pub(crate) mod rmcp;
    pub(crate) mod selected;
    pub(crate) mod std_types;
    pub(crate) mod ty;
}

use proc_macro2::TokenStream;
use stages::*;

/// `#[pd_tool(args)] item`
pub fn pd_tool(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(args, item)
}

/// `registry! { literal }`
pub fn server(literal: TokenStream) -> TokenStream {
    registry::expand(literal)
}

/// `#[derive(ToolErrors)]`
pub fn tool_errors(item: TokenStream) -> TokenStream {
    derive::tool_errors(item)
}

/// `#[derive(ToolArg)]`
pub fn tool_arg(item: TokenStream) -> TokenStream {
    derive::tool_arg(item)
}

/// `#[derive(State)]`
pub fn state(item: TokenStream) -> TokenStream {
    derive::state(item)
}
