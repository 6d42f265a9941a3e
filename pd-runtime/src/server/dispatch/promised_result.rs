//! Checks a result against the output schema that clients have read. Clients check it, too, and a
//! model then gets nothing at all.

use crate::{
    registry::tool_spec::ToolSpec,
    tool::{error::ToolError, output::ToolResult},
};
use pd_schema::CompiledSchema;
use rmcp::model::{CallToolResponse, CallToolResult};

/// Checks a result.
///
/// # Errors
///
/// Returns an error for the author, who reads it in a test or a log, and for the model, which then
/// knows that the call ran.
pub(super) fn check(result: &CallToolResult, promised: &CompiledSchema) -> Result<(), ToolError> {
    // Clients do not check errors: the schema describes the results of calls that succeed.
    if result.is_error == Some(true) {
        return Ok(());
    }
    let violations = match &result.structured_content {
        Some(value) => promised
            .validate(value, &[])
            .err()
            .map(|violations| violations.render()),
        None => Some("there is no structured content".to_owned()),
    };
    let Some(violations) = violations else {
        return Ok(());
    };
    let text = format!(
        "the call ran, and its result breaks the tool's own output schema, a defect of the server: {violations}"
    );
    Err(ToolError::new(ToolError::INTERNAL, text))
}

/// Checks the outcome of a call that code makes.
///
/// # Errors
///
/// Returns the errors of [`check`].
pub(super) fn check_outcome(outcome: ToolResult, about: &ToolSpec) -> ToolResult {
    if let Ok(CallToolResponse::Complete(result)) = &outcome
        && let Some(promised) = about.promised_result()
    {
        check(result, &promised)?;
    }
    outcome
}
