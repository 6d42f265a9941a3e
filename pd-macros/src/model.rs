//! A tool that passed all rules. `emit` turns it into tokens without further decisions.

use crate::{
    const_assert::ConstAssertions,
    doc::{DocText, ErrorBullet, Example},
    parameter::Parameter,
    paths::RuntimePath,
    view::{CheckedView, ToolVisibility},
};
use proc_macro2::{Ident, TokenStream};
use serde_json::Value;
use std::time::Duration;
use syn::{Attribute, ExprPath, Visibility};

/// A checked `#[pd_tool]` function.
pub(crate) struct CheckedTool {
    pub(crate) runtime: RuntimePath,
    pub(crate) function: Callee,
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) summary_max: Option<usize>,
    pub(crate) title: Option<String>,
    pub(crate) description: DocText,
    pub(crate) parameters: Vec<Parameter>,
    /// The checks that are left to the compiler.
    pub(crate) proof: ConstAssertions,
    pub(crate) examples: Vec<Example>,
    pub(crate) guidance: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) errors: Vec<ErrorBullet>,
    pub(crate) related: Vec<ExprPath>,
    pub(crate) aliases: Vec<String>,
    pub(crate) found_by: Vec<String>,
    pub(crate) icons: Vec<Value>,
    pub(crate) hints: ToolAnnotations,
    pub(crate) scopes: Vec<String>,
    pub(crate) eager: bool,
    pub(crate) read_first: bool,
    pub(crate) confirm: bool,
    /// True if callers choose which columns of the tool's rows they receive.
    pub(crate) selective: bool,
    pub(crate) blocking: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) deprecated: Option<String>,
    /// Names of lints; all of them exist.
    pub(crate) allow: Vec<Ident>,
    pub(crate) view: Option<CheckedView>,
    pub(crate) visibility: Option<ToolVisibility>,
    pub(crate) meta: Vec<(String, Value)>,
}

/// The parts of the function that generated code uses to find and call it.
pub(crate) struct Callee {
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) is_method: bool,
    pub(crate) is_async: bool,
    /// True if rustc warns about calls of the function.
    pub(crate) is_deprecated: bool,
    /// The lints that the author allows on the function.
    pub(crate) allowed: Vec<TokenStream>,
    /// The return type, with `'static` for every lifetime.
    pub(crate) returns: TokenStream,
}

/// The tool annotations that the author set.
pub(crate) struct ToolAnnotations {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}
