//! Arguments among each other, and each against its own `#[arg]`.

use super::value;
use crate::{
    constraint::{Constraints, Keyword, Preset, Subject},
    errors::Errors,
    known::{Known, Misfit},
    parameter::{Argument, Parameter},
};
use proc_macro2::Span;
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
        check_keywords(argument, errors);
        check_choices(argument, errors);
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

/// A keyword says something about one kind of value, and a limit lies within what the type holds.
fn check_keywords(argument: &Argument, errors: &mut Errors) {
    let (name, known) = (&argument.name, argument.known.present());
    for (keyword, value, span) in argument.constraints.given() {
        let word = keyword.word;
        if !concerns(keyword.subject, known) {
            let (noun, instead) = (known.noun(), instead(word, known));
            errors.push(span, format_args!("`{word}` says nothing about `{name}`, which is {noun}; {instead}"));
        }
        check_limit(argument, keyword, value, span, errors);
        check_keyword_value(word, value, span, errors);
    }
}

fn concerns(subject: Subject, known: &Known) -> bool {
    match known {
        Known::Unknown | Known::Optional(_) => true,
        Known::Integer { .. } | Known::Number => {
            matches!(subject, Subject::From | Subject::To | Subject::Numbers | Subject::All)
        }
        Known::Text | Known::Character => matches!(subject, Subject::Texts | Subject::All),
        Known::List(_) => matches!(subject, Subject::Lists | Subject::All),
        Known::Map(_) => matches!(subject, Subject::Objects | Subject::All),
        Known::Boolean => subject == Subject::All,
    }
}

/// What was meant: every kind of value has its own word for how small or large it may be.
fn instead(word: &str, known: &Known) -> String {
    let (least, most) = match known {
        Known::Integer { .. } | Known::Number => ("minimum", "maximum"),
        Known::Text => ("min_length", "max_length"),
        Known::List(_) => ("min_items", "max_items"),
        Known::Map(_) => ("min_properties", "max_properties"),
        _ => return "remove it".to_owned(),
    };
    match word.get(..3) {
        Some("min") => format!("write `{least}`"),
        Some("max") => format!("write `{most}`"),
        _ => "remove it".to_owned(),
    }
}

fn check_limit(argument: &Argument, keyword: &Keyword, limit: &Value, span: Span, errors: &mut Errors) {
    let (Known::Integer { name, min, max }, Some(limit)) = (argument.known.present(), limit.as_i64()) else { return };
    let is_limit = matches!(keyword.subject, Subject::From | Subject::To);
    if is_limit && !(*min..=*max).contains(&limit.into()) {
        errors.push(span, format_args!("`{}` is {limit}, and `{name}` goes from {min} to {max}", keyword.word));
    }
}

/// What JSON Schema asks of a keyword's own value.
fn check_keyword_value(word: &str, value: &Value, span: Span, errors: &mut Errors) {
    match (word, value) {
        ("multiple_of", value) if value.as_f64().is_some_and(|step| step <= 0.0) => {
            errors.push(span, "`multiple_of` must be above 0; name the step between two values");
        }
        ("one_of", Value::Array(values)) if values.is_empty() => {
            errors.push(span, "no value is one of none; list the values that are allowed");
        }
        ("one_of", Value::Array(values)) => {
            for (index, value) in values.iter().enumerate() {
                if values.iter().take(index).any(|earlier| earlier == value) {
                    errors.push(span, format_args!("`one_of` lists {value} twice; keep one"));
                }
            }
        }
        _ => {}
    }
}

/// Each value that is allowed is one of the type's.
fn check_choices(argument: &Argument, errors: &mut Errors) {
    let Some(Value::Array(choices)) = argument.constraints.keywords.get("enum") else { return };
    let mut misfits = Vec::new();
    if argument.known.is_complete() {
        for choice in choices {
            argument.known.judge(choice, &choice.to_string(), &mut misfits);
        }
    }
    for Misfit { path, what } in misfits {
        errors.push(argument.constraints.span_of("enum"), format_args!("in `one_of`, {path} is {what}"));
    }
}
