//! A call of an upstream's tool.

use crate::{
    config::ServerTransport,
    forward::ForwardedRequest,
    lists::cached_lists::ListedTool,
    message::{own_keys, plain_result::is_plain, result_shape},
    transport::link::ParamHeaders,
    upstream::{
        Upstream,
        issued_uris::ResultReader,
        rows::{self, RowSource},
        upstream_error::{LOST, UpstreamError},
    },
};
use pd_runtime::{
    CallContext, ToolError,
    upstream::{
        LargeTexts, ToolResult, header_arguments,
        protocol::headers::{self, PARAM_PREFIX},
    },
};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, JsonObject};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

impl Upstream {
    /// Calls a tool of this upstream.
    pub(crate) async fn call(
        self: &Arc<Self>,
        tool: &ListedTool,
        rows: Option<&RowSource>,
        context: &CallContext,
        arguments: JsonObject,
    ) -> ToolResult {
        // First, so that a call over its limit starts no server.
        self.count_call(tool.name())
            .map_err(UpstreamError::into_tool_error)?;
        let headers = self.param_headers(tool.definition(), &arguments);
        let params = [
            ("name".to_owned(), tool.name().into()),
            ("arguments".to_owned(), Value::Object(arguments)),
        ];
        let request = ForwardedRequest {
            method: "tools/call",
            params: params.into_iter().collect(),
            context,
            headers,
            is_repeatable: is_repeatable(tool.definition()),
            tool: Some(tool),
        };
        let result = self
            .forward(request)
            .await
            .map_err(UpstreamError::into_tool_error)?;
        let mut result = result_shape::tool_result(result);
        // Before the steps that copy the values.
        check_values(&result)?;
        own_keys::remove_own_keys(&mut result);
        self.hide_secrets(&mut result);
        self.issued
            .collect(&result, ResultReader::from_call(context));
        self.tasks.collect(&result, context.authority());
        self.view_names().rename(&mut result);
        into_response(self.select_rows(tool, rows, context, result), context)
    }

    /// Hides the secrets of the entry in the result of a call that failed. An error repeats the
    /// token that was refused, as other errors of a server do. What a tool returns otherwise stays
    /// as it is.
    pub(crate) fn hide_secrets(&self, result: &mut Value) {
        if result.get("isError").is_some_and(|failed| failed == true) {
            self.result_secrets.hide_in(result);
        }
    }

    /// Takes the rows out of a result if the caller chose columns. Any other result stays as it is.
    fn select_rows(
        &self,
        tool: &ListedTool,
        rows: Option<&RowSource>,
        context: &CallContext,
        result: Value,
    ) -> Value {
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
        let headers = marked.iter().filter_map(|marked| {
            let text = marked.text(Some(arguments))?;
            Some((
                format!("{PARAM_PREFIX}{}", marked.header),
                headers::encode(&text).into_owned(),
            ))
        });
        headers.collect()
    }
}

/// The values that a result may have beside `structuredContent`. Each is copied, so many of them
/// take much more memory than their bytes.
const VALUES_MAX: usize = 50_000;

/// Checks the number of a result's values.
fn check_values(result: &Value) -> Result<(), ToolError> {
    let parts = result
        .as_object()
        .into_iter()
        .flatten()
        // `complete` moves it without a copy.
        .filter(|(key, _)| *key != "structuredContent");
    let count = parts.map(|(_, value)| count_values(value)).sum::<usize>();
    if count <= VALUES_MAX {
        return Ok(());
    }
    let text = format!(
        "the result has {count} values beside `structuredContent`, over the limit of {VALUES_MAX}"
    );
    Err(ToolError::new(
        ToolError::TOO_LARGE,
        format!("{text}; the tool ran; ask for less at once"),
    ))
}

fn count_values(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(count_values).sum::<usize>(),
        Value::Object(object) => 1 + object.values().map(count_values).sum::<usize>(),
        _ => 1,
    }
}

/// Returns whether the upstream declares that a second call of a tool changes nothing more.
fn is_repeatable(definition: &Value) -> bool {
    has_hint(definition, "/annotations/readOnlyHint")
        || has_hint(definition, "/annotations/idempotentHint")
}

fn has_hint(definition: &Value, place: &str) -> bool {
    definition.pointer(place).is_some_and(|hint| hint == true)
}

/// Reads a result. What rmcp's types lose of it is restored when the answer is sent.
fn into_response(result: Value, context: &CallContext) -> ToolResult {
    let unreadable = |error: serde_json::Error| {
        ToolError::new(
            LOST,
            format!("the upstream's result is not one of MCP: {error}"),
        )
    };
    match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => serde_json::from_value(result)
            .map(CallToolResponse::InputRequired)
            .map_err(unreadable),
        Some("task") => task(result, context)
            .map(CallToolResponse::Task)
            .map_err(unreadable),
        _ => {
            let mut result = complete(result, context).map_err(unreadable)?;
            // A client repeats a call after a refusal of the gateway, so no server may write one.
            own_keys::mark_imitation(&mut result);
            Ok(CallToolResponse::Complete(result))
        }
    }
}

fn task(raw: Value, context: &CallContext) -> serde_json::Result<CreateTaskResult> {
    let typed = CreateTaskResult::deserialize(&raw)?;
    context.keep_result(raw, &typed);
    Ok(typed)
}

fn complete(mut raw: Value, context: &CallContext) -> serde_json::Result<CallToolResult> {
    // The type keeps structured content as it is, and it may be large. A null is not kept.
    let structured = match &mut raw {
        Value::Object(result)
            if result
                .get("structuredContent")
                .is_some_and(|content| !content.is_null()) =>
        {
            result.shift_remove("structuredContent")
        }
        _ => None,
    };
    let mut typed = if is_plain(&raw) {
        serde_json::from_value(raw)?
    } else {
        let texts = LargeTexts::take_from_raw(&mut raw);
        let mut result = typed(&raw)?;
        if texts.fit(&mut result) {
            context.keep_result(raw, &result);
            // After the comparison, for which long texts are left out of both sides.
            texts.return_to_typed(&mut result);
        } else {
            // A block that its type does not take is a text as a whole.
            texts.return_to_raw(&mut raw);
            result = typed(&raw)?;
            context.keep_result(raw, &result);
        }
        result
    };
    typed.structured_content = typed.structured_content.or(structured);
    Ok(typed)
}

fn typed(result: &Value) -> serde_json::Result<CallToolResult> {
    CallToolResult::deserialize(result).or_else(|error| {
        // Selective results and audit read content of a kind that MCP does not have as text.
        let Value::Object(mut result) = result.clone() else {
            return Err(error);
        };
        let Some(Value::Array(content)) =
            result.insert("content".to_owned(), Value::Array(Vec::new()))
        else {
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
