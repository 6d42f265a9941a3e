//! The body of a stream that stays open.

use super::Credentials;
use crate::{policy::rate_limit::quota::Claim, serve::http::response_body::Content};
use axum::body::{Bytes, HttpBody};
use futures::{FutureExt, future::BoxFuture};
use hyper::body::{Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{sleep, timeout};

/// How long one authentication may take before it counts as unavailable.
const CHECK_TIME: Duration = Duration::from_secs(10);
/// How often in a row the authenticator may be unavailable before the stream ends.
const UNAVAILABLE_MAX: u32 = 5;

/// The body of a stream that stays open. Its place is free again when this is dropped.
pub(super) struct Standing {
    content: Content,
    /// Given back with the stream.
    claim: Option<Claim>,
    /// Resolves when the caller has lost the right to the stream.
    end: Option<BoxFuture<'static, ()>>,
}

impl Standing {
    pub(super) fn new(content: Content, claim: Claim, end: Option<BoxFuture<'static, ()>>) -> Self {
        Self { content, claim: Some(claim), end }
    }

    /// Whether the caller has lost the right to the stream; its source is dropped then, which cancels what feeds it.
    fn poll_lapsed(&mut self, context: &mut Context<'_>) -> bool {
        let is_over = self.end.as_mut().is_some_and(|end| end.poll_unpin(context).is_ready());
        if is_over {
            (self.content, self.claim, self.end) = (Content::whole(Bytes::new()), None, None);
        }
        is_over
    }
}

impl HttpBody for Standing {
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

/// Resolves when these credentials no longer authenticate the caller that they did: they are refused, or are another's.
///
/// An authenticator that is unavailable refuses nobody: the stream goes on, and the next check decides. After a few such checks
/// in a row the stream ends, so that no outage keeps a revoked token's stream open for ever.
pub(super) fn lapsed(credentials: Credentials, every: Duration) -> BoxFuture<'static, ()> {
    async move {
        let mut unavailable = 0;
        while unavailable < UNAVAILABLE_MAX {
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
