//! Rules for the keywords of `#[arg(…)]`: values that no schema allows, and keywords that do not
//! apply to the argument's type.

use super::{arguments, value};
use crate::{
    constraint::{Constraints, Keyword, KeywordSubject},
    errors::Errors,
    nearest::nearest,
    parameter::{Argument, Parameter},
    std_types::{StdType, ValueMismatch},
};
use proc_macro2::Span;
use serde_json::Value;

/// Checks the keywords of all arguments.
pub(super) fn check(parameters: &[Parameter], errors: &mut Errors) {
    let mut headers: Vec<String> = Vec::new();
    for argument in arguments::all(parameters) {
        let constraints = &argument.constraints;
        check_subjects(argument, errors);
        check_choices(argument, errors);
        check_texts(constraints, errors);
        check_format(constraints, errors);
        check_values(constraints, errors);
        check_step(constraints, errors);
        if let Some(header) = check_header(argument, errors) {
            // Two arguments under `cfg` may be alternatives of which one is compiled.
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
            let message = format!("this `{keyword}` is empty; write one, or remove it");
            errors.push(constraints.span_of(keyword), message);
        }
    }
}

/// The formats of JSON Schema 2020-12. Custom formats are allowed, unless they look like a
/// misspelled standard format.
const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

fn check_format(constraints: &Constraints, errors: &mut Errors) {
    let Some(format) = text(constraints, "format").filter(|format| !FORMATS.contains(format))
    else {
        return;
    };
    // Short formats are skipped: nearly every short word is within two edits of `date`, `time` or
    // `uri`.
    if let Some(meant) = nearest(format, FORMATS.iter().copied()).filter(|_| format.len() > 4) {
        let message =
            format!("JSON Schema does not define the format `{format}`; did you mean `{meant}`?");
        errors.push(constraints.span_of("format"), message);
    }
}

fn text<'a>(constraints: &'a Constraints, keyword: &str) -> Option<&'a str> {
    constraints.keywords.get(keyword)?.as_str()
}

fn check_values(constraints: &Constraints, errors: &mut Errors) {
    let Some(Value::Array(values)) = constraints.keywords.get("enum") else {
        return;
    };
    let span = constraints.span_of("enum");
    if values.is_empty() {
        errors.push(
            span,
            "`one_of` allows no value at all; list those that are allowed, or remove it",
        );
    }
    for (index, value) in values.iter().enumerate() {
        if values.iter().take(index).any(|earlier| earlier == value) {
            errors.push(span, format_args!("`one_of` lists {value} twice; keep one"));
        }
    }
}

fn check_step(constraints: &Constraints, errors: &mut Errors) {
    let step = constraints
        .keywords
        .get("multipleOf")
        .and_then(Value::as_f64);
    if step.is_some_and(|step| step <= 0.0) {
        errors.push(
            constraints.span_of("multipleOf"),
            "`multiple_of` is above 0; write the step between two values",
        );
    }
}

/// Checks `header` (SEP-2243). The name must be an RFC 9110 token and the value a string, an
/// integer or a boolean; clients reject a tool that breaks this rule.
fn check_header(argument: &Argument, errors: &mut Errors) -> Option<String> {
    let header = text(&argument.constraints, HEADER)?;
    let span = argument.constraints.span_of(HEADER);
    if let known @ (StdType::Number | StdType::List(_) | StdType::Map(_)) = argument.known.present()
    {
        let noun = known.noun();
        errors.push(
            span,
            format_args!(
                "a `header` carries a text, a whole number or a flag, and this is {noun}; remove it"
            ),
        );
    }
    if header.is_empty()
        || !header
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
    {
        errors.push(
            span,
            "a `header` is one word out of letters, digits and `-`, as in `header = \"Region\"`",
        );
        return None;
    }
    // Names of HTTP headers are read without case (RFC 9110, section 5.1).
    Some(header.to_ascii_lowercase())
}

/// Checks that each keyword applies to the argument's type, and that each limit is within the
/// type's range.
fn check_subjects(argument: &Argument, errors: &mut Errors) {
    let name = &argument.name;
    let known = argument.known.present();
    for (keyword, value, span) in argument.constraints.entries() {
        let word = keyword.word;
        if !concerns(keyword.subject, known) {
            let noun = known.noun();
            let instead = instead(word, known);
            errors.push(
                span,
                format_args!("`{word}` does not apply to `{name}`, which is {noun}; {instead}"),
            );
        }
        check_limit(argument, keyword, value, span, errors);
    }
}

fn concerns(subject: KeywordSubject, known: &StdType) -> bool {
    match known {
        // The compiler checks an unknown type.
        StdType::Unknown | StdType::Optional(_) => true,
        StdType::Integer { .. } | StdType::Number => {
            matches!(
                subject,
                KeywordSubject::From
                    | KeywordSubject::To
                    | KeywordSubject::Numbers
                    | KeywordSubject::All
            )
        }
        StdType::Text | StdType::Character => {
            matches!(subject, KeywordSubject::Texts | KeywordSubject::All)
        }
        StdType::List(_) => matches!(subject, KeywordSubject::Lists | KeywordSubject::All),
        StdType::Map(_) => matches!(subject, KeywordSubject::Objects | KeywordSubject::All),
        StdType::Boolean => subject == KeywordSubject::All,
    }
}

/// Returns the fix to suggest. Each type has its own keywords for minimum and maximum.
fn instead(word: &str, known: &StdType) -> String {
    let (least, most) = match known {
        StdType::Integer { .. } | StdType::Number => ("minimum", "maximum"),
        StdType::Text => ("min_length", "max_length"),
        StdType::List(_) => ("min_items", "max_items"),
        StdType::Map(_) => ("min_properties", "max_properties"),
        _ => return "remove it".to_owned(),
    };
    // Only the first three letters matter: `min_length` on a number means `minimum`.
    match word.get(..3) {
        Some("min") => format!("write `{least}`"),
        Some("max") => format!("write `{most}`"),
        _ => "remove it".to_owned(),
    }
}

fn check_limit(
    argument: &Argument,
    keyword: &Keyword,
    limit: &Value,
    span: Span,
    errors: &mut Errors,
) {
    let (StdType::Integer { name, min, max }, Some(limit)) =
        (argument.known.present(), limit.as_i64())
    else {
        return;
    };
    // An exclusive limit may be one beyond the type's range: `exclusive_maximum = 256` is valid for
    // `u8`.
    let beyond = i128::from(keyword.word.starts_with("exclusive"));
    let is_limit = matches!(keyword.subject, KeywordSubject::From | KeywordSubject::To);
    if is_limit && !(*min - beyond..=*max + beyond).contains(&limit.into()) {
        let message = format!(
            "`{}` is {limit}, and `{name}` goes from {min} to {max}; write a limit within, or take another type",
            keyword.word
        );
        errors.push(span, message);
    }
}

/// Checks that each value of `one_of` fits the type and the argument's other keywords.
fn check_choices(argument: &Argument, errors: &mut Errors) {
    let Some(Value::Array(choices)) = argument.constraints.keywords.get("enum") else {
        return;
    };
    let mut misfits = Vec::new();
    if argument.known.is_complete() {
        for choice in choices {
            argument
                .known
                .judge(choice, &choice.to_string(), &mut misfits);
        }
    }
    for choice in choices {
        // A value of the wrong type gets one error; the other keywords would only repeat it.
        for what in value::broken(argument, choice).filter(|_| misfits.is_empty()) {
            errors.push(
                argument.constraints.span_of("enum"),
                format_args!("in `one_of`, {choice} is {what}"),
            );
        }
    }
    for ValueMismatch { path, what, .. } in misfits {
        errors.push(
            argument.constraints.span_of("enum"),
            format_args!("in `one_of`, {path} is {what}"),
        );
    }
}
