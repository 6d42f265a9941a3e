//! The refusal of a call: specification v2.1, section 6.2, with the description that makes the next call succeed.

use super::resource;
use crate::{catalogue::entry::Entry, disclose::disclose, gate::Reason, policy::OnUndisclosed, view::View};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// Where the description can be read, for refusals and for calls that ran without it.
pub(crate) fn resource_uri(name: &str) -> String {
    format!("{}?tools={name}", resource::URI)
}

/// Refuses a call. It is text only: some clients check structured content against the tool's own schema.
pub(crate) async fn refuse(entry: &Entry, reason: Reason, view: &View<'_>) -> CallToolResult {
    let name = entry.name();
    let describes = view.policy.on_undisclosed() != OnUndisclosed::Refuse && reason != Reason::ForeignSession;
    tracing::info!(tool = name, era = ?view.caller.era, reason = reason.in_words(), describes, "refused");
    let mut error = json!({
        "code": "TOOL_DESCRIPTION_REQUIRED",
        "message": format!("Tool '{name}' requires fetching its description before use."),
        "resource_uri": resource_uri(name),
    });
    if reason != Reason::NotDisclosed
        && let Value::Object(error) = &mut error
    {
        error.insert("reason".to_owned(), json!(reason.in_words()));
    }
    if !describes {
        return text(&json!({ "error": error }).to_string());
    }
    let names = [name.to_owned()];
    let disclosure = disclose(&names, view).await;
    let (key, help) = match view.policy.on_undisclosed() {
        OnUndisclosed::Sign => ("tool_signature", Some(Value::from(disclosure.signatures()).to_string())),
        _ => ("tool_description", disclosure.only()),
    };
    if let Value::Object(error) = &mut error {
        error.insert("next".to_owned(), json!(format!("Read {key} below, then call the tool again.")));
    }
    let help = help.unwrap_or_else(|| "null".to_owned());
    let mut result = text(&format!("{{\"error\":{error},\"{key}\":{help}}}"));
    result.meta = disclosure.meta();
    result
}

fn text(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
