//! The answers to clients that cannot have a session, or no more of one.

use super::{
    Response,
    http_refusal::{BUSY, HttpRefusal},
};
use http::StatusCode;
use http_body_util::{BodyExt, Full as Whole};
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};

/// When a client may try again, in seconds.
const RETRY_SECONDS: u64 = 10;

/// Why no session is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoRoom {
    /// All sessions are taken, and something was asked in each of them.
    #[error("this server has as many sessions as it may have; try again later")]
    Full,
    /// The address has its share.
    #[error(
        "your address has {0} open sessions, the most that one address may have; \
         end those that are no longer used with DELETE, then send `initialize` again"
    )]
    Address(usize),
    /// The caller opened too many lately; the seconds to wait.
    #[error(
        "too many sessions were opened in a short time; wait {0} s, then send `initialize` again, \
         and keep one session for many requests"
    )]
    TooFast(u64),
}

/// The answer to `initialize` where no session is opened.
pub(super) fn no_room(why: NoRoom) -> Response {
    let (status, seconds) = match why {
        NoRoom::Full => (StatusCode::SERVICE_UNAVAILABLE, RETRY_SECONDS),
        NoRoom::Address(_) => (StatusCode::TOO_MANY_REQUESTS, RETRY_SECONDS),
        NoRoom::TooFast(seconds) => (StatusCode::TOO_MANY_REQUESTS, seconds),
    };
    let refusal = HttpRefusal::new(status, why.to_string()).retry_after(seconds);
    refusal.into_response().map(|body| Whole::new(body).boxed())
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
