//! The advice in an answer that the session got just before. A model that sends the same request
//! again overlooked what else there is.

use super::named_object::render_search;
use crate::{
    disclosure::view::CallerView,
    surface::{fitting_tools::render_calls, one_text, tool_lines},
    text::leading_json::leading_json,
};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};

/// The most tools whose calls are shown.
const CALLS_MAX: usize = 3;

/// Adds the advice to an answer that is the same as the one before: the calls of the tools that the
/// model chose itself and had described, or else what there is. A search has no calls, because a
/// model that does not know which one to send would send the first.
pub(super) fn advise(
    mut answer: CallToolResult,
    described: &[String],
    view: &CallerView<'_>,
) -> CallToolResult {
    let texts: Vec<&str> = answer
        .content
        .iter()
        .filter_map(|block| Some(block.as_text()?.text.as_str()))
        .collect();
    let is_repeated = view
        .caller
        .own_session()
        .is_some_and(|session| session.note_answer(texts));
    if is_repeated {
        let advice = calls(described, view).unwrap_or_else(|| overview(view));
        // A client may parse a description, so text must not follow it.
        match answer
            .content
            .first()
            .and_then(|block| leading_json(&block.as_text()?.text))
        {
            Some(_) if answer.is_error != Some(true) => {
                answer.content.push(ContentBlock::text(advice))
            }
            _ => one_text::append(&mut answer, advice),
        }
    }
    answer
}

/// Renders what there is, and a search to send.
fn overview(view: &CallerView<'_>) -> String {
    let lines = [
        "This is the answer of the call before. There are:".to_owned(),
        tool_lines::overview(view),
    ];
    let lines: Vec<String> = lines.into_iter().chain(render_search(view)).collect();
    lines.join("\n")
}

/// Renders the calls of tools that were described.
fn calls(described: &[String], view: &CallerView<'_>) -> Option<String> {
    if described.len() > CALLS_MAX {
        return None;
    }
    let tools = described.iter().filter_map(|name| view.resolve(name));
    let calls = render_calls(tools.map(|tool| (&**tool, JsonObject::new())), view);
    let send = match calls.as_slice() {
        [] => return None,
        [_] => "Now send",
        _ => "Send the one that does what was asked",
    };
    let calls = calls.join("\n");
    let fill = if calls.contains('<') {
        ", with a value for each <…>"
    } else {
        ""
    };
    Some(format!(
        "This is the answer of the call before. {send}{fill}:\n{calls}"
    ))
}
