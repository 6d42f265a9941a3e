//! All that generated code may name. Nothing here is public API.

use crate::tool::{
    argument::Argument,
    error::ToolError,
    output::{IntoOutput, Outcome},
};
use futures::future::BoxFuture;
use rmcp::model::JsonObject;
use serde_json::Value;

pub use crate::{
    descriptor::{ArgumentFacts, Declared, Example, Facts, Hints, Preset, argument, facts},
    tool::{
        argument::Args,
        context::CallContext,
        error::{ErrorHelp, IntoToolError, ToolError as Error},
        state::{Borrowed, Provide},
    },
};

/// Boxes a handler's future.
pub fn run<'a, F: Future<Output = Outcome> + Send + 'a>(future: F) -> BoxFuture<'a, Outcome> {
    Box::pin(future)
}

/// Takes one argument.
pub fn take<T: Argument>(arguments: &mut JsonObject, name: &str) -> Result<T, ToolError> {
    T::take(arguments, name)
}

/// Turns what the function returned into the outcome of the call.
pub fn output<R: IntoOutput>(returned: R) -> Outcome {
    returned.into_output()
}

/// A default value that is a constant of the author's.
pub fn constant<T: serde::Serialize>(value: T) -> Result<Value, serde_json::Error> {
    serde_json::to_value(value)
}

/// What stands at the top of a `registry!` literal.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The server's name: `serverInfo.name`.
    pub name: &'static str,
    /// The server's version: `serverInfo.version`.
    pub version: &'static str,
    /// The server's instructions.
    pub instructions: &'static str,
    /// The most tokens that the minimal listing may cost (estimate).
    pub budget: Option<usize>,
}
