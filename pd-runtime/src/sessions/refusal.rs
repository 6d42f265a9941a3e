//! What clients are told when they cannot have a session, or no more of one.

use super::Response;
use http::{
    HeaderValue, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use http_body_util::{BodyExt, Full as Whole};
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde_json::json;

/// A server's own error (JSON-RPC 2.0, section 5.1).
const BUSY: i32 = -32000;
/// When a client may try again, in seconds.
const RETRY_SECONDS: u32 = 10;

/// There are as many sessions as there may be.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("this server has as many sessions as it may have; try again later")]
pub(crate) struct Full;

/// The answer to `initialize` where there is no room. The request's id is not known here.
pub(super) fn full() -> Response {
    let told = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": BUSY, "message": Full.to_string() } });
    let mut response = Response::new(Whole::from(told.to_string()).boxed());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(RETRY_AFTER, RETRY_SECONDS.into());
    response
}

/// The answer to whoever names a session that is not there, or not theirs: rmcp's own.
pub(super) fn unknown() -> Response {
    let mut response = Response::new(Whole::from("Not Found: Session not found").boxed());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

pub(super) fn too_many(max: usize, id: RequestId) -> ServerJsonRpcMessage {
    let message = format!("{max} requests are under way in this session, and no more may be; wait for an answer");
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(BUSY), message, None), Some(id))
}

pub(super) fn used_id(id: RequestId) -> ServerJsonRpcMessage {
    let message = "a request with this id is under way in this session; give each request an id of its own";
    ServerJsonRpcMessage::error(ErrorData::invalid_request(message, None), Some(id))
}
