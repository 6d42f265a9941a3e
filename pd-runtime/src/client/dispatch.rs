//! The agent's dispatcher (MCP-SD, mode `sync`): rows that came with one tool's result go to the next tool past the model.

use super::{
    Client,
    error::ClientError,
    handles::{Lent, Refused, is_handle},
    refusal::Refusal,
    rows::named,
    withhold::withhold,
};
use crate::{
    spoken::UNDESCRIBED,
    tool::{
        error::ToolError,
        selected::{ABSTRACT_DATA, BODY_DATA, RESOURCE_URL},
    },
};
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use serde_json::Value;

/// Codes of errors that this crate's servers answer before a tool is run.
const NOT_RUN: [&str; 4] = [UNDESCRIBED, ToolError::INVALID_ARGUMENTS, ToolError::UNAVAILABLE, ToolError::RATE_LIMITED];
/// What the SDKs for Python and TypeScript say where they do not run a tool.
const DECLINED: [&str; 4] =
    ["Input validation error", "validation error for ", "validation errors for ", "Unknown tool"];

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

    /// An answer as the model may see it. The handle of the call that it answers is used up, if the tool took the rows.
    pub(super) fn received(&self, lent: Option<Lent>, mut response: CallToolResponse) -> CallToolResponse {
        if let Some(lent) = lent.filter(|_| has_run(&response)) {
            lent.used();
        }
        if let CallToolResponse::Complete(result) = &mut response {
            withhold(result, &self.handles, &self.owner);
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
        DECLINED.iter().any(|said| text.contains(said)) || code(text).is_some_and(|code| NOT_RUN.contains(&&*code))
    };
    let mut texts = result.content.iter().filter_map(|block| block.as_text());
    result.is_error == Some(true) && texts.next().is_some_and(|block| declines(&block.text))
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
            "MCP error -32602: Input validation error: Invalid arguments for tool draw".to_owned(),
            "Unknown tool: draw".to_owned(),
        ] {
            assert!(!has_run(&failed(&declined)), "{declined}");
        }
        for answer in
            [failed(&ours(ToolError::FAILED)), failed("there is no ink"), CallToolResult::error(vec![]).into()]
        {
            assert!(has_run(&answer), "{answer:?}");
        }
        let drawn = CallToolResult::success(vec![ContentBlock::text(ours(ToolError::INVALID_ARGUMENTS))]);
        assert!(has_run(&drawn.into()), "it is no error");
        assert!(!has_run(&CallToolResponse::InputRequired(InputRequiredResult::from_request_state("more"))));
    }
}
