//! Converts the const facts of a declared tool into an owned `ToolSpec`, and records what is wrong
//! with them.

use super::{
    column_arguments,
    problem::RegistryErrorKind,
    schema,
    selective::{column_selection::ColumnSelection, columns::RowColumns},
    tool_parts::{HostFacts, ToolExample},
    tool_spec::ToolSpec,
    view::View,
};
use crate::tool::{
    descriptor::ToolFacts,
    error::{ErrorHelp, ToolError},
    shape,
};

use rmcp::model::Icon;
use serde_json::Value;
use std::{borrow::Cow, sync::Arc};

impl ToolSpec {
    /// Converts const facts. Errors are stored in `problems`, because declarations are infallible;
    /// `check` reports them.
    pub(super) fn from_facts(facts: &ToolFacts) -> Self {
        let mut about = Self::new(Cow::Borrowed(facts.name), Cow::Borrowed(facts.summary));
        about.origin = Cow::Borrowed(facts.location);
        about.title = facts.title.map(Cow::Borrowed);
        about.summary_max = facts.summary_max;
        about.description = Cow::Borrowed(facts.description);
        about.usage.guidance = borrowed(facts.guidance);
        about.usage.notes = borrowed(facts.notes);
        about.discovery.related = borrowed(facts.related);
        about.discovery.aliases = borrowed(facts.aliases);
        about.discovery.found_by = borrowed(facts.found_by);
        if !facts.scopes.is_empty() || facts.concurrency.is_some() {
            about.rules.scopes = borrowed(facts.scopes);
            about.rules.concurrency = facts.concurrency;
        }
        about.annotations = facts.hints;
        about.eager = facts.eager;
        about.read_first = facts.read_first;
        about.confirm = facts.confirm;
        about.blocking = facts.blocking;
        about.timeout = facts.timeout;
        about.usage.deprecated = facts.deprecated.map(Cow::Borrowed);
        about.allow = facts.allow.to_vec();
        about.output_schema = schema::output_schema(facts.output);
        about.declared.result_keys = facts.result_keys;
        about.declared.arguments = facts.arguments;
        match schema::input_schema(facts.arguments) {
            Ok(input) => about.input = input,
            Err(why) => about.report(RegistryErrorKind::BadSchema {
                which: "input",
                why,
            }),
        }
        // Rows come first: they add arguments to the input schema, and examples may use those.
        read_rows(facts, &mut about);
        read_errors(facts, &mut about);
        read_examples(facts, &mut about);
        about.set_host_facts(HostFacts {
            icons: read_icons(facts),
            view: facts.view.as_ref().map(View::from_facts).map(Arc::new),
            visibility: facts.visibility,
            ..HostFacts::default()
        });
        read_meta(facts, &mut about);
        about.write_app_meta();
        about
    }
}

fn borrowed(texts: &[&'static str]) -> Vec<Cow<'static, str>> {
    texts.iter().copied().map(Cow::Borrowed).collect()
}

/// Reads the columns of a selective tool's rows, and adds the arguments that select among them.
fn read_rows(facts: &ToolFacts, about: &mut ToolSpec) {
    let Some(describe) = facts.rows else { return };
    let columns = match column_arguments::row_columns(describe) {
        Ok(columns) => columns,
        Err(why) => {
            // An empty, open set of columns keeps the tool selective, so that later checks see the
            // same arguments.
            about.report(RegistryErrorKind::BadRows { why });
            RowColumns::default()
        }
    };
    for argument in column_arguments::add_arguments(&columns, &mut about.input) {
        about.report(RegistryErrorKind::SelectiveArgument { argument });
    }
    about.columns = Some(Box::new(columns));
}

/// Reads the documented errors. A tool's `# Errors` section selects codes of its error type and may
/// override their texts. Without that section the tool documents all codes of the type.
fn read_errors(facts: &ToolFacts, about: &mut ToolSpec) {
    about.declared.error_type = facts.error_type;
    if facts.errors.is_empty() {
        about.usage.errors = facts.error_type.to_vec();
        return;
    }
    for documented in facts.errors {
        match resolve_error_help(documented, facts.error_type) {
            Ok(help) => about.usage.errors.push(help),
            Err(fault) => about.report(fault),
        }
    }
}

/// Returns the help for one documented error. Texts that the tool leaves empty come from its error
/// type.
///
/// # Errors
///
/// Returns [`RegistryErrorKind::UnknownErrorCode`] if the tool has an error type, and the type
/// lacks the code.
pub(crate) fn resolve_error_help(
    documented: &ErrorHelp,
    error_type: &[ErrorHelp],
) -> Result<ErrorHelp, RegistryErrorKind> {
    let known = error_type.iter().find(|help| help.code == documented.code);
    // Without an error type no list of codes exists to check against, so any code is accepted.
    if known.is_none() && !error_type.is_empty() {
        let known = error_type
            .iter()
            .map(|help| help.code.to_string())
            .collect();
        return Err(RegistryErrorKind::UnknownErrorCode {
            code: documented.code.to_string(),
            known,
        });
    }
    let inherit = |own: &Cow<'static, str>, of_type: Option<&Cow<'static, str>>| match of_type {
        Some(text) if own.is_empty() => text.clone(),
        _ => own.clone(),
    };
    Ok(ErrorHelp {
        code: documented.code.clone(),
        cause: inherit(&documented.cause, known.map(|help| &help.cause)),
        solution: inherit(&documented.solution, known.map(|help| &help.solution)),
    })
}

fn read_examples(facts: &ToolFacts, about: &mut ToolSpec) {
    for (index, example) in facts.examples.iter().enumerate() {
        match serde_json::from_str(example.input) {
            Ok(input) => {
                if let Err(error) = accepts(about, &input) {
                    about.report(RegistryErrorKind::BadExample {
                        example: index + 1,
                        why: error.message,
                    });
                }
                let is_proven = is_proven(facts, about, example.input, &input);
                about.usage.examples.push(ToolExample {
                    description: Cow::Borrowed(example.description),
                    input,
                    explanation: Cow::Borrowed(example.explanation),
                    is_proven,
                });
            }
            Err(error) => about.report(RegistryErrorKind::BadExample {
                example: index + 1,
                why: format!("it is not JSON: {error}"),
            }),
        }
    }
}

/// Returns whether the compiler checked all of the function's own arguments in this example.
fn is_proven(facts: &ToolFacts, about: &ToolSpec, text: &str, input: &Value) -> bool {
    match input {
        Value::Object(input) if about.columns.is_some() => {
            let mut own = input.clone();
            // The compiler never sees the arguments that select columns, so the proof is about the
            // rest.
            ColumnSelection::take(&mut own);
            shape::is_proven(facts.unproven, &Value::Object(own).to_string())
        }
        _ => shape::is_proven(facts.unproven, text),
    }
}

/// Parses every argument of an example with the types that a call would parse it with.
pub(super) fn accepts(about: &ToolSpec, input: &Value) -> Result<(), ToolError> {
    let Value::Object(input) = input else {
        return Err(ToolError::invalid_argument(
            "",
            "an example is an object of arguments",
        ));
    };
    let mut arguments = input.clone();
    // The function does not have these arguments, so its types cannot read them.
    if about.columns.is_some() {
        ColumnSelection::take(&mut arguments);
    }
    for argument in about.declared.arguments {
        // A missing or `null` argument gets its default in a call, and the default was checked on
        // its own.
        let is_present = arguments
            .get(argument.name)
            .is_some_and(|value| !value.is_null());
        if argument.default.is_none() || is_present {
            (argument.accepts)(&mut arguments, argument.name)?;
        }
    }
    Ok(())
}

/// Parses the icons. The macro has checked them, so an unreadable one is skipped without an error.
fn read_icons(facts: &ToolFacts) -> Option<Vec<Icon>> {
    let icons: Vec<_> = facts
        .icons
        .iter()
        .filter_map(|icon| serde_json::from_str(icon).ok())
        .collect();
    (!icons.is_empty()).then_some(icons)
}

fn read_meta(facts: &ToolFacts, about: &mut ToolSpec) {
    for (key, text) in facts.meta {
        match serde_json::from_str(text) {
            Ok(value) => drop(about.host.meta.insert((*key).to_owned(), value)),
            Err(error) => about.report(RegistryErrorKind::BadMeta {
                key: (*key).to_owned(),
                why: error.to_string(),
            }),
        }
    }
}
