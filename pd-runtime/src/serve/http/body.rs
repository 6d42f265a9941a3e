//! A request's body, read completely before MCP sees it: within a time limit, a size limit, and a
//! budget for all bodies that are being received.

mod held;

use crate::{
    http_sessions::HttpRefusal,
    policy::rate_limit::quota::{QuotaClaim, QuotaReserve, QuotaShortage, SharedQuota},
    protocol::quota_key::QuotaKey,
};
use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody},
    response::Response,
};
use futures::FutureExt;
use held::ReceivedBody;
use http::{
    HeaderValue, StatusCode,
    header::{CONNECTION, CONTENT_TYPE},
};
use http_body_util::BodyExt;
use std::{sync::Arc, time::Duration};

/// The size up to which a body may use the quarter of the budget that larger bodies leave free. So
/// a client that stalls large bodies does not block small requests, not even those from its own
/// address.
const SMALL: usize = 16 * 1024;
/// The value of `Retry-After`, in seconds. By then the clients that are slow now have finished or
/// timed out.
const RETRY_SECONDS: u64 = 10;

/// The limits of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimits {
    pub(super) bytes: usize,
    pub(super) time: Duration,
}

/// Reads bodies. Clones share one budget.
#[derive(Debug, Clone)]
pub(super) struct BodyReader {
    limits: BodyLimits,
    budget: Arc<SharedQuota>,
}

/// The reason why a body was not read. It becomes the answer.
pub(super) enum BodyError {
    TooLarge(usize),
    TooSlow(Duration),
    Broken(BoxError),
    /// The bodies that are being received use the whole budget.
    NoRoom(QuotaShortage),
}

impl BodyReader {
    pub(super) fn new(limits: BodyLimits, budget: Arc<SharedQuota>) -> Self {
        Self { limits, budget }
    }

    /// Returns a reader with the same budget for bodies of at most this many bytes.
    pub(super) fn at_most(&self, bytes: usize) -> Self {
        let limits = BodyLimits {
            bytes: self.limits.bytes.min(bytes),
            ..self.limits
        };
        Self {
            limits,
            budget: self.budget.clone(),
        }
    }

    /// Reads a request's whole body. The payer is determined only for a body that does not arrive
    /// together with its head.
    ///
    /// # Errors
    ///
    /// Returns the answer to the request if its body cannot be read.
    pub(super) async fn arrived<'a, B>(
        &self,
        body: B,
        payer: impl FnOnce() -> QuotaKey<'a>,
    ) -> Result<Bytes, Response>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
    {
        self.read(body, payer)
            .await
            .map_err(BodyError::into_response)
    }

    /// Reads a whole body.
    ///
    /// # Errors
    ///
    /// Returns an error if the body is too large, too slow or incomplete, or exceeds the budget.
    pub(super) async fn read<'a, B>(
        &self,
        body: B,
        payer: impl FnOnce() -> QuotaKey<'a>,
    ) -> Result<Bytes, BodyError>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
    {
        if body.is_end_stream() {
            return Ok(Bytes::new());
        }
        let mut parts = BodyParts::new(body, self.limits.bytes)?;
        let mut received = ReceivedBody::default();
        // Most bodies arrive together with their heads. They need neither the timer nor the budget.
        // All requests would contend for the budget's lock.
        while let Some(part) = parts.next().now_or_never() {
            match part? {
                Some(part) => received.add(part),
                None => return Ok(received.into_bytes()),
            }
        }
        let claim = self.budget.claim(self.budget.account(payer()));
        let rest = tokio::time::timeout(self.limits.time, rest(parts, received, claim)).await;
        rest.unwrap_or(Err(BodyError::TooSlow(self.limits.time)))
    }
}

/// Reads the rest of a body. The claim covers the received bytes before each wait, so that no
/// stalled body holds uncounted memory.
async fn rest<B>(
    mut parts: BodyParts<B>,
    mut received: ReceivedBody,
    mut claim: QuotaClaim,
) -> Result<Bytes, BodyError>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    loop {
        let size = received.size();
        let reserve = if size > SMALL {
            QuotaReserve::Quarter
        } else {
            QuotaReserve::None
        };
        claim.grow_to(size, reserve).map_err(BodyError::NoRoom)?;
        match parts.next().await? {
            Some(part) => received.add(part),
            None => return Ok(received.into_bytes()),
        }
    }
}

/// The parts of a body, up to a total size.
struct BodyParts<B> {
    body: B,
    max: usize,
    left: usize,
}

impl<B> BodyParts<B>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    /// Creates the reader, unless the announced length is already too large.
    fn new(body: B, max: usize) -> Result<Self, BodyError> {
        // A length that does not fit in memory is over every limit.
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if announced > max {
            Err(BodyError::TooLarge(max))
        } else {
            Ok(Self {
                body,
                max,
                left: max,
            })
        }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        while let Some(frame) = self.body.frame().await {
            // MCP does not use trailers.
            let Ok(part) = frame
                .map_err(|error| BodyError::Broken(error.into()))?
                .into_data()
            else {
                continue;
            };
            // Counted as it arrives, because a chunked body announces no length.
            self.left = self
                .left
                .checked_sub(part.len())
                .ok_or(BodyError::TooLarge(self.max))?;
            return Ok(Some(part));
        }
        Ok(None)
    }
}

impl BodyError {
    /// Returns the status and the text of the answer.
    pub(super) fn status_and_message(&self) -> (StatusCode, String) {
        match self {
            Self::TooLarge(max) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("Payload Too Large: a request may have {max} bytes"),
            ),
            Self::TooSlow(time) => (
                StatusCode::REQUEST_TIMEOUT,
                format!("Request Timeout: the body did not arrive within {time:?}"),
            ),
            Self::Broken(error) => (
                StatusCode::BAD_REQUEST,
                format!("Bad Request: the body broke off: {error}"),
            ),
            Self::NoRoom(QuotaShortage::Payer) => {
                let text = "your requests whose bodies have not fully arrived hold as many bytes as one caller's may; \
                            finish those first, then send this request again";
                (StatusCode::TOO_MANY_REQUESTS, text.to_owned())
            }
            Self::NoRoom(QuotaShortage::Total) => {
                let text = "the requests whose bodies have not fully arrived hold as many bytes as this server allows; \
                            wait a little, then send this request again";
                (StatusCode::SERVICE_UNAVAILABLE, text.to_owned())
            }
        }
    }

    fn into_response(self) -> Response {
        let (status, message) = self.status_and_message();
        // The connection closes in each case: the unread rest of the body would be parsed as the
        // next request.
        if let Self::NoRoom(_) = self {
            return HttpRefusal::new(status, message)
                .retry_after(RETRY_SECONDS)
                .closing()
                .into();
        }
        let mut response = Response::new(Body::from(message));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("text/plain; charset=utf-8"),
        );
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }
}
