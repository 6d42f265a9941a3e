//! The rules of `#[pd_tool]`, one `check_*` function each. Input that passes all rules becomes a
//! [`CheckedTool`].

mod arguments;
mod examples;
mod found_by;
pub(crate) mod function;
mod keywords;
mod meta;
mod name;
pub(crate) mod place;
mod related;
mod sections;
mod selective;
mod summary;
mod value;
mod view;
mod words;

use crate::{
    args::{Args, Flag},
    const_assert::ConstAssertions,
    doc::ToolDoc,
    errors::Errors,
    item::Function,
    keys,
    lints::LINTS,
    model::{CheckedTool, ToolAnnotations},
    parameter::{self, Parameter},
    paths::RuntimePath,
};
use proc_macro2::Ident;
use syn::LitStr;

/// Applies every rule.
///
/// If a rule is broken, returns the checks that the compiler can still run on the stub.
pub(crate) fn check(
    args: Args,
    function: &Function,
    mut doc: ToolDoc,
    errors: &mut Errors,
) -> Result<CheckedTool, Box<ConstAssertions>> {
    let name = name::check(&args, function, errors);
    let summary = summary::check(&args, &name, function, &doc, errors);
    let parameters = check_parameters(function, errors);
    // This check runs before `examples::check`, because it removes the arguments that only a
    // selective tool accepts from the examples.
    if is_set(&args.selective) {
        selective::check(&parameters, &mut doc.examples, errors);
    }
    examples::check(&doc.examples, &parameters, errors);
    sections::check(&doc, errors);
    check_hints(&args, errors);
    words::check(&args, &name, errors);
    found_by::check(&args.found_by, errors);
    related::check(&args, function, errors);
    meta::check(&args, errors);
    let view = view::check(&args, &doc, errors);
    check_allow(&args.allow, errors);
    let callee = function::check(function, &args, errors);
    // The compiler's checks are collected even after an error, so that a broken summary does not
    // hide a broken example.
    let proof = ConstAssertions::new(&function.signature, &parameters, &doc);
    // Other rules may have failed although the summary is valid, so the collector decides.
    let Some(summary) = summary.filter(|_| errors.is_empty()) else {
        return Err(Box::new(proof));
    };
    Ok(CheckedTool {
        runtime: RuntimePath(args.runtime),
        function: callee,
        name,
        summary,
        summary_max: args.summary_max,
        title: args.title.as_ref().map(LitStr::value),
        description: doc.description,
        parameters,
        proof,
        examples: doc.examples,
        guidance: doc.guidance,
        notes: doc.notes,
        errors: doc.errors,
        related: args.related,
        aliases: args.aliases.iter().map(LitStr::value).collect(),
        found_by: args.found_by.iter().map(LitStr::value).collect(),
        icons: args.icons,
        hints: ToolAnnotations {
            read_only: value(&args.read_only),
            destructive: value(&args.destructive),
            idempotent: value(&args.idempotent),
            open_world: value(&args.open_world),
        },
        scopes: args.scopes.iter().map(LitStr::value).collect(),
        eager: is_set(&args.eager),
        read_first: is_set(&args.read_first),
        confirm: is_set(&args.confirm),
        selective: is_set(&args.selective),
        blocking: is_set(&args.blocking),
        timeout: args.timeout.map(|timeout| timeout.value),
        concurrency: args.concurrency,
        deprecated: args.deprecated.as_ref().map(LitStr::value),
        allow: args.allow,
        view,
        visibility: args.visibility.map(|visibility| visibility.value),
        meta: args
            .meta
            .into_iter()
            .map(|(key, value)| (key.value(), value))
            .collect(),
    })
}

fn value(flag: &Option<Flag>) -> Option<bool> {
    flag.as_ref().map(|flag| flag.value)
}

fn is_set(flag: &Option<Flag>) -> bool {
    value(flag) == Some(true)
}

fn check_parameters(function: &Function, errors: &mut Errors) -> Vec<Parameter> {
    let inputs = function.signature.inputs.iter();
    let parameters: Vec<_> = inputs
        .filter_map(|input| parameter::parse(input, errors))
        .collect();
    arguments::check(&parameters, errors);
    keywords::check(&parameters, errors);
    parameters
}

fn check_hints(args: &Args, errors: &mut Errors) {
    if is_set(&args.read_only)
        && is_set(&args.destructive)
        && let Some(destructive) = &args.destructive
    {
        errors.at(
            &destructive.key,
            "a `read_only` tool destroys nothing; keep one of `read_only` and `destructive`",
        );
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
