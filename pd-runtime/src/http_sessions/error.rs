//! The answers to clients that cannot have a session, or cannot use the one that they name.

use super::{
    BoxedResponse,
    http_refusal::{BUSY, HttpRefusal},
};
use crate::telemetry::log_throttle::LogThrottle;
use http::StatusCode;
use http_body_util::{BodyExt, Full as Whole};
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};

/// The value of `Retry-After`, in seconds.
const RETRY_SECONDS: u64 = 10;

/// Limits the log of refused sessions, which any stranger could fill.
static REFUSED: LogThrottle = LogThrottle::new();

/// The reason why no session is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SessionRefusal {
    /// The endpoint has its maximum of sessions, and each of them has had a request.
    #[error("this server has reached its limit of sessions; try again later")]
    Full,
    /// The address has its maximum of sessions.
    #[error(
        "your address has {0} open sessions, the most that one address may have; \
         end those that are no longer used with DELETE, then send `initialize` again"
    )]
    Address(usize),
    /// The caller opened sessions too fast. Holds the seconds to wait.
    #[error(
        "too many sessions were opened in a short time; wait {0} s, then send `initialize` again, \
         and keep one session for many requests"
    )]
    TooFast(u64),
}

/// Builds the answer to an `initialize` that gets no session.
pub(super) fn no_room(why: SessionRefusal) -> BoxedResponse {
    if REFUSED.is_due() {
        tracing::warn!(answer = %why, "refused to open a session");
    }
    let (status, seconds) = match why {
        SessionRefusal::Full => (StatusCode::SERVICE_UNAVAILABLE, RETRY_SECONDS),
        SessionRefusal::Address(_) => (StatusCode::TOO_MANY_REQUESTS, RETRY_SECONDS),
        // Only the rate knows when the next session may be opened.
        SessionRefusal::TooFast(seconds) => (StatusCode::TOO_MANY_REQUESTS, seconds),
    };
    let refusal = HttpRefusal::new(status, why.to_string()).retry_after(seconds);
    refusal.into_response().map(|body| Whole::new(body).boxed())
}

/// Builds the answer to a request that names an unknown or foreign session. It equals rmcp's own,
/// so that a caller cannot distinguish the two.
pub(super) fn unknown() -> BoxedResponse {
    let mut response = BoxedResponse::new(Whole::from("Not Found: Session not found").boxed());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// Builds the error for a request beyond the session's limit.
pub(super) fn too_many(max: usize, id: RequestId) -> ServerJsonRpcMessage {
    let message = format!(
        "{max} requests are in flight in this session, the most that it may have; wait for an answer"
    );
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(BUSY), message, None), Some(id))
}

/// Builds the error for a request with an id that is in use.
pub(super) fn used_id(id: RequestId) -> ServerJsonRpcMessage {
    let message =
        "a request with this id is in flight in this session; give each request an id of its own";
    ServerJsonRpcMessage::error(ErrorData::invalid_request(message, None), Some(id))
}
