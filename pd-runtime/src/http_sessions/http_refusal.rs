//! HTTP errors with a JSON-RPC error as the body.

use axum::body::{Body, Bytes};
use http::{
    HeaderValue, Response, StatusCode,
    header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER},
};
use rmcp::model::ErrorCode;
use serde_json::json;

/// The first of the codes that JSON-RPC 2.0 leaves to servers (section 5.1).
pub(super) const BUSY: i32 = -32000;
/// The code that rate limits have elsewhere, too. MCP leaves codes outside -32768 to -32000 to
/// applications.
const TOO_MANY_REQUESTS: i32 = 429;

/// An HTTP error with a JSON-RPC error as the body. Its `id` is null, because the request has not
/// been read.
#[derive(Debug)]
pub(crate) struct HttpRefusal {
    status: StatusCode,
    message: String,
    retry_after: Option<u64>,
    closes: bool,
}

impl HttpRefusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            retry_after: None,
            closes: false,
        }
    }

    /// Sets `Retry-After`, in seconds.
    #[must_use]
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Self {
            retry_after: Some(seconds),
            ..self
        }
    }

    /// Closes the connection after the answer.
    #[must_use]
    pub(crate) fn closing(self) -> Self {
        Self {
            closes: true,
            ..self
        }
    }

    pub(crate) fn into_response(self) -> Response<Bytes> {
        let error = match (self.retry_after, self.status) {
            (Some(seconds), StatusCode::TOO_MANY_REQUESTS) => {
                json!({ "code": self.code(), "message": self.message, "data": { "retryAfter": seconds } })
            }
            _ => json!({ "code": self.code(), "message": self.message }),
        };
        let body = json!({ "jsonrpc": "2.0", "id": null, "error": error });
        let mut response = Response::new(Bytes::from(body.to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    fn code(&self) -> i32 {
        match self.status {
            StatusCode::TOO_MANY_REQUESTS => TOO_MANY_REQUESTS,
            StatusCode::PAYLOAD_TOO_LARGE => ErrorCode::INVALID_REQUEST.0,
            _ => BUSY,
        }
    }
}

impl From<HttpRefusal> for Response<Body> {
    fn from(refusal: HttpRefusal) -> Self {
        refusal.into_response().map(Body::from)
    }
}
