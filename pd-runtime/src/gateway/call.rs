//! A call of an upstream's tool.

use super::{
    cached_lists::ListedTool,
    config::ServerTransport,
    forward::ForwardedRequest,
    issued_uris::ResultReader,
    link::ParamHeaders,
    plain_result::is_plain,
    rows::{self, RowSource},
    upstream::Upstream,
    upstream_error::{LOST, UpstreamError},
};
use crate::{
    catalog::header_arguments::{HeaderArgument, header_arguments},
    protocol::headers::{self, PARAM_PREFIX},
    tool::{context::CallContext, error::ToolError, output::ToolResult},
};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, JsonObject};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

impl Upstream {
    /// Calls a tool of this upstream.
    pub(super) async fn call(
        self: &Arc<Self>,
        tool: &ListedTool,
        rows: Option<&RowSource>,
        context: &CallContext,
        arguments: JsonObject,
    ) -> ToolResult {
        self.count_call(tool.name()).map_err(UpstreamError::into_tool_error)?;
        let headers = self.param_headers(tool.definition(), &arguments);
        let params = [("name".to_owned(), tool.name().into()), ("arguments".to_owned(), Value::Object(arguments))];
        let request = ForwardedRequest {
            method: "tools/call",
            params: params.into_iter().collect(),
            context,
            headers,
            is_repeatable: is_repeatable(tool.definition()),
            tool: Some(tool),
        };
        let result = self.forward(request).await.map_err(UpstreamError::into_tool_error)?;
        self.issued.collect(&result, ResultReader::from_call(context));
        self.tasks.collect(&result, context.authority());
        into_response(self.select_rows(tool, rows, context, result), context)
    }

    /// Takes the rows out of a result if the caller chose columns. Any other result stays as it is.
    fn select_rows(&self, tool: &ListedTool, rows: Option<&RowSource>, context: &CallContext, result: Value) -> Value {
        let Some(source) = rows else { return result };
        match context.tray() {
            Some(slot) => rows::divide_result(&result, source, slot).unwrap_or(result),
            None => {
                self.observe_columns(tool.name(), &result, source);
                result
            }
        }
    }

    /// Returns the headers for the arguments that the tool's schema marks (SEP-2243). Servers of
    /// 2026-07-28 refuse a call over HTTP without them, and older servers ignore them.
    fn param_headers(&self, definition: &Value, arguments: &JsonObject) -> ParamHeaders {
        if !matches!(self.entry.transport, ServerTransport::Http(_)) {
            return ParamHeaders::new();
        }
        let schema = definition.get("inputSchema").and_then(Value::as_object);
        let marked = schema.map(header_arguments).unwrap_or_default();
        let header = |marked: &HeaderArgument| {
            let text = marked.text(Some(arguments))?;
            Some((format!("{PARAM_PREFIX}{}", marked.header), headers::encode(&text).into_owned()))
        };
        marked.iter().filter_map(header).collect()
    }
}

/// Returns whether the upstream declares that a second call of a tool changes nothing more.
fn is_repeatable(definition: &Value) -> bool {
    let hint = |key: &str| definition.pointer(key).is_some_and(|hint| hint == true);
    hint("/annotations/readOnlyHint") || hint("/annotations/idempotentHint")
}

/// Reads a result. What rmcp's types lose of it is restored when the answer is sent.
fn into_response(result: Value, context: &CallContext) -> ToolResult {
    let unreadable =
        |error: serde_json::Error| ToolError::new(LOST, format!("the upstream's result is not one of MCP: {error}"));
    match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => {
            serde_json::from_value(result).map(CallToolResponse::InputRequired).map_err(unreadable)
        }
        Some("task") => task(result, context).map(CallToolResponse::Task).map_err(unreadable),
        _ => complete(result, context).map(CallToolResponse::Complete).map_err(unreadable),
    }
}

fn task(raw: Value, context: &CallContext) -> serde_json::Result<CreateTaskResult> {
    let typed = CreateTaskResult::deserialize(&raw)?;
    context.keep_result(raw, &typed);
    Ok(typed)
}

fn complete(raw: Value, context: &CallContext) -> serde_json::Result<CallToolResult> {
    if is_plain(&raw) {
        return serde_json::from_value(raw);
    }
    let typed = typed(&raw)?;
    context.keep_result(raw, &typed);
    Ok(typed)
}

fn typed(result: &Value) -> serde_json::Result<CallToolResult> {
    CallToolResult::deserialize(result).or_else(|error| {
        // Selective results and audit read content of a kind that MCP does not have as text.
        let Value::Object(mut result) = result.clone() else { return Err(error) };
        let Some(Value::Array(content)) = result.insert("content".to_owned(), Value::Array(Vec::new())) else {
            return Err(error);
        };
        let mut rest: CallToolResult = serde_json::from_value(Value::Object(result))?;
        rest.content = content.into_iter().map(block).collect();
        Ok(rest)
    })
}

fn block(block: Value) -> ContentBlock {
    let text = block.to_string();
    serde_json::from_value(block).unwrap_or_else(|_| ContentBlock::text(text))
}
