//! The advice in an answer that the session got just before. A model that sends the same request
//! again overlooked what else there is.

use super::named_object::render_search;
use crate::{
    disclosure::view::CallerView,
    surface::{one_text, tool_lines},
    text::leading_json::leading_json,
};
use rmcp::model::{CallToolResult, ContentBlock};

/// Adds the advice to an answer that is the same as the one before. It names no call of a tool: a
/// model that does not know which one to send would send the first.
pub(super) fn advise(mut answer: CallToolResult, view: &CallerView<'_>) -> CallToolResult {
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
        let lines = [
            "This is the answer of the call before. There are:".to_owned(),
            tool_lines::overview(view),
        ];
        let lines: Vec<String> = lines.into_iter().chain(render_search(view)).collect();
        let advice = lines.join("\n");
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
