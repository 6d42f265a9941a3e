//! A request's body, read whole before MCP sees it: in time, and no larger than it may be.

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::Request,
    response::Response,
};
use futures::StreamExt;
use http::{
    HeaderValue, StatusCode,
    header::{CONNECTION, CONTENT_TYPE},
};
use std::time::Duration;

/// Why a body was not read; what a client is told.
enum Unread {
    TooLarge(usize),
    TooSlow(Duration),
    Broken(axum::Error),
}

/// The request with its body read.
///
/// # Errors
///
/// The answer to one whose body is too large, too slow or broken.
pub(super) async fn arrived(request: Request, max: usize, time: Duration) -> Result<Request, Response> {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return Ok(Request::from_parts(parts, body));
    }
    let read = tokio::time::timeout(time, whole(body, max)).await;
    match read.unwrap_or(Err(Unread::TooSlow(time))) {
        Ok(body) => Ok(Request::from_parts(parts, Body::from(body))),
        Err(unread) => Err(unread.into_response()),
    }
}

async fn whole(body: Body, max: usize) -> Result<Bytes, Unread> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let mut parts = body.into_data_stream();
    let mut whole = Bytes::new();
    while announced <= max {
        let Some(part) = parts.next().await else { return Ok(whole) };
        let part = part.map_err(Unread::Broken)?;
        if part.len() > max - whole.len() {
            break;
        }
        whole = joined(whole, part);
    }
    Err(Unread::TooLarge(max))
}

/// Most bodies come in one part, which is not copied.
fn joined(whole: Bytes, part: Bytes) -> Bytes {
    if whole.is_empty() {
        return part;
    }
    let mut both = Vec::from(whole);
    both.extend_from_slice(&part);
    both.into()
}

impl Unread {
    fn into_response(self) -> Response {
        let (status, told) = match self {
            Self::TooLarge(max) => {
                (StatusCode::PAYLOAD_TOO_LARGE, format!("Payload Too Large: a request may have {max} bytes"))
            }
            Self::TooSlow(time) => {
                (StatusCode::REQUEST_TIMEOUT, format!("Request Timeout: the body did not come within {time:?}"))
            }
            Self::Broken(error) => (StatusCode::BAD_REQUEST, format!("Bad Request: the body broke off: {error}")),
        };
        let mut response = Response::new(Body::from(told));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        // The rest of the body would be taken for the next request.
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }
}
