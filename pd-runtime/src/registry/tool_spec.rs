//! What is known of a tool, owned: from the const facts of a declaration, or told at run time. How its schemas come about
//! is in `schema`.

use super::{
    problem::{Fault, Problem},
    schema::Input,
    selective::columns::Columns,
};
use crate::tool::{
    descriptor::{ArgumentFacts, Hints, ResultKey, SUMMARY_MAX},
    error::ErrorHelp,
    lint::Lint,
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
    /// The keys of maps in its return type that `check` judges.
    pub(crate) result_keys: &'static [ResultKey],
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
    /// Icons that hosts display.
    pub(crate) icons: Option<Vec<Icon>>,
    /// The title that only a definition in MCP's own form has.
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
            result_keys: &[],
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
