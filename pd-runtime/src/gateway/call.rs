//! A call of an upstream's tool: it is forwarded as raw JSON, and so are progress and cancellation.

use super::{
    connection::{Connection, RequestError},
    upstream::{Upstream, UpstreamError},
};
use crate::{
    protocol::{
        json_value,
        keys::{TICKET, TICKETS},
    },
    tool::{context::CallContext, error::ToolError, output::ToolResult},
};
use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ContentBlock, ErrorCode, JsonObject},
};
use serde_json::Value;
use std::sync::Arc;

/// The codes of errors that only a gateway has.
const UNAVAILABLE: &str = "UPSTREAM_UNAVAILABLE";
const LOST: &str = "UPSTREAM_LOST_CALL";

impl Upstream {
    /// Calls a tool of this upstream by the upstream's own name for it.
    pub(super) async fn call(self: &Arc<Self>, tool: &str, context: &CallContext, arguments: JsonObject) -> ToolResult {
        self.count_call(tool).map_err(UpstreamError::into_tool_error)?;
        let connection = self.connection().await.map_err(UpstreamError::into_tool_error)?;
        let params = params(tool, context, arguments, &connection);
        let result = forward(&connection, params, context).await;
        let result = result.map_err(|error| self.request_error(error).into_tool_error())?;
        self.issued.collect(&result);
        into_response(result)
    }
}

fn params(tool: &str, context: &CallContext, arguments: JsonObject, connection: &Connection) -> JsonObject {
    let mut params = JsonObject::new();
    params.insert("name".to_owned(), tool.into());
    params.insert("arguments".to_owned(), Value::Object(arguments));
    let meta = context.request().and_then(|request| json_value::to_value(&request.meta).ok());
    if let Some(Value::Object(mut meta)) = meta {
        // Tickets are between the client and this gateway.
        meta.retain(|key, _| key != TICKET && key != TICKETS);
        params.insert("_meta".to_owned(), Value::Object(meta));
    }
    if connection.era().is_modern() {
        let responses = context.input_responses().and_then(|responses| json_value::to_value(responses).ok());
        params.extend(responses.map(|responses| ("inputResponses".to_owned(), responses)));
        params.extend(context.request_state().map(|state| ("requestState".to_owned(), state.into())));
    }
    params
}

/// Sends the call, and forwards its progress until the response is there.
async fn forward(connection: &Connection, params: JsonObject, context: &CallContext) -> Result<Value, RequestError> {
    let wants_progress = context.request().is_some_and(|request| request.meta.get_progress_token().is_some());
    let (sender, mut reports) = Connection::progress_channel();
    let mut sent = connection.send("tools/call", params, wants_progress.then_some(sender))?;
    loop {
        tokio::select! {
            // In this order: a report that came before the response is forwarded before it.
            biased;
            Some(report) = reports.recv() => forward_progress(&report, context).await,
            response = sent.response() => return response,
            // Dropping the request cancels it at the upstream, too.
            () = context.cancellation().cancelled() => return Err(RequestError::Closed("the call was cancelled".into())),
        }
    }
}

async fn forward_progress(report: &JsonObject, context: &CallContext) {
    let number = |key: &str| report.get(key).and_then(Value::as_f64);
    let message = report.get("message").and_then(Value::as_str).unwrap_or_default();
    context.progress(number("progress").unwrap_or_default(), number("total"), message).await;
}

/// Reads a result. rmcp's types hold each result of the specification.
fn into_response(result: Value) -> ToolResult {
    let unreadable =
        |error: serde_json::Error| ToolError::new(LOST, format!("the upstream's result is not one of MCP: {error}"));
    match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => {
            serde_json::from_value(result).map(CallToolResponse::InputRequired).map_err(unreadable)
        }
        Some("task") => serde_json::from_value(result).map(CallToolResponse::Task).map_err(unreadable),
        _ => complete(result).map(CallToolResponse::Complete).map_err(unreadable),
    }
}

fn complete(result: Value) -> serde_json::Result<CallToolResult> {
    match serde_json::from_value(result.clone()) {
        Ok(result) => Ok(result),
        Err(error) => {
            // Content of a kind that this version of MCP does not have still has a text.
            let Value::Object(mut result) = result else { return Err(error) };
            let Some(Value::Array(content)) = result.remove("content") else { return Err(error) };
            let mut rest: CallToolResult = serde_json::from_value({
                result.insert("content".to_owned(), Value::Array(Vec::new()));
                Value::Object(result)
            })?;
            rest.content = content.into_iter().map(block).collect();
            Ok(rest)
        }
    }
}

fn block(block: Value) -> ContentBlock {
    let text = block.to_string();
    serde_json::from_value(block).unwrap_or_else(|_| ContentBlock::text(text))
}

impl UpstreamError {
    pub(super) fn into_tool_error(self) -> ToolError {
        let text = self.to_string();
        match self {
            Self::Waiting { .. } | Self::Start { .. } => ToolError::new(UNAVAILABLE, text),
            Self::Rate { .. } | Self::Request { error: RequestError::Busy | RequestError::Unsent(_), .. } => {
                ToolError::new(UNAVAILABLE, format!("{text}; the tool did not run"))
            }
            Self::Request { error: RequestError::Refused(refused), .. } => {
                // The upstream's own error reaches the client as it is, but an unknown method here
                // would read as if the gateway had no calls.
                let code = if refused.code == ErrorCode::METHOD_NOT_FOUND.0 {
                    ErrorCode::INTERNAL_ERROR.0
                } else {
                    refused.code
                };
                ToolError::protocol(ErrorData::new(ErrorCode(code), refused.message, refused.data))
            }
            Self::Request { .. } => {
                let advice = "it is unknown whether the tool ran, so check before you repeat it";
                ToolError::new(LOST, format!("{text}; {advice}"))
            }
        }
    }
}
