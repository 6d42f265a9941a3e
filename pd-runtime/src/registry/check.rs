//! The rules that every registry must keep, declared or built at run time. `problem` has the
//! messages.

mod groups;
mod skill_files;
mod views;

pub(crate) use groups::{heading_name, is_heading_name};

use super::{
    Registry,
    coverage::ExampleCheck,
    found_by,
    from_declaration::accepts,
    map_keys,
    problem::{RegistryError, RegistryErrorKind, RegistryErrors},
    result_keys,
    selective::column_selection::ColumnSelection,
    tool_spec::ToolSpec,
    validate::ArgumentValidator,
};
use crate::{
    parallel, protocol::keys::TICKET_ARGUMENT, registry::const_check::listing_cost,
    text::truncate::cut_at_word,
};
use pd_schema::{CompiledSchema, reader::SchemaRef, suggest::nearest_tool};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::collections::HashSet;

/// The counts of a successful check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// The number of tools.
    pub tools: usize,
    /// The number of examples. Each was validated against its schema, and for declared tools
    /// against their types.
    pub examples: usize,
    /// The number of examples that the compiler had checked before.
    pub compiler_checked_examples: usize,
    /// The number of examples with a value that nothing could check: their tool was built at run
    /// time, and its schema does not constrain that value.
    pub unchecked_examples: usize,
    /// The estimated cost of the minimal listing, in tokens.
    pub listing_tokens: usize,
}

impl<S: 'static> Registry<S> {
    /// Checks every rule that a registry must keep. A test in the author's crate needs one line:
    ///
    /// ```
    /// # use pd_runtime::prelude::*;
    /// # /// Say hello
    /// # #[pd_tool]
    /// # fn hello() -> String { "hello".into() }
    /// # fn registry() -> Registry<()> { pd_runtime::registry! { hello } }
    /// // #[test]
    /// fn the_registry_is_sound() -> Result<(), pd_runtime::check::RegistryErrors> {
    ///     registry().check().map(drop)
    /// }
    /// # the_registry_is_sound().unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns all errors that it finds.
    pub fn check(&self) -> Result<CheckReport, RegistryErrors> {
        // Errors from construction come first: they often cause the ones found below.
        let mut errors = self.problems.clone();
        let names: HashSet<&str> = self.names().collect();
        let checked = self.build_report();
        let specs: Vec<&ToolSpec> = self.tools.iter().map(|tool| &tool.about).collect();
        // On all cores, because the first check of a schema compiles it, and a client waits for
        // that.
        errors.extend(
            parallel::map_items(&specs, |about| check_tool(about, &names))
                .into_iter()
                .flatten(),
        );
        self.check_headings(&names, &mut errors);
        self.check_views(&names, &mut errors);
        #[cfg(feature = "code")]
        self.check_program_calls(&names, &mut errors);
        if let Some(budget) = self
            .info
            .budget
            .filter(|budget| checked.listing_tokens > *budget)
        {
            let fault = RegistryErrorKind::OverBudget {
                cost: checked.listing_tokens,
                budget,
            };
            errors.push(RegistryError {
                tool: String::new(),
                origin: String::new(),
                kind: fault,
            });
        }
        RegistryErrors::fail_if_any(errors).map(|()| checked)
    }

    fn build_report(&self) -> CheckReport {
        let examples = self.tools.iter().flat_map(|tool| {
            tool.about
                .usage
                .examples
                .iter()
                .map(|one| (&tool.about, one))
        });
        let classes: Vec<ExampleCheck> = examples
            .map(|(about, example)| ExampleCheck::classify(about, example))
            .collect();
        let count = |check: ExampleCheck| classes.iter().filter(|one| **one == check).count();
        CheckReport {
            tools: self.len(),
            examples: classes.len(),
            compiler_checked_examples: count(ExampleCheck::Compiler),
            unchecked_examples: count(ExampleCheck::Unchecked),
            listing_tokens: self.listing_tokens(),
        }
    }

    /// Estimates the cost of the minimal listing of these tools, in tokens.
    pub fn listing_tokens(&self) -> usize {
        listing_tokens(self.tools.iter().map(|tool| &tool.about))
    }
}

/// Estimates the cost of the minimal listing of these tools, in tokens.
pub(crate) fn listing_tokens<'a>(tools: impl Iterator<Item = &'a ToolSpec>) -> usize {
    tools
        .map(|about| listing_cost(&about.name, &about.summary, &about.annotations))
        .sum()
}

fn check_tool(about: &ToolSpec, names: &HashSet<&str>) -> Vec<RegistryError> {
    let mut errors: Vec<RegistryError> = about.problems.to_vec();
    let mut report = |fault| {
        errors.push(RegistryError {
            tool: about.name.to_string(),
            origin: about.origin.to_string(),
            kind: fault,
        });
    };
    if !is_tool_name(&about.name) {
        report(RegistryErrorKind::BadName);
    }
    check_summary(about, &mut report);
    check_related(about, names, &mut report);
    found_by::check(about, &mut report);
    check_input(about, &mut report);
    if let Some(Err(why)) = about.output_schema.as_deref().map(check_output) {
        report(RegistryErrorKind::BadSchema {
            which: "output",
            why,
        });
    }
    check_result_keys(about, &mut report);
    errors
}

fn check_result_keys(about: &ToolSpec, report: &mut impl FnMut(RegistryErrorKind)) {
    for result_key in about.declared.result_keys {
        if let Some(kind) = result_keys::impossible_kind(result_key) {
            let key = result_key.key.to_owned();
            let pairs = result_key.pairs.to_owned();
            report(RegistryErrorKind::ImpossibleResultMap { key, kind, pairs });
        }
    }
}

/// Returns an error if the schema is not valid.
fn check_output(schema: &JsonObject) -> Result<(), String> {
    CompiledSchema::new(&Value::Object(schema.clone())).map(drop)
}

pub(crate) fn check_related(
    about: &ToolSpec,
    names: &HashSet<&str>,
    report: &mut impl FnMut(RegistryErrorKind),
) {
    for related in about
        .discovery
        .related
        .iter()
        .filter(|related| !names.contains(related.as_ref()))
    {
        // Without its own name, so that a misspelled relation is not answered with a suggestion
        // that the tool relate to itself.
        let others = names
            .iter()
            .copied()
            .filter(|name| *name != about.name)
            .collect();
        let otherwise = if about.is_relayed() {
            "drop it from `related`"
        } else {
            "register it or drop it from `related`"
        };
        let hint = did_you_mean(related, &others, otherwise);
        report(RegistryErrorKind::UnknownRelated {
            related: related.to_string(),
            hint,
        });
    }
}

/// Returns a suggestion for an unknown tool, or `otherwise` if no name is close.
pub(crate) fn did_you_mean(unknown: &str, names: &HashSet<&str>, otherwise: &str) -> String {
    let mut known: Vec<_> = names.iter().copied().collect();
    // A hash set has no order, and the suggestion among equally close names must not differ from
    // run to run.
    known.sort_unstable();
    match nearest_tool(unknown, &known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; {otherwise}"),
    }
}

pub(crate) fn check_summary(about: &ToolSpec, report: &mut impl FnMut(RegistryErrorKind)) {
    let summary = about.summary.trim();
    let length = summary.chars().count();
    if summary.is_empty() {
        report(RegistryErrorKind::NoSummary);
    } else if summary.contains(['\n', '\r']) {
        report(RegistryErrorKind::SummaryLines);
    } else if length > about.summary_max {
        let fits = cut_at_word(summary, about.summary_max).to_owned();
        report(RegistryErrorKind::SummaryTooLong {
            over: length - about.summary_max,
            max: about.summary_max,
            fits,
        });
    }
}

fn check_input(about: &ToolSpec, report: &mut impl FnMut(RegistryErrorKind)) {
    if has_ticket_argument(about) {
        report(RegistryErrorKind::ReservedArgument);
    }
    let validator = match about.input.transient_validator() {
        Ok(validator) => validator,
        Err(why) => {
            return report(RegistryErrorKind::BadSchema {
                which: "input",
                why,
            });
        }
    };
    for map in map_keys::find(about)
        .into_iter()
        .filter(|map| !map.has_numbers())
    {
        report(RegistryErrorKind::ImpossibleMap {
            pointer: map.pointer,
            expected: map.expected,
        });
    }
    for (argument, value) in &about.input.defaults {
        // Each default is validated alone: other required arguments are missing here and must not
        // count.
        let alone = JsonObject::from_iter([(argument.clone(), value.clone())]);
        let validated = about
            .input
            .only(argument)
            .transient_validator()
            .map(|validator| validator.validate(alone));
        // An error of compilation is not reported again: the whole schema has compiled above.
        if let Ok(Err(invalid)) = validated {
            let why = invalid.violations.render();
            report(RegistryErrorKind::BadDefault {
                argument: argument.clone(),
                why,
            });
        }
    }
    // The types have already rejected some examples when the declaration was read. One error an
    // example is enough.
    let is_reported = |fault: &RegistryErrorKind| {
        about
            .problems
            .iter()
            .any(|known| known.kind.is_of_same_example(fault))
    };
    check_examples(about, &validator, &mut |fault| {
        if !is_reported(&fault) {
            report(fault);
        }
    });
}

pub(crate) fn check_examples(
    about: &ToolSpec,
    validator: &ArgumentValidator,
    report: &mut impl FnMut(RegistryErrorKind),
) {
    for (index, example) in about.usage.examples.iter().enumerate() {
        if let Err(why) = check_example(about, &example.input, validator) {
            report(RegistryErrorKind::BadExample {
                example: index + 1,
                why,
            });
        }
    }
}

/// Checks an example as a call would be checked: by the schema, by the arguments' types, and by the
/// columns.
fn check_example(
    about: &ToolSpec,
    example: &Value,
    validator: &ArgumentValidator,
) -> Result<(), String> {
    let Value::Object(input) = example else {
        return Err("an example is an object of arguments".to_owned());
    };
    // Completed first, because a call gets the defaults before it is validated.
    let completed = about.input.completed(input.clone());
    validator
        .validate(completed)
        .map_err(|invalid| invalid.violations.render())?;
    accepts(about, example).map_err(|error| error.message)?;
    match (&about.columns, ColumnSelection::take(&mut input.clone())) {
        (Some(columns), Some(choice)) => choice.check(columns),
        _ => Ok(()),
    }
}

/// Returns whether the tool has an argument with the name of the gate's own.
pub(crate) fn has_ticket_argument(about: &ToolSpec) -> bool {
    SchemaRef::document(&*about.input.schema)
        .property(TICKET_ARGUMENT)
        .is_some()
}

pub(crate) fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}
