//! What is said about a declared tool, as plain const data that generated code writes down.
//! The owned form that run-time tools share with it is in `registry::about`.

use crate::tool::{
    argument::{Argument, Place},
    error::{ErrorHelp, ToolError},
    handler,
    lint::Lint,
    output::IntoOutput,
    read_trace::ReadError,
    rows::IntoRows,
    shape::Field,
    state::Needs,
};
use rmcp::model::JsonObject;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use std::time::Duration;

/// One annotated function: the facts about it and how to run it.
///
/// `N` is the tuple of state types it borrows, so that a registry knows at compile time which state can run it.
#[derive(Debug)]
pub struct Declared<N: Needs> {
    /// What is said about it.
    pub facts: Facts,
    /// How it is run.
    pub handler: handler::Declared<N>,
}

// A derive would ask for state that is `Copy`.
impl<N: Needs> Clone for Declared<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N: Needs> Copy for Declared<N> {}

/// What is said about a tool.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// The name callers use.
    pub name: &'static str,
    /// A display name.
    pub title: Option<&'static str>,
    /// What the tool does, in one line.
    pub summary: &'static str,
    /// The longest summary allowed, in characters.
    pub summary_max: usize,
    /// How to use it: the doc comment without its sections, in Markdown.
    pub description: &'static str,
    /// The arguments, in the function's order.
    pub arguments: &'static [ArgumentFacts],
    /// Those of them whose values the macro could not judge in full, with what the compiler knows of their types.
    pub unproven: &'static [Field],
    /// The schema of structured results.
    pub output: fn(&mut SchemaGenerator) -> Option<Schema>,
    /// Keys of maps in the return type, as far as the macro sees the maps and does not know the keys.
    pub result_keys: &'static [ResultKey],
    /// The schema of one row, as far as it is known, if the tool is selective.
    pub rows: Option<fn(&mut SchemaGenerator) -> Option<Schema>>,
    /// Worked examples.
    pub examples: &'static [Example],
    /// `usage_guidance.common_patterns`.
    pub guidance: &'static [&'static str],
    /// `usage_guidance.important_notes`.
    pub notes: &'static [&'static str],
    /// The errors that the tool's `# Errors` section selects; their texts override those of the error type.
    pub errors: &'static [ErrorHelp],
    /// The errors of the return type.
    pub error_type: &'static [ErrorHelp],
    /// Names of tools worth knowing beside this one.
    pub related: &'static [&'static str],
    /// Other words a caller may use for the tool.
    pub aliases: &'static [&'static str],
    /// Icons for the host's display, as JSON text in MCP's own form.
    pub icons: &'static [&'static str],
    /// Hints to the host.
    pub hints: Hints,
    /// Scopes that a principal needs.
    pub scopes: &'static [&'static str],
    /// Whether the full definition stands in the listing and no disclosure is needed.
    pub eager: bool,
    /// Whether the function blocks and runs on the blocking pool.
    pub blocking: bool,
    /// How long a call may run.
    pub timeout: Option<Duration>,
    /// How many calls may run at once.
    pub concurrency: Option<usize>,
    /// Why, and in favour of what, the tool is deprecated.
    pub deprecated: Option<&'static str>,
    /// The lints of taste that it silences.
    pub allow: &'static [Lint],
    /// `_meta` entries: key and JSON text.
    pub meta: &'static [(&'static str, &'static str)],
    /// Where the function stands, for messages about it.
    pub location: &'static str,
}

/// What is said about one argument.
#[derive(Debug, Clone, Copy)]
pub struct ArgumentFacts {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its own documentation; empty means that its type's serves.
    pub doc: &'static str,
    /// The value of an argument that the caller leaves out.
    pub default: Option<Preset>,
    /// JSON Schema keywords from `#[arg]`, as the text of an object; may be empty.
    pub keywords: &'static str,
    /// How its type describes itself.
    pub place: fn(&mut SchemaGenerator) -> Place,
    /// Whether its type accepts the argument called so, which it takes.
    pub accepts: fn(&mut JsonObject, &str) -> Result<(), ToolError>,
    /// Every error that serde creates while it reads the argument called so, or `None` without an error.
    pub trace: fn(&JsonObject, &str) -> Option<Vec<ReadError>>,
}

/// The key of a map in a return type.
#[derive(Debug, Clone, Copy)]
pub struct ResultKey {
    /// The key's type, as the author wrote it.
    pub key: &'static str,
    /// What to write instead of the map.
    pub pairs: &'static str,
    /// How the key's type describes itself, if it does.
    pub schema: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// Every error that serde creates while it reads a key from a value, if keys can be read.
    pub trace: Option<fn(&Value) -> Option<Vec<ReadError>>>,
}

/// A default value.
#[derive(Debug, Clone, Copy)]
pub enum Preset {
    /// A literal, as JSON text.
    Literal(&'static str),
    /// A constant of the author's.
    Constant(fn() -> Result<Value, serde_json::Error>),
}

/// A worked example of a call.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// What it shows: the text before the fence.
    pub description: &'static str,
    /// The arguments, as the author wrote them: JSON text.
    pub input: &'static str,
    /// What to notice: the text after the fence.
    pub explanation: &'static str,
}

/// MCP's tool annotations; `None` is left out on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    /// `readOnlyHint`: the tool changes nothing.
    pub read_only: Option<bool>,
    /// `destructiveHint`: the tool may destroy what is there.
    pub destructive: Option<bool>,
    /// `idempotentHint`: calling it twice is like calling it once.
    pub idempotent: Option<bool>,
    /// `openWorldHint`: the tool reaches beyond the server's own domain.
    pub open_world: Option<bool>,
}

impl Hints {
    /// No hint at all.
    pub const NONE: Self = Self { read_only: None, destructive: None, idempotent: None, open_world: None };
}

/// The property that the gate adds to a disclosed input schema where the protocol has no sessions. Arguments may not be
/// called so.
pub(crate) const TICKET_ARGUMENT: &str = "disclosure_ticket";

/// The longest summary by default, in characters (Delta-MCP's cap, which reads well in every host).
pub const SUMMARY_MAX: usize = 60;

/// The facts of a tool called `name` that returns an `R`; generated code overrides what the author said.
pub const fn facts<R: IntoOutput>(name: &'static str) -> Facts {
    Facts { output: R::output_schema, error_type: R::ERRORS, ..bare_facts(name) }
}

/// The same of a selective tool that returns an `R`. What it sends is text, so its results have no schema.
pub const fn facts_of_rows<R: IntoRows>(name: &'static str) -> Facts {
    Facts { rows: Some(R::row_schema), error_type: R::ERRORS, ..bare_facts(name) }
}

const fn bare_facts(name: &'static str) -> Facts {
    Facts {
        name,
        title: None,
        summary: "",
        summary_max: SUMMARY_MAX,
        description: "",
        arguments: &[],
        unproven: &[],
        output: |_| None,
        result_keys: &[],
        rows: None,
        examples: &[],
        guidance: &[],
        notes: &[],
        errors: &[],
        error_type: &[],
        related: &[],
        aliases: &[],
        icons: &[],
        hints: Hints::NONE,
        scopes: &[],
        eager: false,
        blocking: false,
        timeout: None,
        concurrency: None,
        deprecated: None,
        allow: &[],
        meta: &[],
        location: "",
    }
}

/// The facts of an argument of type `T`.
pub const fn argument<T: Argument>(name: &'static str) -> ArgumentFacts {
    ArgumentFacts {
        name,
        doc: "",
        default: None,
        keywords: "",
        place: T::place,
        accepts: accepts::<T>,
        trace: T::trace,
    }
}

fn accepts<T: Argument>(arguments: &mut JsonObject, name: &str) -> Result<(), ToolError> {
    T::take(arguments, name).map(drop)
}
