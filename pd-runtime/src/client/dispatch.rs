//! The agent's dispatcher (MCP-SD, mode `sync`): rows that came with one tool's result go to the next tool past the model.

use super::{
    Client,
    error::ClientError,
    handles::{Lent, Refused, is_handle},
    redact_rows::{hide, withhold},
    refusal::Refusal,
    rows::named,
};
use crate::{
    protocol::keys::{ABSTRACT_DATA, BODY_DATA, RESOURCE_URL, UNDESCRIBED},
    tool::error::ToolError,
};

use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use serde_json::Value;

/// Codes of errors that this crate's servers answer before a tool is run.
const NOT_RUN: [&str; 4] = [UNDESCRIBED, ToolError::INVALID_ARGUMENTS, ToolError::UNAVAILABLE, ToolError::RATE_LIMITED];
/// What texts begin with where the SDKs for Python and TypeScript do not run a tool.
const DECLINED: [&str; 4] = [
    "Input validation error: ",
    "MCP error -32602: Input validation error: ",
    "MCP error -32602: Invalid arguments for tool ",
    "Unknown tool: ",
];
/// What Python's puts before whatever went wrong, in a tool or before it.
const EXECUTING: &str = "Error executing tool ";

impl Client {
    /// Puts the rows that a call names into it, where it names them by a handle.
    ///
    /// # Errors
    ///
    /// The handle gives none, or the call does not tell which rows.
    pub(super) fn lend(&self, params: &mut CallToolRequestParams) -> Result<Option<Lent>, ClientError> {
        let Some(arguments) = params.arguments.as_mut() else { return Ok(None) };
        let handle = arguments.get(RESOURCE_URL).and_then(Value::as_str).filter(|url| is_handle(url));
        let Some(handle) = handle else { return Ok(None) };
        let lent = self.handles.lend(&self.owner, handle)?;
        let numbers = named(arguments.get(ABSTRACT_DATA).unwrap_or_default());
        let rows = lent.rows().picked(&numbers.map_err(|error| ClientError::AbstractData(error.to_string()))?);
        arguments.shift_remove(RESOURCE_URL);
        // Where none of its rows are handed over, the handle is not used either.
        let lent = rows.is_some().then_some(lent);
        arguments.insert(BODY_DATA.to_owned(), rows.unwrap_or_else(|| "[]".to_owned()).into());
        Ok(lent)
    }

    /// An answer as the model may see it, where the call asked for rows even if they cannot be read. The handle of the call that
    /// it answers is used up, if the tool took the rows.
    pub(super) fn received(
        &self,
        lent: Option<Lent>,
        asked_for_body: bool,
        mut response: CallToolResponse,
    ) -> CallToolResponse {
        if let Some(lent) = lent.filter(|_| has_run(&response)) {
            lent.used();
        }
        if let CallToolResponse::Complete(result) = &mut response {
            withhold(result, &self.handles, &self.owner);
            if asked_for_body {
                hide(result);
            }
        }
        response
    }
}

/// Whether the tool had the call's arguments. Who asks for input expects the same call again.
fn has_run(response: &CallToolResponse) -> bool {
    match response {
        CallToolResponse::Complete(result) => !(is_declined(result) || Refusal::read("", result).is_some()),
        CallToolResponse::InputRequired(_) => false,
        _ => true,
    }
}

fn is_declined(result: &CallToolResult) -> bool {
    let code =
        |text: &str| Some(serde_json::from_str::<Value>(text).ok()?.pointer("/error/code")?.as_str()?.to_owned());
    let declines = |text: &str| {
        DECLINED.iter().any(|said| text.starts_with(said))
            || is_misfit(text)
            || code(text).is_some_and(|code| NOT_RUN.contains(&&*code))
    };
    let mut texts = result.content.iter().filter_map(|block| block.as_text());
    result.is_error == Some(true) && texts.next().is_some_and(|block| declines(&block.text))
}

/// Whether the call's arguments do not fit the model that Python's SDKs make of a function's parameters. What a tool itself
/// reads may not fit a model either: that is called otherwise, and the tool has run.
fn is_misfit(text: &str) -> bool {
    let text = text.strip_prefix(EXECUTING).and_then(|text| text.split_once(": ")).map_or(text, |(_, text)| text);
    let text = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let model =
        text.strip_prefix(" validation error").and_then(|text| text.trim_start_matches('s').strip_prefix(" for "));
    let model = model.and_then(|text| text.lines().next()).unwrap_or_default();
    model.ends_with("Arguments") || model.starts_with("call[")
}

impl From<Refused> for ClientError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unknown => Self::UnknownHandle,
            Refused::Lent => Self::HandleInUse,
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
            "Error executing tool draw: 1 validation error for drawArguments\nabstract_data".to_owned(),
            "Error executing tool draw: 12 validation errors for drawArguments\nabstract_data".to_owned(),
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
        let drawn = CallToolResult::success(vec![ContentBlock::text(ours(ToolError::INVALID_ARGUMENTS))]);
        assert!(has_run(&drawn.into()), "it is no error");
        assert!(!has_run(&CallToolResponse::InputRequired(InputRequiredResult::from_request_state("more"))));
    }
}
