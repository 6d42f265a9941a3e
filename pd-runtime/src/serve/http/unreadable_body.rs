//! Answers a body that is not valid JSON with a JSON-RPC error. rmcp answers it with a text, without
//! the id of the request.

use super::response_body::ResponseBody;
use crate::{http_sessions::BoxedResponse, protocol::unreadable};
use axum::body::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header::CONTENT_TYPE};
use serde_json::json;

/// Returns whether the headers announce JSON, by the rule of rmcp.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// Returns whether a body was not read. Of a body with the right type, rmcp says so by the status for
/// a wrong one.
pub(super) fn is_unread(response: &BoxedResponse) -> bool {
    response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE
}

/// Returns the answer to this body.
pub(super) fn answer(body: &[u8]) -> http::Response<ResponseBody> {
    // JSON-RPC wants `null` for an id that is not known (section 5). rmcp's type leaves it out.
    let error = json!({
        "jsonrpc": "2.0",
        "id": unreadable::request_id(body),
        "error": unreadable::error(body),
    });
    let mut response = http::Response::new(ResponseBody::whole(Bytes::from(error.to_string())));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
