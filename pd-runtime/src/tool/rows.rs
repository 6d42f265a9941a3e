//! Return types of selective tools: rows. `server::dispatch` decides which of their columns a
//! caller receives.

use super::{
    context::CallContext,
    error::{ErrorHelp, IntoToolError, ToolError},
    output::{Json, StructuredOutput, ToolResult},
};
use crate::{
    selective::table::{Table, TableError},
    text::finite,
};
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::{Schema, SchemaGenerator};

/// A type that a selective tool may return: rows from which callers choose columns.
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
    /// The errors that a value of this type can contain, with help for each.
    const ERRORS: &'static [ErrorHelp] = &[];

    /// Returns the schema of one row, or `None` if the type does not determine the columns.
    fn row_schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    /// Returns the rows.
    ///
    /// # Errors
    ///
    /// Returns an error if the tool failed, or if its result is not a table.
    fn into_rows(self) -> Result<Table, ToolError>;

    /// Returns all rows with all columns, as JSON, for a caller that chose no columns.
    ///
    /// # Errors
    ///
    /// Returns an error if the tool failed, or if its result cannot be serialized as JSON.
    fn into_text(self) -> Result<String, ToolError>;
}

impl<T: StructuredOutput> IntoRows for Json<Vec<T>> {
    fn row_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(T::json_schema(generator))
    }

    fn into_rows(self) -> Result<Table, ToolError> {
        Table::from_rows(self.0).map_err(no_table)
    }

    fn into_text(self) -> Result<String, ToolError> {
        // serde_json would write NaN as `null`, which a reader takes for a missing value.
        finite::to_string(&self.0).map_err(|error| {
            ToolError::new(
                ToolError::INTERNAL,
                format!("the result cannot be written as JSON: {error}"),
            )
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
    ToolError::new(
        ToolError::INTERNAL,
        format!("the result is not a table: {error}"),
    )
}

/// Returns the outcome of a selective tool. It contains the rows as text. If the caller chose
/// columns, it is empty, and the rows wait in the call's context.
pub(crate) fn outcome<R: IntoRows>(context: &CallContext, returned: R) -> ToolResult {
    // The table is built only if columns were chosen. Any other call serializes the rows directly.
    let blocks = match context.tray() {
        Some(tray) => {
            // The blocks stay empty: dispatch writes the text once it has divided the columns.
            tray.put(returned.into_rows()?);
            Vec::new()
        }
        None => vec![ContentBlock::text(returned.into_text()?)],
    };
    Ok(CallToolResult::success(blocks).into())
}
