//! Restores what rmcp's types lost of an upstream's answer, where rmcp itself wrote the answer.
//! An event that rmcp sends again to a client that resumes a stream is not restored.

use super::{held_bytes::held, response_patch::edit_message};
use crate::{
    http_sessions::BoxedResponse,
    protocol::{answer_memory::AnswerMemory, lossy::LossyParts},
};
use axum::body::Bytes;
use http::{header::CONTENT_TYPE, request::Parts};
use http_body_util::{BodyExt, combinators::BoxBody};

/// What belongs to the answer to one request.
#[derive(Default)]
pub(super) struct AnswerExtras {
    parts: LossyParts,
    memory: AnswerMemory,
}

/// Adds to a request the places for what the types lose of its answer, and for what the answer
/// keeps.
pub(super) fn with_extras(mut request: Parts) -> (Parts, AnswerExtras) {
    let extras = AnswerExtras::default();
    request.extensions.insert(extras.parts.clone());
    request.extensions.insert(extras.memory.clone());
    (request, extras)
}

/// Restores the answer when it is sent. Its bytes hold what the answer keeps.
pub(super) fn restore(response: BoxedResponse, extras: AnswerExtras) -> BoxedResponse {
    let AnswerExtras { parts, memory } = extras;
    let is_stream = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind == "text/event-stream");
    // A JSON answer is complete here. Without lost parts, its body keeps its length.
    if !is_stream && parts.is_empty() && memory.is_empty() {
        return response;
    }
    response.map(|body| {
        let restored = body.map_frame(move |frame| {
            frame.map_data(|part| held(restore_part(part, &parts), &memory))
        });
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
        edit_message(text, |message| {
            message
                .get_mut("result")
                .map(|result| parts.restore_value(result))
                // Nothing reports whether a part was restored, so the message is always written
                // again.
                .map(|()| true)
        })
    });
    restored.map_or(part, Bytes::from)
}
