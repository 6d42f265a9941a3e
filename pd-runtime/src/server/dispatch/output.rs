//! The single output stage: every outcome of a call passes through here on its way to the caller.

use super::promised_result;
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{gate::GateVerdict, view::CallerView},
    policy::rate_limit::size,
    registry::{selective::column_selection::TransferMode, tool_spec::ToolSpec},
    surface::refusal::resource_uri,
    tool::{cause::is_stated, error::ToolError, output::ToolResult},
};
use pd_schema::CompiledSchema;
use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject},
};
use serde_json::{Value, json};

/// The result's `_meta` key for a call that ran without disclosure.
const UNDISCLOSED: &str = "dev.pd-runtime/undisclosed";

/// Finishes a tool's outcome for one caller. `mode` is the mode in which the caller requested
/// rows.
///
/// # Errors
///
/// Returns an error if the tool returned a protocol error; see [`ToolError::protocol`].
pub(crate) fn finish(
    outcome: ToolResult,
    mode: Option<TransferMode>,
    verdict: GateVerdict,
    entry: &CatalogEntry,
    view: &CallerView<'_>,
) -> Result<CallToolResponse, ErrorData> {
    let about = &entry.tool.about;
    let mut response = match outcome {
        Ok(response) => response,
        // A protocol error leaves as JSON-RPC: MCP demands some, such as a missing client
        // capability.
        Err(error) => {
            let failed = error
                .into_protocol()
                .map_or_else(|error| Ok(failed_result(&error, about)), Err)?;
            return Ok(mark_undisclosed(failed.into(), verdict, about));
        }
    };
    // Changed in place, because each move of a result costs.
    if let CallToolResponse::Complete(result) = &mut response {
        match check_result(result, view, entry, mode) {
            Err(error) => *result = failed_result(&error, about),
            Ok(()) => adapt_to_generation(result, entry, view.caller.modern),
        }
    }
    Ok(mark_undisclosed(response, verdict, about))
}

/// Checks a result against the tool's output schema, and its size against the server's limit.
fn check_result(
    result: &CallToolResult,
    view: &CallerView<'_>,
    entry: &CatalogEntry,
    mode: Option<TransferMode>,
) -> Result<(), ToolError> {
    // Rows of which a caller chose columns have another shape.
    if let Some(promised) = entry.promised_result().filter(|_| mode.is_none()) {
        promised_result::check(result, promised)
            .inspect_err(|error| tracing::error!(tool = entry.name(), "{error}"))?;
    }
    // Measuring serializes nothing but walks the whole result, so an unlimited server skips it.
    let bytes = if view.policy.limits.response_bytes < usize::MAX {
        size::of_result(result)
    } else {
        0
    };
    check_size(bytes, view, &entry.tool.about, mode)
}

/// Returns an error with the result's size if it is over the server's limit.
pub(super) fn check_size(
    bytes: usize,
    view: &CallerView<'_>,
    about: &ToolSpec,
    mode: Option<TransferMode>,
) -> Result<(), ToolError> {
    let most = view.policy.limits.response_bytes;
    if bytes <= most {
        return Ok(());
    }
    let advice = advice(view, about, mode);
    let text = format!("the result has {bytes} bytes, over the limit of {most}; {advice}");
    Err(ToolError::new(ToolError::TOO_LARGE, text))
}

/// Returns the advice by which this caller gets a smaller result.
fn advice(view: &CallerView<'_>, about: &ToolSpec, mode: Option<TransferMode>) -> &'static str {
    match mode {
        None if about.columns.is_none() => "ask for less at once",
        None => "name the columns you need in `abstract_domains`",
        // In `sync`, the result contains the other columns, too.
        Some(TransferMode::Sync) if view.plane.has_base() => {
            "ask with `mode`: `async`, or for fewer rows"
        }
        Some(TransferMode::Sync) => "ask for fewer rows",
        Some(TransferMode::Async) => {
            "name fewer columns in `abstract_domains`, or ask for fewer rows"
        }
    }
}

/// Adds the description's URI to the result of a call that ran without disclosure.
pub(crate) fn mark_undisclosed(
    response: CallToolResponse,
    verdict: GateVerdict,
    about: &ToolSpec,
) -> CallToolResponse {
    match response {
        CallToolResponse::Complete(mut result) if verdict.undisclosed().is_some() => {
            let advice = json!({ "resource_uri": resource_uri(&about.name) });
            result
                .meta
                .get_or_insert_default()
                .insert(UNDISCLOSED.to_owned(), advice);
            result.into()
        }
        response => response,
    }
}

/// Adapts structured content to the protocol version. Before 2026-07-28 it must be an object.
fn adapt_to_generation(result: &mut CallToolResult, entry: &CatalogEntry, modern: bool) {
    if !modern && let Some(value) = result.structured_content.take() {
        let is_error = result.is_error == Some(true);
        result.structured_content = for_older_client(value, entry, is_error, &mut result.content);
    }
}

/// Returns the structured content for a client before 2026-07-28.
///
/// Such clients show structured content in place of the texts, and check it against the listed
/// schema. So `null` means that there is none, and a value that does not fit the schema is left to
/// the texts.
fn for_older_client(
    value: Value,
    entry: &CatalogEntry,
    is_error: bool,
    content: &mut Vec<ContentBlock>,
) -> Option<Value> {
    // The schema is wrapped only if the tool's own schema does not describe an object.
    let is_wrapped = entry.is_wrapped_for_older();
    match value {
        Value::Null if is_error || !is_wrapped => None,
        Value::Object(_) if !is_wrapped => Some(value),
        other => {
            let text = other.to_string();
            let wrapped = json!({ "result": other });
            if is_wrapped || is_error || fits_listed_schema(&wrapped, entry) {
                return Some(wrapped);
            }
            // Nothing of the result may be lost.
            if content.is_empty() {
                content.push(ContentBlock::text(text));
            }
            None
        }
    }
}

/// Returns whether a value fits the output schema that the client has read. A tool without one
/// promises nothing.
fn fits_listed_schema(value: &Value, entry: &CatalogEntry) -> bool {
    let Some(schema) = &entry.tool.about.output_schema else {
        return true;
    };
    // Compiled for this call alone: only results that break the server's own schema come here.
    CompiledSchema::new(&Value::Object((**schema).clone()))
        .is_ok_and(|compiled| compiled.validate(value, &[]).is_ok())
}

/// Returns the reason why a tool that can be described cannot be called at the moment.
/// `named` renders the tool as the caller knows it.
pub(crate) fn unavailable(about: &ToolSpec, named: impl FnOnce() -> String) -> Option<ToolError> {
    let reason = about.rules.unavailable.as_ref()?;
    let code = if about.is_held {
        ToolError::HELD
    } else {
        ToolError::UNAVAILABLE
    };
    Some(ToolError::new(
        code,
        format!("{} cannot be called now: {reason}", named()),
    ))
}

/// Renders a failure as a result that the model reads, because hosts hide protocol errors. The
/// result includes the tool's help for this error.
pub(crate) fn failed_result(error: &ToolError, about: &ToolSpec) -> CallToolResult {
    let mut object = JsonObject::new();
    object.insert("code".to_owned(), json!(error.code));
    object.insert("message".to_owned(), json!(error.message_from(&about.name)));
    if let Some(help) = about.help(&error.code) {
        // A message that already contains the cause would repeat it at the cost of tokens.
        let cause = if is_stated(&help.cause, &error.message) {
            ""
        } else {
            &*help.cause
        };
        for (key, text) in [("cause", cause), ("solution", &*help.solution)] {
            if !text.is_empty() {
                object.insert(key.to_owned(), json!(text));
            }
        }
    }
    text(&json!({ "error": object }))
}

fn text(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}
