//! Return types of tools. `server::dispatch` finishes a result for one caller.

use super::error::{ErrorHelp, IntoToolError, ToolError};
use crate::{selective::table::Table, text::finite};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::borrow::Cow;

/// A structured result. The type determines the tool's `outputSchema`, the value the result's
/// `structuredContent`.
///
/// The value is also sent as text, as MCP requires for clients that do not read structured content.
/// Before MCP 2026-07-28 structured content must be an object, so a value of any other shape is
/// sent to such clients as `{"result": value}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Json<T>(pub T);

/// The result of one run of a tool.
pub type ToolResult = Result<CallToolResponse, ToolError>;

/// A type that a tool may return.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a tool result",
    note = "structured data is wrapped: `Json<{Self}>`",
    note = "that is pd_runtime's `Json`; write it in place of rmcp's",
    note = "or return `()`, a string, `ContentBlock` or `Vec<ContentBlock>` for other content, rmcp's `CallToolResult` or \
            `CallToolResponse`, or a `Result` of one of these"
)]
pub trait IntoOutput {
    /// The errors that a value of this type can contain, with help for each.
    const ERRORS: &'static [ErrorHelp] = &[];

    /// Returns the schema of the structured content, or `None` if the result has none.
    fn output_schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    /// Converts the value into the outcome of a call.
    fn into_output(self) -> ToolResult;
}

/// Data that a tool may return as [`Json`].
///
/// Implemented for every type that is `Serialize + JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `Json<{Self}>`",
    label = "`{Self}` cannot be written as JSON with a schema",
    note = "`{Self}`, or what is in it, needs `#[derive(serde::Serialize, schemars::JsonSchema)]`",
    note = "a type of another crate needs its feature `serde` and one of schemars, such as `uuid1`, `url2`, `jiff02` or `chrono04`"
)]
pub trait StructuredOutput: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> StructuredOutput for T {}

fn content(blocks: Vec<ContentBlock>) -> ToolResult {
    Ok(CallToolResult::success(blocks).into())
}

/// Returns the text "Done.", because some hosts treat empty content as a failure.
impl IntoOutput for () {
    fn into_output(self) -> ToolResult {
        content(vec![ContentBlock::text("Done.")])
    }
}

macro_rules! text_outputs {
    ($($text:ty),*) => {$(
        impl IntoOutput for $text {
            fn into_output(self) -> ToolResult {
                content(vec![ContentBlock::text(self)])
            }
        }
    )*};
}
text_outputs!(String, &'static str);

impl IntoOutput for Cow<'static, str> {
    fn into_output(self) -> ToolResult {
        // `ContentBlock` owns its text, so a borrowed text is copied in any case.
        self.into_owned().into_output()
    }
}

/// Returns all rows with all columns, as JSON. Callers choose columns only if the tool is
/// [`selective`](crate::selective).
impl IntoOutput for Table {
    fn into_output(self) -> ToolResult {
        let mut text = String::new();
        self.write_plain(&mut text);
        text.into_output()
    }
}

impl IntoOutput for ContentBlock {
    fn into_output(self) -> ToolResult {
        content(vec![self])
    }
}

impl IntoOutput for Vec<ContentBlock> {
    fn into_output(self) -> ToolResult {
        content(self)
    }
}

impl<T: StructuredOutput> IntoOutput for Json<T> {
    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(T::json_schema(generator))
    }

    fn into_output(self) -> ToolResult {
        // One path for both forms, so that they cannot differ in their text block.
        (self, Vec::new()).into_output()
    }
}

/// Structured data with images or other content beside it.
impl<T: StructuredOutput> IntoOutput for (Json<T>, Vec<ContentBlock>) {
    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(T::json_schema(generator))
    }

    fn into_output(self) -> ToolResult {
        let (Json(value), beside) = self;
        let value = finite::to_value(&value).map_err(|error| unwritable(&error))?;
        let mut result = CallToolResult::structured(value);
        result.content.extend(beside);
        // `structured` adds the value as a text block, too, so the other content follows that
        // block.
        Ok(result.into())
    }
}

/// Creates the error for a result that serde_json cannot serialize. The tool author reads it in a
/// log or a test. The usual cause is a map with keys that are not strings.
fn unwritable(error: &serde_json::Error) -> ToolError {
    let message = error.to_string();
    // serde_json has no kind of error for this case, so the text decides.
    let hint = if message.contains("key must be a string") {
        "; return a list of pairs in place of that map"
    } else {
        ""
    };
    ToolError::new(
        ToolError::INTERNAL,
        format!("the result cannot be written as JSON: {message}{hint}"),
    )
}

impl IntoOutput for CallToolResult {
    fn into_output(self) -> ToolResult {
        Ok(self.into())
    }
}

impl IntoOutput for InputRequiredResult {
    fn into_output(self) -> ToolResult {
        Ok(self.into())
    }
}

impl IntoOutput for CallToolResponse {
    fn into_output(self) -> ToolResult {
        Ok(self)
    }
}

impl<T: IntoOutput, E: IntoToolError> IntoOutput for Result<T, E> {
    const ERRORS: &'static [ErrorHelp] = E::HELP;

    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        T::output_schema(generator)
    }

    fn into_output(self) -> ToolResult {
        self.map_err(E::into_tool_error)?.into_output()
    }
}
