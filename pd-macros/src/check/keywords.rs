//! Keywords of `#[arg(…)]` that are texts: each says something, and headers are what HTTP and its clients allow.

use super::arguments;
use crate::{
    constraint::Constraints,
    errors::Errors,
    known::Known,
    parameter::{Argument, Parameter},
};

const HEADER: &str = "x-mcp-header";

/// Checks the keywords of all arguments.
pub(super) fn check(parameters: &[Parameter], errors: &mut Errors) {
    let mut headers: Vec<String> = Vec::new();
    for argument in arguments::of(parameters) {
        check_texts(&argument.constraints, errors);
        let Some(header) = check_header(argument, errors) else { continue };
        // Of two arguments that `cfg` selects, only one may be there.
        if headers.contains(&header) && argument.cfgs.is_empty() {
            let message = "another argument has this `header`, which is read without case; choose another";
            errors.push(argument.constraints.span_of(HEADER), message);
        }
        headers.push(header);
    }
}

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

/// SEP-2243: the name is a token of RFC 9110, the value a string, an integer or a boolean; clients refuse other tools.
fn check_header(argument: &Argument, errors: &mut Errors) -> Option<String> {
    let header = text(&argument.constraints, HEADER)?;
    let span = argument.constraints.span_of(HEADER);
    if let known @ (Known::Number | Known::List(_) | Known::Map(_)) = argument.known.present() {
        let noun = known.noun();
        errors.push(
            span,
            format_args!("a `header` carries a text, a whole number or a flag, and this is {noun}; remove it"),
        );
    }
    let legal = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if header.is_empty() || !header.chars().all(legal) {
        errors.push(span, "a `header` is one word out of letters, digits and `-`, as in `header = \"Region\"`");
        return None;
    }
    Some(header.to_ascii_lowercase())
}
