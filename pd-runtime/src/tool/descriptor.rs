//! The facts about a declared tool, as const data in generated code. `registry::tool_spec` has the
//! owned form, which tools made at run time use, too.

use crate::tool::{
    argument::{Argument, ArgumentSchema},
    error::{ErrorHelp, ToolError},
    handler,
    lint::Lint,
    output::IntoOutput,
    read_trace::{ReadError, ReadTrace},
    rows::IntoRows,
    shape::Field,
    state::StateTypes,
    view::{ViewFacts, Visibility},
};
use rmcp::model::JsonObject;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use std::time::Duration;

/// A declared tool: the facts about one annotated function, and its handler.
///
/// `N` is the tuple of state types that the function borrows. With it, the compiler checks whether
/// the state of a registry can run the tool.
#[derive(Debug)]
pub struct DeclaredTool<N: StateTypes> {
    /// The facts about the tool.
    pub facts: ToolFacts,
    /// The code of the tool.
    pub handler: handler::DeclaredHandler<N>,
}

// A derive would require the state types in `N` to be `Copy`, too.
impl<N: StateTypes> Clone for DeclaredTool<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N: StateTypes> Copy for DeclaredTool<N> {}

/// The facts about a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolFacts {
    /// The name that callers use.
    pub name: &'static str,
    /// The display name, if it differs from `name`.
    pub title: Option<&'static str>,
    /// The purpose of the tool, in one line.
    pub summary: &'static str,
    /// The length limit of the summary, in characters.
    pub summary_max: usize,
    /// The instructions for use: the doc comment without its sections, in Markdown.
    pub description: &'static str,
    /// The arguments, in the order of the function's parameters.
    pub arguments: &'static [ArgumentFacts],
    /// The arguments with values that the macro could not validate in full, and the shapes that the
    /// compiler knows.
    pub unproven: &'static [Field],
    /// Returns the schema of structured results.
    pub output: fn(&mut SchemaGenerator) -> Option<Schema>,
    /// The keys of maps in the return type, for maps that the macro sees with a key type that it
    /// does not know.
    pub result_keys: &'static [ResultKey],
    /// Returns the schema of one row, as far as it is known. `None` unless the tool is selective.
    pub rows: Option<fn(&mut SchemaGenerator) -> Option<Schema>>,
    /// Worked examples of calls.
    pub examples: &'static [DeclaredExample],
    /// Typical uses: `usage_guidance.common_patterns` of the description.
    pub guidance: &'static [&'static str],
    /// Warnings and limits: `usage_guidance.important_notes` of the description.
    pub notes: &'static [&'static str],
    /// The errors that the tool's `# Errors` section selects. Their texts override the texts of the
    /// error type.
    pub errors: &'static [ErrorHelp],
    /// The errors of the return type.
    pub error_type: &'static [ErrorHelp],
    /// Names of tools that relate to this one.
    pub related: &'static [&'static str],
    /// Other words that a caller may use for the tool.
    pub aliases: &'static [&'static str],
    /// Requests that must find the tool. They are neither indexed nor sent.
    pub found_by: &'static [&'static str],
    /// Icons for the host's display, as JSON text in MCP's format.
    pub icons: &'static [&'static str],
    /// The tool annotations.
    pub hints: ToolAnnotations,
    /// The scopes that a principal needs.
    pub scopes: &'static [&'static str],
    /// Whether the tool list contains the full definition, so that calls need no disclosure.
    pub eager: bool,
    /// Whether a call needs the description, also if the list shows all arguments.
    pub read_first: bool,
    /// Whether the user is asked before each call.
    pub confirm: bool,
    /// Whether the function blocks, so that it runs on the blocking pool.
    pub blocking: bool,
    /// The longest duration of a call.
    pub timeout: Option<Duration>,
    /// The number of calls that may run at once.
    pub concurrency: Option<usize>,
    /// Why the tool is deprecated, and what to use instead.
    pub deprecated: Option<&'static str>,
    /// The style lints that the tool silences.
    pub allow: &'static [Lint],
    /// The page that hosts render for the tool's calls.
    pub view: Option<ViewFacts>,
    /// Who calls the tool, if it is not for both models and views.
    pub visibility: Option<Visibility>,
    /// Entries of the tool's `_meta`: keys with JSON text.
    pub meta: &'static [(&'static str, &'static str)],
    /// The source location of the function, for messages about the tool.
    pub location: &'static str,
}

/// The facts about one argument.
#[derive(Debug, Clone, Copy)]
pub struct ArgumentFacts {
    /// The argument's name in JSON.
    pub name: &'static str,
    /// The argument's own documentation. If it is empty, the documentation of its type applies.
    pub doc: &'static str,
    /// The value that the argument has when the caller leaves it out.
    pub default: Option<DefaultValue>,
    /// JSON Schema keywords from `#[arg]`, as the text of a JSON object. May be empty.
    pub keywords: &'static str,
    /// Returns the argument's part of the input schema.
    pub place: fn(&mut SchemaGenerator) -> ArgumentSchema,
    /// Takes the argument of this name out of the arguments, and returns an error if its type
    /// refuses the value.
    pub accepts: fn(&mut JsonObject, &str) -> Result<(), ToolError>,
    /// Returns every error that serde creates while it reads the argument of this name, or `None`
    /// without an error.
    pub trace: fn(&JsonObject, &str) -> Option<Vec<ReadError>>,
}

/// The key of a map in a return type.
#[derive(Debug, Clone, Copy)]
pub struct ResultKey {
    /// The key's type, as the author wrote it.
    pub key: &'static str,
    /// The type to write instead of the map.
    pub pairs: &'static str,
    /// Returns the schema of the key's type, if the type has one.
    pub schema: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// Returns every error that serde creates while it reads a key from a value. `None` if the key
    /// type cannot be deserialized.
    pub trace: Option<ReadTrace>,
}

/// A default value.
#[derive(Debug, Clone, Copy)]
pub enum DefaultValue {
    /// A literal, as JSON text.
    Literal(&'static str),
    /// A constant of the author, serialized at run time.
    Constant(fn() -> Result<Value, serde_json::Error>),
}

/// A worked example of a call.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredExample {
    /// The purpose of the example: the text before the code fence.
    pub description: &'static str,
    /// The arguments as the author wrote them, as JSON text.
    pub input: &'static str,
    /// Remarks on the example: the text after the code fence.
    pub explanation: &'static str,
}

/// MCP's tool annotations. A `None` is omitted from the definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ToolAnnotations {
    /// `readOnlyHint`: the tool changes nothing.
    pub read_only: Option<bool>,
    /// `destructiveHint`: the tool may delete or overwrite data.
    pub destructive: Option<bool>,
    /// `idempotentHint`: a second call with the same arguments has no further effect.
    pub idempotent: Option<bool>,
    /// `openWorldHint`: the tool reaches beyond the server's own domain.
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// No annotations.
    pub const NONE: Self = Self {
        read_only: None,
        destructive: None,
        idempotent: None,
        open_world: None,
    };

    /// Returns whether the tool may delete or overwrite data. One that declares nothing may (MCP,
    /// `ToolAnnotations`).
    pub(crate) fn may_destroy(&self) -> bool {
        self.read_only != Some(true) && self.destructive != Some(false)
    }
}

/// The default length limit of a summary, in characters. It is Delta-MCP's limit, which fits the
/// display of every host.
pub const SUMMARY_MAX: usize = 60;

/// Creates the facts of a tool that returns an `R`. Generated code overrides the fields that the
/// author sets.
pub const fn facts<R: IntoOutput>(name: &'static str) -> ToolFacts {
    ToolFacts {
        output: R::output_schema,
        error_type: R::ERRORS,
        ..bare_facts(name)
    }
}

/// Creates the facts of a selective tool that returns an `R`. Its results are text, so they have no
/// schema.
pub const fn facts_of_rows<R: IntoRows>(name: &'static str) -> ToolFacts {
    ToolFacts {
        rows: Some(R::row_schema),
        error_type: R::ERRORS,
        ..bare_facts(name)
    }
}

const fn bare_facts(name: &'static str) -> ToolFacts {
    ToolFacts {
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
        found_by: &[],
        icons: &[],
        hints: ToolAnnotations::NONE,
        scopes: &[],
        eager: false,
        read_first: false,
        confirm: false,
        blocking: false,
        timeout: None,
        concurrency: None,
        deprecated: None,
        allow: &[],
        view: None,
        visibility: None,
        meta: &[],
        location: "",
    }
}

/// Creates the facts of an argument of type `T`.
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
