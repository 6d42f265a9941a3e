//! A request's body, read whole before MCP sees it: in time, and no larger than it may be.

use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody},
    response::Response,
};
use futures::FutureExt;
use http::{
    HeaderValue, StatusCode,
    header::{CONNECTION, CONTENT_TYPE},
};
use http_body_util::BodyExt;
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
    Broken(BoxError),
}

/// All of a request's body.
///
/// # Errors
///
/// The answer to one whose body is too large, too slow or broken.
pub(super) async fn arrived<B>(body: B, limits: Limits) -> Result<Bytes, Response>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    read(body, limits).await.map_err(Unread::into_response)
}

/// All of a body.
///
/// # Errors
///
/// It is too large, too slow or broken.
pub(super) async fn read<B>(body: B, Limits { bytes, time }: Limits) -> Result<Bytes, Unread>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
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

async fn whole<B>(body: B, max: usize) -> Result<Bytes, Unread>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
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
struct Parts<B> {
    body: B,
    max: usize,
    left: usize,
}

impl<B> Parts<B>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    fn of(body: B, max: usize) -> Result<Self, Unread> {
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if announced > max { Err(Unread::TooLarge(max)) } else { Ok(Self { body, max, left: max }) }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, Unread> {
        while let Some(frame) = self.body.frame().await {
            // Trailers are nothing to us.
            let Ok(part) = frame.map_err(|error| Unread::Broken(error.into()))?.into_data() else { continue };
            self.left = self.left.checked_sub(part.len()).ok_or(Unread::TooLarge(self.max))?;
            return Ok(Some(part));
        }
        Ok(None)
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
