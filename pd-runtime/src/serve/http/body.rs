//! A request's body, read whole before MCP sees it: in time, no larger than it may be, and within the bytes that all bodies
//! may hold while they are read.

mod held;

use crate::{
    http_sessions::HttpRefusal,
    policy::rate_limit::quota::{Claim, Quota, Reserve, Shortage},
    quota_key::Payer,
};
use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody},
    response::Response,
};
use futures::FutureExt;
use held::Held;
use http::{
    HeaderValue, StatusCode,
    header::{CONNECTION, CONTENT_TYPE},
};
use http_body_util::BodyExt;
use std::{sync::Arc, time::Duration};

/// Up to this size, a body that is being read may take the quarter of the budget that larger bodies leave free. So whoever
/// stalls large bodies does not keep out small requests, not even those of its own address.
const SMALL: usize = 16 * 1024;
/// When a client may try again, in seconds: by then the clients that are slow now have been given up or have finished.
const RETRY_SECONDS: u64 = 10;

/// How large a body may be, and how long it may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) bytes: usize,
    pub(super) time: Duration,
}

/// Reads bodies. Clones share one budget.
#[derive(Debug, Clone)]
pub(super) struct BodyReader {
    limits: Limits,
    budget: Arc<Quota>,
}

/// Why a body was not read; what a client is told.
pub(super) enum Unread {
    TooLarge(usize),
    TooSlow(Duration),
    Broken(BoxError),
    /// The bodies that are being read hold as many bytes as they may.
    NoRoom(Shortage),
}

impl BodyReader {
    pub(super) fn new(limits: Limits, budget: Arc<Quota>) -> Self {
        Self { limits, budget }
    }

    /// The same budget, for bodies of at most this many bytes.
    pub(super) fn at_most(&self, bytes: usize) -> Self {
        let limits = Limits { bytes: self.limits.bytes.min(bytes), ..self.limits };
        Self { limits, budget: self.budget.clone() }
    }

    /// Reads all of a request's body. The payer is resolved only for a body that does not come with its head.
    ///
    /// # Errors
    ///
    /// The answer to a request whose body cannot be read.
    pub(super) async fn arrived<'a, B>(&self, body: B, payer: impl FnOnce() -> Payer<'a>) -> Result<Bytes, Response>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
    {
        self.read(body, payer).await.map_err(Unread::into_response)
    }

    /// Reads all of a body.
    ///
    /// # Errors
    ///
    /// It is too large, too slow or broken, or there is no room for it.
    pub(super) async fn read<'a, B>(&self, body: B, payer: impl FnOnce() -> Payer<'a>) -> Result<Bytes, Unread>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
    {
        if body.is_end_stream() {
            return Ok(Bytes::new());
        }
        let (mut parts, mut held) = (Parts::new(body, self.limits.bytes)?, Held::default());
        // Most bodies come with their heads: they wait for nobody, so they need neither the clock nor the budget.
        while let Some(part) = parts.next().now_or_never() {
            match part? {
                Some(part) => held.add(part),
                None => return Ok(held.into_bytes()),
            }
        }
        let claim = self.budget.claim(self.budget.account(payer()));
        let rest = tokio::time::timeout(self.limits.time, rest(parts, held, claim)).await;
        rest.unwrap_or(Err(Unread::TooSlow(self.limits.time)))
    }
}

/// Reads on to the end. Before each wait the claim covers what is held, so that no stalled body holds uncounted bytes.
async fn rest<B>(mut parts: Parts<B>, mut held: Held, mut claim: Claim) -> Result<Bytes, Unread>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    loop {
        let size = held.size();
        let reserve = if size > SMALL { Reserve::Quarter } else { Reserve::None };
        claim.grow_to(size, reserve).map_err(Unread::NoRoom)?;
        match parts.next().await? {
            Some(part) => held.add(part),
            None => return Ok(held.into_bytes()),
        }
    }
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
    fn new(body: B, max: usize) -> Result<Self, Unread> {
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
            Self::NoRoom(Shortage::Payer) => {
                let text = "your requests whose bodies have not fully arrived hold as many bytes as one caller's may; \
                            finish those first, then send this request again";
                (StatusCode::TOO_MANY_REQUESTS, text.to_owned())
            }
            Self::NoRoom(Shortage::Total) => {
                let text = "the requests whose bodies have not fully arrived hold as many bytes as this server allows; \
                            wait a little, then send this request again";
                (StatusCode::SERVICE_UNAVAILABLE, text.to_owned())
            }
        }
    }

    fn into_response(self) -> Response {
        let (status, told) = self.told();
        // In each case the rest of the body would be taken for the next request.
        if let Self::NoRoom(_) = self {
            return HttpRefusal::new(status, told).retry_after(RETRY_SECONDS).closing().into();
        }
        let mut response = Response::new(Body::from(told));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }
}
