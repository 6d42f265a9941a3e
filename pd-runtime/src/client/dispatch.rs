//! The agent's dispatcher (MCP-SD, mode `sync`): passes rows from one tool's result to the next
//! tool, past the model.

use super::{
    Client,
    error::ClientError,
    handles::{BorrowedRows, HandleError, is_handle},
    redact_rows::{redact, replace_leftover_body},
    refusal::DisclosureRefusal,
    rows::row_numbers,
};
use crate::{
    protocol::keys::{ABSTRACT_DATA, BODY_DATA, RESOURCE_URL, UNDESCRIBED},
    text::leading_json::leading_json,
    tool::error::ToolError,
};

use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use serde_json::Value;

/// Error codes that this crate's servers return before they run a tool.
const NOT_RUN: [&str; 4] = [
    UNDESCRIBED,
    ToolError::INVALID_ARGUMENTS,
    ToolError::UNAVAILABLE,
    ToolError::RATE_LIMITED,
];
/// The beginnings of texts by which the Python and TypeScript SDKs decline a call without running
/// the tool.
const DECLINED_PREFIXES: [&str; 4] = [
    "Input validation error: ",
    "MCP error -32602: Input validation error: ",
    "MCP error -32602: Invalid arguments for tool ",
    "Unknown tool: ",
];
/// The prefix that the Python SDK adds to all errors, both from within a tool and from before it
/// runs.
const EXECUTION_PREFIX: &str = "Error executing tool ";

impl Client {
    /// Replaces the handle in a call with the rows that it stands for.
    ///
    /// # Errors
    ///
    /// Returns an error if the handle has no rows, or if the call does not name rows by their
    /// numbers.
    pub(super) fn borrow_rows(
        &self,
        params: &mut CallToolRequestParams,
    ) -> Result<Option<BorrowedRows>, ClientError> {
        let Some(arguments) = params.arguments.as_mut() else {
            return Ok(None);
        };
        let handle = arguments
            .get(RESOURCE_URL)
            .and_then(Value::as_str)
            .filter(|url| is_handle(url));
        let Some(handle) = handle else {
            return Ok(None);
        };
        let borrowed = self.handles.borrow(&self.owner, handle)?;
        let numbers = row_numbers(arguments.get(ABSTRACT_DATA).unwrap_or_default());
        let rows = borrowed
            .rows()
            .select(&numbers.map_err(|error| ClientError::AbstractData(error.to_string()))?);
        // The handle means nothing to a server, which would try to fetch from it.
        arguments.shift_remove(RESOURCE_URL);
        // No rows are sent, so the handle is not used up either.
        let borrowed = rows.is_some().then_some(borrowed);
        arguments.insert(
            BODY_DATA.to_owned(),
            rows.unwrap_or_else(|| "[]".to_owned()).into(),
        );
        Ok(borrowed)
    }

    /// Prepares a response for the model: uses up the handle if the tool received the rows, and
    /// takes new rows out of the result. If the call asked for rows that cannot be parsed
    /// (`wants_body`), the result becomes an error.
    pub(super) fn redact_response(
        &self,
        borrowed: Option<BorrowedRows>,
        wants_body: bool,
        mut response: CallToolResponse,
    ) -> CallToolResponse {
        if let Some(borrowed) = borrowed.filter(|_| has_run(&response)) {
            borrowed.consume();
        }
        if let CallToolResponse::Complete(result) = &mut response {
            redact(result, &self.handles, &self.owner);
            if wants_body {
                replace_leftover_body(result);
            }
        }
        response
    }
}

/// Returns whether the tool received the arguments. A server that requests input expects the same
/// call again, so the tool has not run yet.
fn has_run(response: &CallToolResponse) -> bool {
    match response {
        CallToolResponse::Complete(result) => {
            !(is_declined(result) || DisclosureRefusal::parse("", result).is_some())
        }
        CallToolResponse::InputRequired(_) => false,
        _ => true,
    }
}

fn is_declined(result: &CallToolResult) -> bool {
    let code = |text: &str| {
        Some(
            leading_json(text)?
                .0
                .pointer("/error/code")?
                .as_str()?
                .to_owned(),
        )
    };
    let declines = |text: &str| {
        DECLINED_PREFIXES
            .iter()
            .any(|prefix| text.starts_with(prefix))
            || is_argument_mismatch(text)
            || code(text).is_some_and(|code| NOT_RUN.contains(&&*code))
    };
    let mut texts = result.content.iter().filter_map(|block| block.as_text());
    // Only the first text counts. Further texts may quote anything.
    result.is_error == Some(true) && texts.next().is_some_and(|block| declines(&block.text))
}

/// Returns whether the text is the error of Python's SDKs for arguments that do not fit the
/// generated model of a function's parameters. Other validation errors have other model names: they
/// come from the tool itself, which has then run.
fn is_argument_mismatch(text: &str) -> bool {
    let text = text
        .strip_prefix(EXECUTION_PREFIX)
        .and_then(|text| text.split_once(": "))
        .map_or(text, |(_, text)| text);
    // Pydantic writes "2 validation errors for drawArguments"; FastMCP validates against
    // `call[draw]`.
    let text = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let model = text
        .strip_prefix(" validation error")
        .and_then(|text| text.trim_start_matches('s').strip_prefix(" for "));
    let model = model
        .and_then(|text| text.lines().next())
        .unwrap_or_default();
    model.ends_with("Arguments") || model.starts_with("call[")
}

impl From<HandleError> for ClientError {
    fn from(refused: HandleError) -> Self {
        match refused {
            HandleError::Unknown => Self::UnknownHandle,
            HandleError::InUse => Self::HandleInUse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ContentBlock, InputRequiredResult};
    use serde_json::json;

    fn failed(text: &str) -> CallToolResponse {
        CallToolResult::error(vec![ContentBlock::text(text)]).into()
    }

    #[test]
    fn what_was_not_run_is_told_from_what_was() {
        let ours = |code: &str| json!({ "error": { "code": code, "message": "no" } }).to_string();
        for declined in [
            ours(UNDESCRIBED),
            ours(ToolError::INVALID_ARGUMENTS),
            "Error executing tool draw: 1 validation error for drawArguments\nabstract_data"
                .to_owned(),
            "Error executing tool draw: 12 validation errors for drawArguments\nabstract_data"
                .to_owned(),
            "1 validation error for call[draw]\nabstract_data".to_owned(),
            "Input validation error: 'colour' is a required property".to_owned(),
            "MCP error -32602: Input validation error: Invalid arguments for tool draw".to_owned(),
            "MCP error -32602: Invalid arguments for tool draw: []".to_owned(),
            "Unknown tool: draw".to_owned(),
        ] {
            assert!(!has_run(&failed(&declined)), "{declined}");
        }
        for ran in [
            &ours(ToolError::FAILED),
            "there is no ink",
            "Error executing tool draw: 1 validation error for Alert\nseverity",
            "Error executing tool draw: 2 validation errors for drawOutput\nresult",
            "Error executing tool draw: the store says: Input validation error: no such column",
            "MCP error -32602: Output validation error: Tool draw has an output schema",
            "the printer says: Unknown tool: pen",
        ] {
            assert!(has_run(&failed(ran)), "{ran}");
        }
        assert!(has_run(&CallToolResult::error(vec![]).into()));
        let drawn =
            CallToolResult::success(vec![ContentBlock::text(ours(ToolError::INVALID_ARGUMENTS))]);
        assert!(has_run(&drawn.into()), "it is no error");
        assert!(!has_run(&CallToolResponse::InputRequired(
            InputRequiredResult::from_request_state("more")
        )));
    }
}
