//! Arguments among each other, and each against its own `#[arg]`.

use super::value;
use crate::{
    constraint::{Constraints, Preset},
    errors::Errors,
    parameter::{Argument, Parameter},
};
use serde_json::Value;
use syn::spanned::Spanned;

/// The name under which a caller passes its proof of disclosure.
const RESERVED: &str = "disclosure_ticket";

/// How many parts `pd_runtime` can lend at once.
const MOST_LENT: usize = 8;

/// Lower and upper keywords of one range.
const RANGES: &[(&str, &str)] =
    &[("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties")];

/// The arguments among the parameters.
pub(crate) fn of(parameters: &[Parameter]) -> impl Iterator<Item = &Argument> {
    parameters.iter().filter_map(Parameter::argument)
}

/// Checks all arguments.
pub(super) fn check(parameters: &[Parameter], errors: &mut Errors) {
    check_whole_is_alone(parameters, errors);
    check_lent(parameters, errors);
    let mut earlier: Vec<&str> = Vec::new();
    for argument in of(parameters) {
        check_name(argument, &earlier, errors);
        earlier.push(&argument.name);
        check_ranges(&argument.constraints, errors);
        check_default(argument, errors);
    }
}

fn check_whole_is_alone(parameters: &[Parameter], errors: &mut Errors) {
    if of(parameters).count() < 2 {
        return;
    }
    if let Some(whole) = of(parameters).find(|argument| argument.whole) {
        errors.at(&whole.ty, "`Args` takes all arguments, so it stands alone; make the others fields of its struct");
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
    let span = argument.constraints.rename.as_ref().map_or(argument.local.span(), Spanned::span);
    let name = argument.name.as_str();
    if name == RESERVED {
        errors.push(span, format_args!("the argument name `{RESERVED}` is reserved for the gate; choose another"));
    } else if earlier.contains(&name) && argument.cfgs.is_empty() {
        errors.push(span, format_args!("two arguments are called `{name}`; give one another `rename`"));
    }
}

fn check_ranges(constraints: &Constraints, errors: &mut Errors) {
    for (low, high) in RANGES {
        let bound = |keyword: &str| constraints.keywords.get(keyword).and_then(Value::as_f64);
        if let (Some(lowest), Some(highest)) = (bound(low), bound(high))
            && lowest > highest
        {
            errors
                .push(constraints.span_of(high), format_args!("no value is from {lowest} to {highest}; swap the two"));
        }
    }
}

fn check_default(argument: &Argument, errors: &mut Errors) {
    let Some(Preset::Literal(value, span)) = &argument.constraints.default else { return };
    for fault in value::faults(argument, value) {
        errors.push(*span, format_args!("in the default, {fault}"));
    }
}
