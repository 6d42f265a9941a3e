//! Everything that generated code refers to. Nothing here is public API.

pub mod foreign;
#[cfg(not(all(feature = "export", feature = "lock", feature = "overlay")))]
pub mod missing_features;

use crate::{
    registry::{Registry, RegistryInfo, builder::RegistryBuilder, bundle::Bundle, group::Group},
    tool::{
        argument::Argument,
        error::ToolError,
        output::{IntoOutput, ToolResult},
        rows::{self, IntoRows},
        selected::{SelectableRow, Selected},
    },
};
use futures::future::BoxFuture;
use rmcp::model::JsonObject;
use serde_json::Value;

pub use core::{option::Option::Some, time::Duration};

pub use crate::{
    registry::{
        const_check::{
            ABSENT, NO_SUCH_TOOL, NoSuchTool, RegistryContents, contents, judge, judge_bundled,
            judge_name, within,
        },
        declaration::{Declaration, FreeTool, InModule, ToolKey, in_module, tool, tool_name},
        group::GroupNode,
    },
    tool::{
        argument::Args,
        context::CallContext,
        descriptor::{
            ArgumentFacts, DeclaredExample, DeclaredTool, DefaultValue, ResultKey, ToolAnnotations,
            ToolFacts, argument, facts, facts_of_rows,
        },
        doc_text::{check_read_text, check_unread_text},
        error::{ErrorHelp, ErrorMessage, IntoToolError, ToolError as Error, message},
        lint::Lint,
        read_trace::{ReadError, ReadTrace},
        shape::{
            ConstantBound, ConstantValue, Field, KeywordTarget, NOT_KNOWN, Shape, ShapeFallback,
            ShapeProbe, ToolArg, UnknownType, check_constant, check_default, check_error_code,
            check_example, check_field_key, check_keyword, check_map_key, check_one_of, check_root,
            check_wrapper,
        },
        state::{HandlerFuture, HandlerInput, NotShared, Provide, SharedState, shared_state},
        view::{ViewFacts, ViewOutput, Visibility, view},
    },
};

/// Boxes a handler's future.
pub fn run<'a, F: Future<Output = ToolResult> + Send + 'a>(future: F) -> BoxFuture<'a, ToolResult> {
    Box::pin(future)
}

/// Parses one argument.
pub fn take<T: Argument>(arguments: &mut JsonObject, name: &str) -> Result<T, ToolError> {
    T::take(arguments, name)
}

/// Parses the rows that a caller selected.
pub fn take_selected<T: SelectableRow>(
    arguments: &mut JsonObject,
) -> Result<Selected<T>, ToolError> {
    Selected::take(arguments, "")
}

/// Returns the facts of an argument for rows that are selected from another tool's.
pub const fn selected<T: SelectableRow>(name: &'static str) -> ArgumentFacts {
    argument::<Selected<T>>(name)
}

/// Turns what the function returned into the outcome of the call.
pub fn output<R: IntoOutput>(returned: R) -> ToolResult {
    returned.into_output()
}

/// Turns the rows that a selective function returned into the outcome of the call.
pub fn rows<R: IntoRows>(context: &CallContext, returned: R) -> ToolResult {
    rows::outcome(context, returned)
}

/// Converts a default value from one of the author's constants.
pub fn constant<T: serde::Serialize>(value: T) -> Result<Value, serde_json::Error> {
    serde_json::to_value(value)
}

/// The options at the top of a `registry!` literal.
#[derive(Debug, Clone, Copy)]
pub struct RegistryOptions {
    /// The server's name, `serverInfo.name`, if the literal sets it.
    pub name: Option<&'static str>,
    /// The server's version, `serverInfo.version`, if the literal sets it.
    pub version: Option<&'static str>,
    /// The name and version of the crate that contains the literal.
    pub package: (&'static str, &'static str),
    /// The server's instructions.
    pub instructions: &'static str,
    /// The limit on the estimated cost of the minimal listing, in tokens.
    pub budget: Option<usize>,
}

/// Returns the options of a `registry!` literal without options, in a crate of this name and
/// version.
pub const fn options(name: &'static str, version: &'static str) -> RegistryOptions {
    RegistryOptions {
        name: None,
        version: None,
        package: (name, version),
        instructions: "",
        budget: None,
    }
}

/// Builds the registry of a literal. `Registry::check` reports its errors.
pub fn registry<S: 'static, const N: usize>(
    options: RegistryOptions,
    nodes: [GroupNode<S>; N],
) -> Registry<S> {
    let info = RegistryInfo {
        // The name of a crate is a default: the name of the author's handler replaces it.
        name: options.name.unwrap_or(options.package.0).into(),
        has_own_name: options.name.is_some(),
        version: options.version.unwrap_or(options.package.1).into(),
        has_own_version: options.version.is_some(),
        instructions: options.instructions.into(),
        budget: options.budget,
        ..RegistryInfo::default()
    };
    RegistryBuilder::new(info, Vec::from(nodes)).freeze()
}

/// Builds a group of a literal.
pub fn group<S, const N: usize>(
    name: &'static str,
    summary: &'static str,
    instructions: &'static str,
    nodes: [GroupNode<S>; N],
) -> GroupNode<S> {
    GroupNode::Group(Group {
        nodes: Vec::from(nodes),
        ..Group::new(name, summary).instructions(instructions)
    })
}

/// Adds the bundles of a literal to its registry.
pub fn with_bundles<S, const N: usize>(registry: Registry<S>, bundles: [Bundle; N]) -> Registry<S> {
    Registry {
        bundles: Vec::from(bundles),
        ..registry
    }
}

/// Builds a bundle of a literal.
pub fn bundle<const N: usize>(
    name: &'static str,
    summary: &'static str,
    instructions: &'static str,
    tools: [&'static str; N],
) -> Bundle {
    Bundle::new(name, summary)
        .instructions(instructions)
        .tools(tools)
}
