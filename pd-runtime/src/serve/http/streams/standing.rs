//! The body of an open event stream.

use super::StreamCredentials;
use crate::{policy::rate_limit::quota::QuotaClaim, serve::http::response_body::ResponseBody};
use axum::body::{Bytes, HttpBody};
use futures::{FutureExt, future::BoxFuture};
use hyper::body::{Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{sleep, timeout};

/// The time after which an authentication counts as unavailable.
const CHECK_TIME: Duration = Duration::from_secs(10);
/// The number of consecutive unavailable checks after which the stream ends.
const UNAVAILABLE_MAX: u32 = 5;

/// The body of an open event stream. Dropping it releases its slot.
pub(super) struct OpenStream {
    content: ResponseBody,
    /// The slot, released when the stream ends.
    claim: Option<QuotaClaim>,
    /// Resolves when the caller has lost the right to the stream.
    end: Option<BoxFuture<'static, ()>>,
}

impl OpenStream {
    pub(super) fn new(
        content: ResponseBody,
        claim: QuotaClaim,
        end: Option<BoxFuture<'static, ()>>,
    ) -> Self {
        Self {
            content,
            claim: Some(claim),
            end,
        }
    }

    /// Returns whether the caller has lost the right to the stream. If so, its source is dropped,
    /// which cancels the request behind it.
    fn poll_lapsed(&mut self, context: &mut Context<'_>) -> bool {
        let is_over = self
            .end
            .as_mut()
            .is_some_and(|end| end.poll_unpin(context).is_ready());
        if is_over {
            (self.content, self.claim, self.end) = (ResponseBody::whole(Bytes::new()), None, None);
        }
        is_over
    }
}

impl HttpBody for OpenStream {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.poll_lapsed(context) {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.content).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.content.size_hint()
    }
}

/// Resolves when these credentials no longer authenticate the same caller: they are refused, or
/// belong to another principal.
///
/// An unavailable authenticator does not refuse the caller. The stream goes on, and the next check
/// decides. After a few such checks in a row the stream ends, so that an outage does not keep the
/// stream of a revoked token open forever.
pub(super) fn lapsed(credentials: StreamCredentials, every: Duration) -> BoxFuture<'static, ()> {
    async move {
        let mut unavailable = 0;
        while unavailable < UNAVAILABLE_MAX {
            // The request was authenticated when it came, so the first check waits, too.
            sleep(every).await;
            match timeout(CHECK_TIME, credentials.guard.principal(&credentials.head)).await {
                Ok(Ok(principal)) if principal.subject() == credentials.subject => unavailable = 0,
                Ok(Err(refusal)) if refusal.is_unavailable() => unavailable += 1,
                Err(_) => unavailable += 1,
                Ok(_) => return,
            }
        }
    }
    .boxed()
}
