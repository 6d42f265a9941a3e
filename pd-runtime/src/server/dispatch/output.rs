//! The one output stage: everything a call ends in passes through here on its way to the caller.

use crate::{
    catalog::{description::argument_guidance, entry::Entry},
    disclosure::{gate::Verdict, view::View},
    policy::rate_limit::size,
    registry::{selective::column_selection::Mode, tool_spec::About, validate::Violations},
    surface::refusal::resource_uri,
    tool::{cause::is_stated, error::ToolError, output::Outcome},
};
use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject},
};
use serde_json::{Value, json};

/// The result's `_meta` key for a call that ran without disclosure, under `Gate::Advise`.
const UNDISCLOSED: &str = "dev.pd-runtime/undisclosed";

/// Finishes what a tool returned for one caller, who may have asked for its rows in a mode.
///
/// # Errors
///
/// The failure is the protocol's; see [`ToolError::protocol`].
pub(crate) fn finish(
    outcome: Outcome,
    asked: Option<Mode>,
    verdict: Verdict,
    entry: &Entry,
    view: &View<'_>,
) -> Result<CallToolResponse, ErrorData> {
    let about = &entry.tool.about;
    let response = match outcome {
        Ok(CallToolResponse::Complete(result)) => match measured(&result, view, about, asked) {
            Err(error) => failed(&error, about).into(),
            Ok(()) => for_generation(result, entry, view.caller.modern).into(),
        },
        Ok(response) => response,
        Err(error) => match error.into_protocol() {
            Ok(protocol) => return Err(protocol),
            Err(error) => failed(&error, about).into(),
        },
    };
    Ok(marked(response, verdict, about))
}

fn measured(result: &CallToolResult, view: &View<'_>, about: &About, asked: Option<Mode>) -> Result<(), ToolError> {
    let bytes = if view.policy.limits.response_bytes < usize::MAX { size::of_result(result) } else { 0 };
    within(bytes, view, about, asked)
}

/// Says of a result that is more than the server sends how large it was.
pub(super) fn within(bytes: usize, view: &View<'_>, about: &About, asked: Option<Mode>) -> Result<(), ToolError> {
    let most = view.policy.limits.response_bytes;
    if bytes <= most {
        return Ok(());
    }
    let instead = less(view, about, asked);
    let text = format!("the result has {bytes} bytes, over the limit of {most}; {instead}");
    Err(ToolError::new(ToolError::TOO_LARGE, text))
}

/// How a caller who asked like this gets less.
fn less(view: &View<'_>, about: &About, asked: Option<Mode>) -> &'static str {
    match asked {
        None if about.columns.is_none() => "ask for less at once",
        None => "name the columns you need in `abstract_domains`",
        // In `sync` the other columns are in the result, too.
        Some(Mode::Sync) if view.plane.has_base() => "ask with `mode`: `async`, or for fewer rows",
        Some(Mode::Sync) => "ask for fewer rows",
        Some(Mode::Async) => "name fewer columns in `abstract_domains`, or ask for fewer rows",
    }
}

/// Under `Gate::Advise`, says of a call without disclosure where the description is.
pub(crate) fn marked(response: CallToolResponse, verdict: Verdict, about: &About) -> CallToolResponse {
    match response {
        CallToolResponse::Complete(mut result) if verdict == Verdict::Advise => {
            let advice = json!({ "resource_uri": resource_uri(&about.name) });
            result.meta.get_or_insert_default().insert(UNDISCLOSED.to_owned(), advice);
            result.into()
        }
        response => response,
    }
}

/// Before 2026-07-28 structured content is an object, wrapped exactly where the disclosed schema is.
fn for_generation(mut result: CallToolResult, entry: &Entry, modern: bool) -> CallToolResult {
    if !modern {
        result.structured_content = result.structured_content.map(|value| match value {
            Value::Object(_) if entry.legacy.is_none() => value,
            other => json!({ "result": other }),
        });
    }
    result
}

/// Why a tool that can be described cannot be called.
pub(crate) fn unavailable(about: &About) -> Option<ToolError> {
    let reason = about.unavailable.as_ref()?;
    Some(ToolError::new(ToolError::UNAVAILABLE, format!("Tool '{}' cannot be called now: {reason}", about.name)))
}

/// A failure as a result that the model reads: hosts hide protocol errors. Help comes when it is needed.
pub(crate) fn failed(error: &ToolError, about: &About) -> CallToolResult {
    let mut told = JsonObject::new();
    told.insert("code".to_owned(), json!(error.code));
    told.insert("message".to_owned(), json!(error.message));
    if let Some(help) = about.help(&error.code) {
        let cause = if is_stated(&help.cause, &error.message) { "" } else { &*help.cause };
        for (key, text) in [("cause", cause), ("solution", &*help.solution)] {
            if !text.is_empty() {
                told.insert(key.to_owned(), json!(text));
            }
        }
    }
    text(&json!({ "error": told }))
}

/// Arguments that do not fit: every violation at once, and the tool's help for errors that concern arguments. The tool was
/// not run.
pub(crate) fn invalid(about: &About, violations: &Violations) -> CallToolResult {
    let total = violations.total;
    let plural = if total == 1 { "violation" } else { "violations" };
    let mut error = json!({
        "code": ToolError::INVALID_ARGUMENTS,
        "message": format!("Tool '{}' was not run: {total} {plural} of its inputSchema.", about.name),
        "violations": violations.told,
    });
    if let Value::Object(error) = &mut error {
        if total > violations.told.len() {
            error.insert("more_violations".to_owned(), json!(total - violations.told.len()));
        }
        if let Some(guidance) = argument_guidance(about) {
            error.insert("error_guidance".to_owned(), guidance);
        }
    }
    text(&json!({ "error": error }))
}

fn text(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}
