//! The rules of `#[pd_tool]`, one `check_*` each. What passes is a [`CheckedTool`].

mod arguments;
mod examples;
mod function;
mod summary;

use crate::{
    args::{Args, Flag},
    doc::Doc,
    errors::Errors,
    item::Function,
    keys,
    lints::LINTS,
    model::{CheckedTool, Hints},
    parameter::{self, Parameter},
    paths::Runtime,
};
use proc_macro2::Ident;
use syn::{LitStr, ext::IdentExt, spanned::Spanned};

/// Applies every rule; `None` when one is broken.
pub(crate) fn check(args: Args, function: &Function, doc: Doc, errors: &mut Errors) -> Option<CheckedTool> {
    let name = check_name(&args, function, errors);
    let summary = summary::check(&args, &name, function, &doc, errors);
    let parameters = check_parameters(function, errors);
    examples::check(&doc.examples, &parameters, errors);
    check_hints(&args, errors);
    check_meta(&args, errors);
    check_allow(&args.allow, errors);
    let callee = function::check(function, args.blocking.as_ref(), errors);
    if !errors.is_empty() {
        return None;
    }
    Some(CheckedTool {
        runtime: Runtime(args.runtime),
        function: callee,
        name,
        summary: summary?,
        summary_max: args.summary_max,
        title: args.title.as_ref().map(LitStr::value),
        description: doc.description,
        parameters,
        examples: doc.examples,
        guidance: doc.guidance,
        notes: doc.notes,
        errors: doc.errors,
        related: args.related,
        aliases: args.aliases.iter().map(LitStr::value).collect(),
        hints: Hints {
            read_only: value(&args.read_only),
            destructive: value(&args.destructive),
            idempotent: value(&args.idempotent),
            open_world: value(&args.open_world),
        },
        scopes: args.scopes.iter().map(LitStr::value).collect(),
        eager: is_set(&args.eager),
        blocking: is_set(&args.blocking),
        deprecated: args.deprecated.as_ref().map(LitStr::value),
        allow: args.allow,
        meta: args.meta.into_iter().map(|(key, value)| (key.value(), value)).collect(),
    })
}

fn value(flag: &Option<Flag>) -> Option<bool> {
    flag.as_ref().map(|flag| flag.value)
}

fn is_set(flag: &Option<Flag>) -> bool {
    value(flag) == Some(true)
}

/// 64 characters, because clients prefix names with the server's.
fn check_name(args: &Args, function: &Function, errors: &mut Errors) -> String {
    let ident = &function.signature.ident;
    let name = args.name.as_ref().map_or_else(|| ident.unraw().to_string(), LitStr::value);
    let legal = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if name.is_empty() || name.len() > 64 || !name.chars().all(legal) {
        let span = args.name.as_ref().map_or(ident.span(), Spanned::span);
        errors.push(
            span,
            "a tool's name has 1 to 64 characters out of `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`; write `name = \"…\"`",
        );
    }
    name
}

fn check_parameters(function: &Function, errors: &mut Errors) -> Vec<Parameter> {
    let inputs = function.signature.inputs.iter();
    let parameters: Vec<_> = inputs.filter_map(|input| parameter::parse(input, errors)).collect();
    arguments::check(&parameters, errors);
    parameters
}

fn check_hints(args: &Args, errors: &mut Errors) {
    if is_set(&args.read_only)
        && is_set(&args.destructive)
        && let Some(destructive) = &args.destructive
    {
        errors.at(&destructive.key, "a `read_only` tool destroys nothing; keep one of `read_only` and `destructive`");
    }
}

fn check_meta(args: &Args, errors: &mut Errors) {
    for (index, (key, _)) in args.meta.iter().enumerate() {
        if args.meta.iter().take(index).any(|(earlier, _)| earlier.value() == key.value()) {
            errors.at(key, format_args!("`meta` has the key \"{}\" twice; keep one", key.value()));
        }
    }
}

fn check_allow(allowed: &[Ident], errors: &mut Errors) {
    for (index, lint) in allowed.iter().enumerate() {
        if !LINTS.iter().any(|known| lint == known) {
            errors.take::<()>(Err(keys::unknown(lint, "lint", LINTS)));
        } else if allowed.iter().take(index).any(|earlier| earlier == lint) {
            errors.at(lint, format_args!("`{lint}` is allowed twice; keep one"));
        }
    }
}
