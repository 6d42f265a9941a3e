//! Restores what rmcp's types lost of an upstream's answer, where rmcp itself wrote the answer.
//! An event that rmcp sends again to a client that resumes a stream is not restored.

use crate::{http_sessions::BoxedResponse, protocol::lossy::LossyParts, serve::capability_patch::edit_message};
use axum::body::Bytes;
use http::{header::CONTENT_TYPE, request::Parts};
use http_body_util::{BodyExt, combinators::BoxBody};

/// Adds to a request the place for what the types lose of its answer.
pub(super) fn with_parts(mut request: Parts) -> (Parts, LossyParts) {
    let parts = LossyParts::default();
    request.extensions.insert(parts.clone());
    (request, parts)
}

/// Restores the answer when it is sent.
pub(super) fn restore(response: BoxedResponse, parts: LossyParts) -> BoxedResponse {
    let is_stream = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
    // A JSON answer is complete here. Without lost parts, its body keeps its length.
    if !is_stream && parts.is_empty() {
        return response;
    }
    response.map(|body| {
        let restored = body.map_frame(move |frame| frame.map_data(|part| restore_part(part, &parts)));
        BoxBody::new(restored)
    })
}

/// Restores one part of a body. rmcp sends each JSON-RPC message, or each event with a message, as
/// one part.
fn restore_part(part: Bytes, parts: &LossyParts) -> Bytes {
    if parts.is_empty() {
        return part;
    }
    let restored = std::str::from_utf8(&part).ok().and_then(|text| {
        // Messages before the answer have no result.
        edit_message(text, |message| message.get_mut("result").map(|result| parts.restore_value(result)).map(|()| true))
    });
    restored.map_or(part, Bytes::from)
}
