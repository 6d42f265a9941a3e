//! The keywords of `#[arg(…)]`: values that no schema means.

use super::arguments;
use crate::{constraint::Constraints, errors::Errors, parameter::Parameter};
use serde_json::Value;

/// Checks the keywords of all arguments.
pub(super) fn check(parameters: &[Parameter], errors: &mut Errors) {
    let mut headers: Vec<String> = Vec::new();
    for argument in arguments::of(parameters) {
        let constraints = &argument.constraints;
        check_texts(constraints, errors);
        check_values(constraints, errors);
        check_step(constraints, errors);
        if let Some(header) = check_header(constraints, errors) {
            // Of two arguments that `cfg` selects, only one may be there.
            if headers.contains(&header) && argument.cfgs.is_empty() {
                let span = constraints.span_of(HEADER);
                errors.push(span, "another argument has this `header`, which is read without case; choose another");
            }
            headers.push(header);
        }
    }
}

const HEADER: &str = "x-mcp-header";

fn check_texts(constraints: &Constraints, errors: &mut Errors) {
    for keyword in ["pattern", "format", "title"] {
        if text(constraints, keyword).is_some_and(|text| text.trim().is_empty()) {
            let message = format_args!("this `{keyword}` is empty; write one, or remove it");
            errors.push(constraints.span_of(keyword), message);
        }
    }
}

fn text<'a>(constraints: &'a Constraints, keyword: &str) -> Option<&'a str> {
    constraints.keywords.get(keyword)?.as_str()
}

fn check_values(constraints: &Constraints, errors: &mut Errors) {
    let Some(Value::Array(values)) = constraints.keywords.get("enum") else { return };
    let span = constraints.span_of("enum");
    if values.is_empty() {
        errors.push(span, "`one_of` allows no value at all; list those that are allowed, or remove it");
    }
    for (index, value) in values.iter().enumerate() {
        if values.iter().take(index).any(|earlier| earlier == value) {
            errors.push(span, format_args!("`one_of` lists {value} twice; keep one"));
        }
    }
}

fn check_step(constraints: &Constraints, errors: &mut Errors) {
    let step = constraints.keywords.get("multipleOf").and_then(Value::as_f64);
    if step.is_some_and(|step| step <= 0.0) {
        errors.push(constraints.span_of("multipleOf"), "`multiple_of` is above 0; write the step between two values");
    }
}

/// SEP-2243: the name is a token of RFC 9110, and clients refuse a tool with another, or with the same twice.
fn check_header(constraints: &Constraints, errors: &mut Errors) -> Option<String> {
    let header = text(constraints, HEADER)?;
    let legal = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if header.is_empty() || !header.chars().all(legal) {
        let message = "a `header` is one word out of letters, digits and `-`, as in `header = \"Region\"`";
        errors.push(constraints.span_of(HEADER), message);
        return None;
    }
    Some(header.to_ascii_lowercase())
}
