//! Rules for the arguments of a function: each argument's name, ranges and default, and conflicts
//! between arguments.

use super::value;
use crate::{
    constraint::{Constraints, DefaultValue},
    errors::Errors,
    parameter::{Argument, Parameter},
    rmcp,
};
use serde_json::Value;

/// The argument name that carries a caller's disclosure ticket.
const RESERVED: &str = "disclosure_ticket";

/// The maximum number of state parameters. `pd_runtime` implements its traits for tuples up to this
/// length.
const MOST_LENT: usize = 8;

/// Pairs of lower and upper bound keywords. The lower bound must not exceed the upper bound.
const RANGES: &[(&str, &str)] = &[
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
];

/// Pairs of inclusive and exclusive keywords for the same bound, with the name of the inclusive
/// key.
const TWICE: &[(&str, &str, &str)] = &[
    ("minimum", "exclusiveMinimum", "minimum"),
    ("maximum", "exclusiveMaximum", "maximum"),
];

/// Returns the arguments among the parameters.
pub(crate) fn all(parameters: &[Parameter]) -> impl Iterator<Item = &Argument> {
    parameters.iter().filter_map(Parameter::argument)
}

/// Checks all arguments.
pub(super) fn check(parameters: &[Parameter], errors: &mut Errors) {
    check_whole_is_alone(parameters, errors);
    check_object(parameters, errors);
    check_selected(parameters, errors);
    check_lent(parameters, errors);
    let mut earlier: Vec<&str> = Vec::new();
    // A `Selected<T>` argument is sent under names of the protocol; `check_selected` covers it.
    for argument in all(parameters).filter(|argument| argument.parts.is_empty()) {
        check_name(argument, &earlier, errors);
        earlier.push(&argument.name);
        check_ranges(&argument.constraints, errors);
        check_default(argument, errors);
    }
}

fn check_whole_is_alone(parameters: &[Parameter], errors: &mut Errors) {
    if all(parameters).count() < 2 {
        return;
    }
    if let Some(whole) = all(parameters).find(|argument| argument.whole) {
        errors.at(
            &whole.ty,
            "`Args` takes all arguments, so it must be the only argument; make the others fields of its struct",
        );
    }
}

fn check_object(parameters: &[Parameter], errors: &mut Errors) {
    let arguments: Vec<_> = all(parameters).collect();
    if let [only] = arguments.as_slice()
        && !only.constraints.unchecked
        && let Some(instead) = rmcp::instead_of_object(&only.ty)
    {
        errors.at(&only.ty, instead);
    }
}

/// Checks that a tool takes at most one `Selected`, and that no other argument uses one of its
/// names. MCP-SD fixes the names under which selected rows are sent.
fn check_selected(parameters: &[Parameter], errors: &mut Errors) {
    let mut selected = all(parameters).filter(|argument| !argument.parts.is_empty());
    let Some(first) = selected.next() else { return };
    // With `#[cfg]`, the two arguments may be alternatives of which one is compiled.
    if let Some(second) = selected.find(|argument| argument.cfgs.is_empty()) {
        let message = "the rows of a second `Selected` would be sent under the same names; make it a tool of its own";
        errors.at(&second.ty, message);
    }
    let is_sent = |name: &str| first.parts.iter().any(|part| part.name == name);
    for clashing in
        all(parameters).filter(|argument| argument.parts.is_empty() && is_sent(&argument.name))
    {
        let message = format!(
            "`Selected` is sent as `{}`, too; give this argument another name",
            clashing.name
        );
        errors.push(clashing.name_span(), message);
    }
}

fn check_lent(parameters: &[Parameter], errors: &mut Errors) {
    let mut lent = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::State(ty) => Some(ty),
        _ => None,
    });
    if let Some(excess) = lent.nth(MOST_LENT) {
        errors.at(
            excess,
            format_args!("a tool borrows at most {MOST_LENT} parts of the state; make some of them one struct"),
        );
    }
}

fn check_name(argument: &Argument, earlier: &[&str], errors: &mut Errors) {
    let span = argument.name_span();
    let name = argument.name.as_str();
    if name == RESERVED {
        errors.push(
            span,
            format_args!("the argument name `{RESERVED}` is reserved for the gate; choose another"),
        );
    } else if !is_name(name) {
        let message = "an argument's name has 1 to 64 characters out of `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, or model \
                       providers such as Anthropic refuse the tool";
        errors.push(
            span,
            format_args!(
                "{message}; write `#[arg(rename = \"{}\")]`",
                nearest_name(name)
            ),
        );
    // With `cfg`, the two arguments may be alternatives of which one is compiled.
    } else if earlier.contains(&name) && argument.cfgs.is_empty() {
        errors.push(
            span,
            format_args!("two arguments are called `{name}`; give one another `rename`"),
        );
    }
}

/// Returns whether the large model hosts accept the name as a property name.
fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// Suggests a valid name: other characters become `_`, one for several in a row.
fn nearest_name(name: &str) -> String {
    let words =
        name.split(|letter: char| !letter.is_ascii_alphanumeric() && !".-".contains(letter));
    let nearest = words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("_");
    // A name in another script would lose its letters, so no name is suggested.
    if name.is_ascii() && is_name(&nearest) {
        nearest
    } else {
        "…".to_owned()
    }
}

fn check_ranges(constraints: &Constraints, errors: &mut Errors) {
    // Floats, because `minimum` and `maximum` may have a fraction.
    let bound = |keyword: &str| constraints.keywords.get(keyword).and_then(Value::as_f64);
    for (low, high) in RANGES {
        let (Some(lowest), Some(highest)) = (bound(low), bound(high)) else {
            continue;
        };
        // An exclusive bound on either side makes a range of one value empty.
        let is_exclusive = low.starts_with("exclusive") || high.starts_with("exclusive");
        if lowest > highest || (is_exclusive && lowest == highest) {
            let message =
                format!("no value lies between {lowest} and {highest}; change one of the two");
            errors.push(constraints.span_of(high), message);
        }
    }
    for (inclusive, exclusive, word) in TWICE {
        if bound(inclusive).is_some() && bound(exclusive).is_some() {
            let message =
                format!("`{word}` and `exclusive_{word}` are two limits on one side; keep one");
            errors.push(constraints.span_of(exclusive), message);
        }
    }
}

fn check_default(argument: &Argument, errors: &mut Errors) {
    let Some(DefaultValue::Literal(value, span)) = &argument.constraints.default else {
        return;
    };
    for fault in value::faults(argument, value) {
        errors.push(*span, format_args!("in the default, {fault}"));
    }
}
