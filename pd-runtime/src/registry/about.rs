//! What is known of a tool, owned: from the const facts of a declaration, or told at run time. How its schemas come about
//! is in `schema`.

use super::{
    choice::Choice,
    columns::Columns,
    problem::{Fault, Problem},
    schema::{self, Input},
    selective,
};
use crate::{
    descriptor::{ArgumentFacts, Facts, Hints, SUMMARY_MAX},
    lint::Lint,
    shape,
    tool::error::{ErrorHelp, ToolError},
};
use rmcp::model::{Icon, JsonObject};
use serde_json::Value;
use std::{borrow::Cow, sync::Arc, time::Duration};

/// All that is known of a tool but how to run it.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) name: Cow<'static, str>,
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) summary: Cow<'static, str>,
    pub(crate) summary_max: usize,
    pub(crate) description: Cow<'static, str>,
    pub(crate) input: Input,
    /// The arguments' types, if it is declared: what is said later is held against them, too.
    pub(crate) arguments: &'static [ArgumentFacts],
    pub(crate) output_schema: Option<Arc<JsonObject>>,
    /// The columns of its rows, of which callers choose, if it is selective.
    pub(crate) columns: Option<Columns>,
    pub(crate) examples: Vec<Example>,
    pub(crate) guidance: Vec<Cow<'static, str>>,
    pub(crate) notes: Vec<Cow<'static, str>>,
    /// The errors that the description tells of.
    pub(crate) errors: Vec<ErrorHelp>,
    /// All that its error type knows, for when one happens.
    pub(crate) error_type: &'static [ErrorHelp],
    pub(crate) related: Vec<Cow<'static, str>>,
    pub(crate) aliases: Vec<Cow<'static, str>>,
    pub(crate) hints: Hints,
    pub(crate) scopes: Vec<Cow<'static, str>>,
    pub(crate) eager: bool,
    pub(crate) blocking: bool,
    /// How long a call may run.
    pub(crate) timeout: Option<Duration>,
    /// How many calls may run at once.
    pub(crate) concurrency: Option<usize>,
    pub(crate) deprecated: Option<Cow<'static, str>>,
    /// Why it cannot be called now, though it can be described.
    pub(crate) unavailable: Option<Cow<'static, str>>,
    /// The lints of taste that it silences.
    pub(crate) allow: Vec<Lint>,
    pub(crate) meta: JsonObject,
    /// What only a definition in MCP's own form has.
    pub(crate) icons: Option<Vec<Icon>>,
    pub(crate) annotations_title: Option<String>,
    /// Where it comes from, for messages.
    pub(crate) origin: Cow<'static, str>,
    /// Which declaration on which types it is, if it is declared: the same one met twice is one tool.
    pub(crate) declaration: Option<(&'static str, &'static str)>,
    /// What was found wrong while it was read; told when a registry is built.
    pub(crate) problems: Vec<Problem>,
}

/// A worked example of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Example {
    pub(crate) description: Cow<'static, str>,
    pub(crate) input: Value,
    pub(crate) explanation: Cow<'static, str>,
    /// Whether the compiler judged all of it.
    pub(crate) is_proven: bool,
}

impl About {
    pub(super) fn new(name: Cow<'static, str>, summary: Cow<'static, str>) -> Self {
        Self {
            name,
            summary,
            title: None,
            summary_max: SUMMARY_MAX,
            description: Cow::Borrowed(""),
            input: Input::anything(),
            arguments: &[],
            output_schema: None,
            columns: None,
            examples: Vec::new(),
            guidance: Vec::new(),
            notes: Vec::new(),
            errors: Vec::new(),
            error_type: &[],
            related: Vec::new(),
            aliases: Vec::new(),
            hints: Hints::NONE,
            scopes: Vec::new(),
            eager: false,
            blocking: false,
            timeout: None,
            concurrency: None,
            deprecated: None,
            unavailable: None,
            allow: Vec::new(),
            meta: JsonObject::new(),
            icons: None,
            annotations_title: None,
            origin: Cow::Borrowed(""),
            declaration: None,
            problems: Vec::new(),
        }
    }

    /// The owned form of const facts.
    pub(super) fn of_facts(facts: &Facts) -> Self {
        let mut about = Self::new(Cow::Borrowed(facts.name), Cow::Borrowed(facts.summary));
        about.origin = Cow::Borrowed(facts.location);
        about.title = facts.title.map(Cow::Borrowed);
        about.summary_max = facts.summary_max;
        about.description = Cow::Borrowed(facts.description);
        about.guidance = borrowed(facts.guidance);
        about.notes = borrowed(facts.notes);
        about.related = borrowed(facts.related);
        about.aliases = borrowed(facts.aliases);
        about.scopes = borrowed(facts.scopes);
        about.hints = facts.hints;
        about.eager = facts.eager;
        about.blocking = facts.blocking;
        about.timeout = facts.timeout;
        about.concurrency = facts.concurrency;
        about.deprecated = facts.deprecated.map(Cow::Borrowed);
        about.allow = facts.allow.to_vec();
        about.output_schema = schema::of_output(facts.output);
        about.arguments = facts.arguments;
        match schema::of_arguments(facts.arguments) {
            Ok(input) => about.input = input,
            Err(why) => about.found(Fault::BadSchema { which: "input", why }),
        }
        read_rows(facts, &mut about);
        read_errors(facts, &mut about);
        read_examples(facts, &mut about);
        read_meta(facts, &mut about);
        about
    }

    pub(super) fn found(&mut self, fault: Fault) {
        self.problems.push(Problem { tool: self.name.to_string(), origin: self.origin.to_string(), fault });
    }

    /// The help for an error, as the tool or else its error type tells it.
    pub(crate) fn help(&self, code: &str) -> Option<&ErrorHelp> {
        self.errors.iter().chain(self.error_type).find(|help| help.code == code)
    }

    /// The full description's text: the doc comment, or the summary where there is none.
    pub(crate) fn text(&self) -> &str {
        if self.description.is_empty() { &self.summary } else { &self.description }
    }
}

fn borrowed(texts: &[&'static str]) -> Vec<Cow<'static, str>> {
    texts.iter().copied().map(Cow::Borrowed).collect()
}

/// A selective tool takes which columns to show beside its own arguments.
fn read_rows(facts: &Facts, about: &mut About) {
    let Some(describe) = facts.rows else { return };
    let columns = match selective::of_rows(describe) {
        Ok(columns) => columns,
        Err(why) => {
            about.found(Fault::BadRows { why });
            Columns::default()
        }
    };
    for argument in selective::extend(&columns, &mut about.input) {
        about.found(Fault::SelectiveArgument { argument });
    }
    about.columns = Some(columns);
}

/// A tool's `# Errors` section selects codes of its error type and may override their texts; without one all stand.
fn read_errors(facts: &Facts, about: &mut About) {
    about.error_type = facts.error_type;
    if facts.errors.is_empty() {
        about.errors = facts.error_type.to_vec();
        return;
    }
    for told in facts.errors {
        match selected(told, facts.error_type) {
            Ok(help) => about.errors.push(help),
            Err(fault) => about.found(fault),
        }
    }
}

/// The help for one error, with what it leaves out from the error type.
///
/// # Errors
///
/// There is an error type, and it lacks the code.
pub(crate) fn selected(told: &ErrorHelp, error_type: &[ErrorHelp]) -> Result<ErrorHelp, Fault> {
    let known = error_type.iter().find(|help| help.code == told.code);
    if known.is_none() && !error_type.is_empty() {
        let known = error_type.iter().map(|help| help.code.to_string()).collect();
        return Err(Fault::UnknownErrorCode { code: told.code.to_string(), known });
    }
    let inherit = |own: &Cow<'static, str>, of_type: Option<&Cow<'static, str>>| match of_type {
        Some(text) if own.is_empty() => text.clone(),
        _ => own.clone(),
    };
    Ok(ErrorHelp {
        code: told.code.clone(),
        cause: inherit(&told.cause, known.map(|help| &help.cause)),
        solution: inherit(&told.solution, known.map(|help| &help.solution)),
    })
}

fn read_examples(facts: &Facts, about: &mut About) {
    for (index, example) in facts.examples.iter().enumerate() {
        match serde_json::from_str(example.input) {
            Ok(input) => {
                if let Err(error) = accepts(about, &input) {
                    about.found(Fault::BadExample { example: index + 1, why: error.message });
                }
                let is_proven = is_proven(facts, about, example.input, &input);
                about.examples.push(Example {
                    description: Cow::Borrowed(example.description),
                    input,
                    explanation: Cow::Borrowed(example.explanation),
                    is_proven,
                });
            }
            Err(error) => {
                about.found(Fault::BadExample { example: index + 1, why: format!("it is not JSON: {error}") })
            }
        }
    }
}

/// Whether the compiler judged all arguments of the function.
fn is_proven(facts: &Facts, about: &About, text: &str, input: &Value) -> bool {
    match input {
        Value::Object(input) if about.columns.is_some() => {
            let mut own = input.clone();
            Choice::take(&mut own);
            shape::is_proven(facts.unproven, &Value::Object(own).to_string())
        }
        _ => shape::is_proven(facts.unproven, text),
    }
}

/// Takes every argument of an example with the types that a call would take it with.
pub(super) fn accepts(about: &About, input: &Value) -> Result<(), ToolError> {
    let Value::Object(input) = input else {
        return Err(ToolError::invalid_argument("", "an example is an object of arguments"));
    };
    let mut given = input.clone();
    if about.columns.is_some() {
        Choice::take(&mut given);
    }
    for argument in about.arguments {
        let is_given = given.get(argument.name).is_some_and(|value| !value.is_null());
        if argument.default.is_none() || is_given {
            (argument.accepts)(&mut given, argument.name)?;
        }
    }
    Ok(())
}

fn read_meta(facts: &Facts, about: &mut About) {
    for (key, text) in facts.meta {
        match serde_json::from_str(text) {
            Ok(value) => drop(about.meta.insert((*key).to_owned(), value)),
            Err(error) => about.found(Fault::BadMeta { key: (*key).to_owned(), why: error.to_string() }),
        }
    }
}
