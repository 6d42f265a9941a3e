//! Examples against the function's arguments, as far as tokens can tell; types are judged later.

use super::arguments;
use crate::{
    doc::Example,
    errors::Errors,
    nearest::suggestion,
    parameter::{Argument, Parameter},
};

/// Checks every example. A struct of all arguments keeps its fields to itself, so nothing can be said about it here;
/// `Registry::check` judges it with real serde.
pub(super) fn check(examples: &[Example], parameters: &[Parameter], errors: &mut Errors) {
    let arguments: Vec<_> = arguments::of(parameters).collect();
    if let [only] = arguments.as_slice()
        && only.may_be_whole()
    {
        return;
    }
    for example in examples {
        check_known(example, &arguments, errors);
        check_required(example, &arguments, errors);
    }
}

fn check_known(example: &Example, arguments: &[&Argument], errors: &mut Errors) {
    let names = || arguments.iter().map(|argument| argument.name.as_str());
    for name in example.arguments.keys().filter(|name| !names().any(|known| known == *name)) {
        let meant = suggestion(name, names());
        errors.push(example.line_of(name).span, format_args!("no argument is called `{name}`{meant}"));
    }
}

fn check_required(example: &Example, arguments: &[&Argument], errors: &mut Errors) {
    let given = |argument: &Argument| example.arguments.contains_key(&argument.name);
    for argument in arguments.iter().filter(|argument| argument.is_surely_required() && !given(argument)) {
        let name = &argument.name;
        errors.push(
            example.opening.span,
            format_args!("this example lacks the argument `{name}`; add it, or make it optional"),
        );
    }
}
