//! The two extra arguments of a selective tool: the columns to return, and how the remaining
//! columns are sent.

use super::arguments;
use crate::{doc::Example, errors::Errors, parameter::Parameter};
use serde_json::Value;
use syn::spanned::Spanned;

/// The names of both arguments, and the values that they accept.
const OURS: [(&str, &str); 2] = [
    (
        "abstract_domains",
        "a text of columns, as in `\"name,status\"`",
    ),
    ("mode", "`\"async\"` or `\"sync\"`"),
];

/// Checks that the function does not use either name. Their values in examples are checked here and
/// then removed, so that the examples contain the function's own arguments only.
pub(super) fn check(parameters: &[Parameter], examples: &mut [Example], errors: &mut Errors) {
    for argument in arguments::all(parameters) {
        if let Some((name, ..)) = OURS.iter().find(|(name, ..)| *name == argument.name) {
            // The name that callers see is at fault, and `rename` may have set it.
            let span = argument
                .constraints
                .rename
                .as_ref()
                .map_or(argument.local.span(), Spanned::span);
            let message =
                format!("a selective tool has an argument `{name}` already; choose another name");
            errors.push(span, message);
        }
    }
    for (index, example) in examples.iter_mut().enumerate() {
        check_example(index + 1, example, errors);
    }
}

fn check_example(number: usize, example: &mut Example, errors: &mut Errors) {
    for (name, what) in OURS {
        // `null` counts as absent.
        let unfit = example
            .take(name)
            .filter(|value| !value.is_null() && !fits(name, value))
            .map(Value::to_string);
        if let Some(value) = unfit {
            let span = example.line_of(name).span;
            errors.push(
                span,
                format_args!("in example {number}, `{name}` is {value}, not {what}"),
            );
        }
    }
}

fn fits(name: &str, value: &Value) -> bool {
    match (name, value) {
        ("mode", Value::String(mode)) => ["async", "sync"].contains(&mode.as_str()),
        (_, value) => value.is_string(),
    }
}
