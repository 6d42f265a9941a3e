//! A request's body, read whole before MCP sees it: in time, and no larger than it may be.

use axum::{
    body::{Body, BodyDataStream, Bytes, HttpBody},
    extract::Request,
    response::Response,
};
use futures::{FutureExt, StreamExt};
use http::{
    HeaderValue, StatusCode,
    header::{CONNECTION, CONTENT_TYPE},
};
use std::{
    pin::{Pin, pin},
    time::Duration,
};

/// How large a body may be, and how long it may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) bytes: usize,
    pub(super) time: Duration,
}

/// Why a body was not read; what a client is told.
pub(super) enum Unread {
    TooLarge(usize),
    TooSlow(Duration),
    Broken(axum::Error),
}

/// The request with its body read.
///
/// # Errors
///
/// The answer to one whose body is too large, too slow or broken.
pub(super) async fn arrived(request: Request, limits: Limits) -> Result<Request, Response> {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return Ok(Request::from_parts(parts, body));
    }
    match read(body, limits).await {
        Ok(body) => Ok(Request::from_parts(parts, Body::from(body))),
        Err(unread) => Err(unread.into_response()),
    }
}

/// All of a body.
///
/// # Errors
///
/// It is too large, too slow or broken.
pub(super) async fn read(body: Body, Limits { bytes, time }: Limits) -> Result<Bytes, Unread> {
    in_time(pin!(whole(body, bytes)), time).await
}

/// Most bodies come with their heads, and need no clock.
async fn in_time(
    mut read: Pin<&mut impl Future<Output = Result<Bytes, Unread>>>,
    time: Duration,
) -> Result<Bytes, Unread> {
    match read.as_mut().now_or_never() {
        Some(read) => read,
        None => tokio::time::timeout(time, read).await.unwrap_or(Err(Unread::TooSlow(time))),
    }
}

async fn whole(body: Body, max: usize) -> Result<Bytes, Unread> {
    let mut parts = Parts::of(body, max)?;
    // Most bodies come in one part, which is not copied.
    let Some(first) = parts.next().await? else { return Ok(Bytes::new()) };
    let Some(second) = parts.next().await? else { return Ok(first) };
    let mut whole = [first, second].concat();
    while let Some(part) = parts.next().await? {
        whole.extend_from_slice(&part);
    }
    Ok(whole.into())
}

/// A body's parts, while they are not too large together.
struct Parts {
    parts: BodyDataStream,
    max: usize,
    left: usize,
}

impl Parts {
    fn of(body: Body, max: usize) -> Result<Self, Unread> {
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if announced > max {
            Err(Unread::TooLarge(max))
        } else {
            Ok(Self { parts: body.into_data_stream(), max, left: max })
        }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, Unread> {
        let Some(part) = self.parts.next().await.transpose().map_err(Unread::Broken)? else { return Ok(None) };
        self.left = self.left.checked_sub(part.len()).ok_or(Unread::TooLarge(self.max))?;
        Ok(Some(part))
    }
}

impl Unread {
    pub(super) fn told(&self) -> (StatusCode, String) {
        match self {
            Self::TooLarge(max) => {
                (StatusCode::PAYLOAD_TOO_LARGE, format!("Payload Too Large: a request may have {max} bytes"))
            }
            Self::TooSlow(time) => {
                (StatusCode::REQUEST_TIMEOUT, format!("Request Timeout: the body did not come within {time:?}"))
            }
            Self::Broken(error) => (StatusCode::BAD_REQUEST, format!("Bad Request: the body broke off: {error}")),
        }
    }

    fn into_response(self) -> Response {
        let (status, told) = self.told();
        let mut response = Response::new(Body::from(told));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        // The rest of the body would be taken for the next request.
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }
}
