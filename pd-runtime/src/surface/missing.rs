//! What callers read of tools that are not known yet.

use crate::disclosure::view::CallerView;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// The most sentences in an answer. A gateway can have many servers.
const SHOWN_MAX: usize = 12;
/// The key of the sentences in answers of JSON.
#[cfg(feature = "presets")]
pub(super) const UNAVAILABLE: &str = "unavailable";

/// Returns a sentence for each set of tools that is not known yet.
pub(super) fn sentences(view: &CallerView<'_>) -> Vec<String> {
    let sets = view.missing();
    let rest = sets.len().saturating_sub(SHOWN_MAX);
    let more = (rest > 0).then(|| format!("{rest} more servers are not available"));
    sets.into_iter()
        .take(SHOWN_MAX)
        .map(|set| set.state)
        .chain(more)
        .collect()
}

/// Returns the same for answers of JSON, or `None` if all tools are known.
#[cfg(feature = "presets")]
pub(super) fn value(view: &CallerView<'_>) -> Option<Value> {
    let sentences = sentences(view);
    (!sentences.is_empty()).then(|| json!(sentences))
}

/// Returns the result of a call of a tool that is not known yet. Hosts hide protocol errors from
/// their model.
pub(crate) fn call_result(name: &str, view: &CallerView<'_>) -> Option<CallToolResult> {
    let set = view.missing_for(name)?;
    let message = format!("{}; the tool did not run", set.render(name));
    // The same form as the errors of tools, so that a model reads one form only.
    let error: Value = json!({ "error": { "code": set.code, "message": message } });
    Some(CallToolResult::error(vec![ContentBlock::text(
        error.to_string(),
    )]))
}
