//! Checks of examples against the function's arguments, as far as tokens can decide. `const_assert`
//! generates compile-time checks for the other types.

use super::{arguments, value};
use crate::{
    doc::Example,
    errors::Errors,
    nearest::{nearest, suggestion},
    parameter::{Argument, Parameter},
};

/// Checks every example. A sole argument of an unknown type may be `Args` under another name, which
/// only the compiler can resolve, so it is skipped.
pub(super) fn check(examples: &[Example], parameters: &[Parameter], errors: &mut Errors) {
    let arguments: Vec<_> = arguments::all(parameters)
        .flat_map(Argument::sent)
        .collect();
    if let [only] = arguments.as_slice()
        && only.may_be_whole()
    {
        return;
    }
    for (index, example) in examples.iter().enumerate() {
        let mut report = ExampleReport {
            number: index + 1,
            example,
            errors,
        };
        report.unknown(&arguments);
        report.missing(&arguments);
        report.unfit(&arguments);
    }
}

/// Reports the errors of one example.
struct ExampleReport<'a> {
    number: usize,
    example: &'a Example,
    errors: &'a mut Errors,
}

impl ExampleReport<'_> {
    fn unknown(&mut self, arguments: &[&Argument]) {
        let Self {
            number,
            example,
            errors,
        } = self;
        // A closure, because an iterator can be read only once.
        let names = || arguments.iter().map(|argument| argument.name.as_str());
        for name in example
            .arguments
            .keys()
            .filter(|name| !names().any(|known| known == *name))
        {
            let meant = suggestion(name, names());
            let span = example.line_of(name).span;
            errors.push(
                span,
                format_args!(
                    "in example {number}, `{name}` is not an argument of this tool{meant}"
                ),
            );
        }
    }

    fn missing(&mut self, arguments: &[&Argument]) {
        let Self {
            number,
            example,
            errors,
        } = self;
        let is_near = |written: &String, name: &str| {
            nearest(written, arguments.iter().map(|one| one.name.as_str())) == Some(name)
        };
        // A misspelled argument was already reported as unknown, so it is not reported as missing.
        let has_argument = |argument: &Argument| {
            example
                .arguments
                .keys()
                .any(|written| *written == argument.name || is_near(written, &argument.name))
        };
        for argument in arguments
            .iter()
            .filter(|argument| argument.is_required() && !has_argument(argument))
        {
            let name = &argument.name;
            errors.push(
                example.opening.span,
                format_args!(
                    "in example {number}, `{name}` is missing; add it, or make it optional"
                ),
            );
        }
    }

    fn unfit(&mut self, arguments: &[&Argument]) {
        let Self {
            number,
            example,
            errors,
        } = self;
        for argument in arguments {
            // `missing` reports an absent argument.
            let Some(value) = example.arguments.get(&argument.name) else {
                continue;
            };
            for fault in value::faults(argument, value) {
                errors.push(
                    example.line_of(&argument.name).span,
                    format_args!("in example {number}, {fault}"),
                );
            }
        }
    }
}
