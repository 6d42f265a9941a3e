//! A tool that broke no rule: what `emit` turns into tokens without a further question.

use crate::{
    doc::{ErrorBullet, Example},
    parameter::Parameter,
    paths::Runtime,
    proof::Proof,
};
use proc_macro2::{Ident, TokenStream};
use serde_json::Value;
use std::time::Duration;
use syn::{Attribute, ExprPath, Visibility};

/// A checked `#[pd_tool]` function.
pub(crate) struct CheckedTool {
    pub(crate) runtime: Runtime,
    pub(crate) function: Callee,
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) summary_max: Option<usize>,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) parameters: Vec<Parameter>,
    /// What is left to the compiler to judge.
    pub(crate) proof: Proof,
    pub(crate) examples: Vec<Example>,
    pub(crate) guidance: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) errors: Vec<ErrorBullet>,
    pub(crate) related: Vec<ExprPath>,
    pub(crate) aliases: Vec<String>,
    pub(crate) icons: Vec<Value>,
    pub(crate) hints: Hints,
    pub(crate) scopes: Vec<String>,
    pub(crate) eager: bool,
    /// Whether callers choose which columns of its rows they are shown.
    pub(crate) selective: bool,
    pub(crate) blocking: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) deprecated: Option<String>,
    /// Lints by name, all of them known.
    pub(crate) allow: Vec<Ident>,
    pub(crate) meta: Vec<(String, Value)>,
}

/// How the function is found and called.
pub(crate) struct Callee {
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) is_method: bool,
    pub(crate) is_async: bool,
    /// Whether rustc warns about calls of it.
    pub(crate) is_deprecated: bool,
    /// The lints that the author allowed for it.
    pub(crate) allowed: Vec<TokenStream>,
    /// The return type, with `'static` for its lifetimes.
    pub(crate) returns: TokenStream,
}

/// The hints that were given.
pub(crate) struct Hints {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}
