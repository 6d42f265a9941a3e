//! What a selective tool returns: rows. Which of their columns a caller is shown is decided in `dispatch`.

use super::{
    context::CallContext,
    error::{ErrorHelp, IntoToolError, ToolError},
    output::{Json, Outcome, Structured},
};
use crate::selective::table::{Table, TableError};
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::{Schema, SchemaGenerator};

/// A type that a selective tool may return: rows of which callers choose the columns that they are shown.
///
/// See [`selective`](crate::selective).
#[diagnostic::on_unimplemented(
    message = "a selective tool cannot return `{Self}`",
    label = "no rows",
    note = "return `Json<Vec<T>>`, where `T` is a struct with `#[derive(serde::Serialize, schemars::JsonSchema)]`, a `Table`, or a \
            `Result` of one of these",
    note = "or remove `selective`"
)]
pub trait IntoRows: Sized {
    /// The errors that a value of this type can be, with help for each.
    const ERRORS: &'static [ErrorHelp] = &[];

    /// The schema of one row, where its type tells which columns there are.
    fn row_schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    /// The rows.
    ///
    /// # Errors
    ///
    /// The tool failed, or what it returned is no table.
    fn into_rows(self) -> Result<Table, ToolError>;

    /// All rows with all columns, as JSON: what a caller is sent who chose nothing.
    ///
    /// # Errors
    ///
    /// The tool failed, or what it returned cannot be written as JSON.
    fn into_text(self) -> Result<String, ToolError>;
}

impl<T: Structured> IntoRows for Json<Vec<T>> {
    fn row_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(T::json_schema(generator))
    }

    fn into_rows(self) -> Result<Table, ToolError> {
        Table::of(self.0).map_err(no_table)
    }

    fn into_text(self) -> Result<String, ToolError> {
        serde_json::to_string(&self.0).map_err(|error| {
            ToolError::new(ToolError::INTERNAL, format!("the result cannot be written as JSON: {error}"))
        })
    }
}

impl IntoRows for Table {
    fn into_rows(self) -> Result<Table, ToolError> {
        Ok(self)
    }

    fn into_text(self) -> Result<String, ToolError> {
        let mut text = String::new();
        self.write_plain(&mut text);
        Ok(text)
    }
}

impl<T: IntoRows, E: IntoToolError> IntoRows for Result<T, E> {
    const ERRORS: &'static [ErrorHelp] = E::HELP;

    fn row_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        T::row_schema(generator)
    }

    fn into_rows(self) -> Result<Table, ToolError> {
        self.map_err(E::into_tool_error)?.into_rows()
    }

    fn into_text(self) -> Result<String, ToolError> {
        self.map_err(E::into_tool_error)?.into_text()
    }
}

fn no_table(error: TableError) -> ToolError {
    ToolError::new(ToolError::INTERNAL, format!("the result is no table: {error}"))
}

/// The outcome of a selective tool: its rows as text, once; or nothing yet, where the caller chose columns, and the rows wait
/// in the call's context.
pub(crate) fn outcome<R: IntoRows>(context: &CallContext, returned: R) -> Outcome {
    let blocks = match context.tray() {
        Some(tray) => {
            tray.put(returned.into_rows()?);
            Vec::new()
        }
        None => vec![ContentBlock::text(returned.into_text()?)],
    };
    Ok(CallToolResult::success(blocks).into())
}
