//! Patches answers over HTTP as `capability_patch` patches messages. rmcp serializes its answers
//! itself there, so they are parsed again: only those that may need the patch.

use super::response_body::ResponseBody;
use crate::{
    http_sessions,
    protocol::headers::{METHOD, SESSION_ID},
    serve::capability_patch::{move_tool_capabilities, recode},
    surface,
};
use axum::body::{Body, Bytes};
use futures::StreamExt;
use http::{HeaderMap, Response};
use http_body_util::BodyDataStream;
use rmcp::ErrorData;
use serde_json::Value;

/// Patches a response that is about to be sent.
pub(super) fn patch_response(response: http_sessions::BoxedResponse) -> Response<ResponseBody> {
    response.map(|body| {
        let parts = BodyDataStream::new(body).map(|part| part.map(patch_part));
        ResponseBody::Other(Body::from_stream(parts))
    })
}

/// Returns whether the answer to a request with these headers may need the patch. Requests of
/// 2026-07-28 name their method in a header. An older request outside of a session may be
/// `initialize`.
pub(super) fn may_need_patch(headers: &HeaderMap) -> bool {
    match headers.get(METHOD) {
        Some(method) => {
            method == "server/discover" || method == "initialize" || method == surface::groups::GET
        }
        None => !headers.contains_key(SESSION_ID),
    }
}

fn recode_value(error: &mut Value) -> Option<bool> {
    let mut known: ErrorData = serde_json::from_value(error.clone()).ok()?;
    let recoded = recode(&mut known);
    *error = serde_json::to_value(known).ok()?;
    Some(recoded)
}

/// Patches one part of a body. rmcp sends each JSON-RPC message, or each event with a message,
/// as one part.
fn patch_part(part: Bytes) -> Bytes {
    patched(&part).map_or(part, Bytes::from)
}

fn patched(part: &[u8]) -> Option<String> {
    // A substring search first: most parts have neither member, and parsing is expensive.
    let text = std::str::from_utf8(part)
        .ok()
        .filter(|text| text.contains("\"capabilities\"") || text.contains("\"error\""))?;
    edit_message(text, |message| match message.get_mut("error") {
        Some(error) => recode_value(error),
        None => message.get_mut("result").map(move_tool_capabilities),
    })
}

/// Edits the message in one part of a body. Returns `None` if there is none, or if `edit`
/// returns that it changed nothing.
pub(super) fn edit_message(
    part: &str,
    edit: impl FnOnce(&mut Value) -> Option<bool>,
) -> Option<String> {
    // The text around the braces is the framing of an event, such as `data: ` and line ends.
    let start = part.find('{')?;
    let end = part.rfind('}')? + 1;
    let mut message: Value = serde_json::from_str(part.get(start..end)?).ok()?;
    edit(&mut message)?.then(|| {
        Some(format!(
            "{}{message}{}",
            part.get(..start)?,
            part.get(end..)?
        ))
    })?
}
