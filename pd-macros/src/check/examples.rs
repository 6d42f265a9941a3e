//! Examples against the function's arguments, as far as tokens can tell; the compiler judges the other types: see `proof`.

use super::{arguments, value};
use crate::{
    doc::Example,
    errors::Errors,
    nearest::{nearest, suggestion},
    parameter::{Argument, Parameter},
};

/// Checks every example. A sole argument may be all of them by another name, which the compiler alone knows.
pub(super) fn check(examples: &[Example], parameters: &[Parameter], errors: &mut Errors) {
    let arguments: Vec<_> = arguments::of(parameters).flat_map(Argument::sent).collect();
    if let [only] = arguments.as_slice()
        && only.may_be_whole()
    {
        return;
    }
    for (index, example) in examples.iter().enumerate() {
        let mut report = Report { number: index + 1, example, errors };
        report.unknown(&arguments);
        report.missing(&arguments);
        report.unfit(&arguments);
    }
}

/// The faults of one example.
struct Report<'a> {
    number: usize,
    example: &'a Example,
    errors: &'a mut Errors,
}

impl Report<'_> {
    fn unknown(&mut self, arguments: &[&Argument]) {
        let Self { number, example, errors } = self;
        let names = || arguments.iter().map(|argument| argument.name.as_str());
        for name in example.arguments.keys().filter(|name| !names().any(|known| known == *name)) {
            let meant = suggestion(name, names());
            let span = example.line_of(name).span;
            errors.push(span, format_args!("in example {number}, `{name}` is no argument of this tool{meant}"));
        }
    }

    fn missing(&mut self, arguments: &[&Argument]) {
        let Self { number, example, errors } = self;
        let is_near =
            |given: &String, name: &str| nearest(given, arguments.iter().map(|one| one.name.as_str())) == Some(name);
        // A misspelt one is there, and was told of.
        let given = |argument: &Argument| {
            example.arguments.keys().any(|given| *given == argument.name || is_near(given, &argument.name))
        };
        for argument in arguments.iter().filter(|argument| argument.is_required() && !given(argument)) {
            let name = &argument.name;
            errors.push(
                example.opening.span,
                format_args!("in example {number}, `{name}` is missing; add it, or make it optional"),
            );
        }
    }

    fn unfit(&mut self, arguments: &[&Argument]) {
        let Self { number, example, errors } = self;
        for argument in arguments {
            let Some(given) = example.arguments.get(&argument.name) else { continue };
            for fault in value::faults(argument, given) {
                errors.push(example.line_of(&argument.name).span, format_args!("in example {number}, {fault}"));
            }
        }
    }
}
