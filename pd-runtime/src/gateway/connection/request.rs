//! A request to an upstream, and why it has no result.

use super::{Connection, PENDING_MAX};
use crate::gateway::{failure_text::FailureText, link::LinkError, message::RpcError, token_error::TokenError};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub(in crate::gateway) enum RequestError {
    /// The upstream answered with an error.
    #[error(transparent)]
    Refused(Box<RpcError>),
    #[error("the connection ended before the response: {0}")]
    Closed(FailureText),
    /// The upstream did not look at the request, because it no longer knows the session.
    #[error("its session has ended (HTTP 404)")]
    SessionEnded,
    /// The upstream did not run the request, because there is no access token that it takes.
    #[error(transparent)]
    Unauthorized(TokenError),
    #[error("the call was canceled")]
    Canceled,
    /// The upstream requires input that the client did not give.
    #[error("it requires input: {0}")]
    Input(Arc<str>),
    #[error("it required input {0} times, which is the limit")]
    Rounds(usize),
    /// The response cannot be read.
    #[error("the response was lost: {0}")]
    Lost(FailureText),
    #[error("it did not take the request: {0}")]
    Unsent(#[from] LinkError),
    #[error("{PENDING_MAX} requests are waiting for it; try again later")]
    Busy,
}

impl RequestError {
    /// Returns the failure with what only the gateway's owner reads.
    pub(in crate::gateway) fn failure(&self) -> FailureText {
        match self {
            Self::Closed(why) => why.clone().map(|why| format!("the connection ended before the response: {why}")),
            Self::Lost(why) => why.clone().map(|why| format!("the response was lost: {why}")),
            Self::Refused(error) => {
                let text = format!("it answered with the error {}", error.code);
                FailureText::from(text).with_body(&error.message)
            }
            error => error.to_string().into(),
        }
    }
}

/// A request that was sent. Dropping it cancels the request.
pub(in crate::gateway) struct SentRequest<'a> {
    pub(super) connection: &'a Connection,
    pub(super) id: u64,
    pub(super) reply: oneshot::Receiver<Result<Value, RequestError>>,
    pub(super) state: RequestState,
}

/// What is left to do for a request that is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestState {
    /// Nothing: it was not sent, or it was answered.
    Ended,
    /// It waits. Clients must not cancel `initialize` (basic, cancellation).
    Handshake,
    /// It waits, and the upstream is notified that it is canceled.
    Open,
    /// Nothing: its receiver was taken.
    Kept,
}

impl SentRequest<'_> {
    /// Returns the receiver of the response. The request lasts as long as the connection.
    pub(in crate::gateway) fn keep(mut self) -> oneshot::Receiver<Result<Value, RequestError>> {
        self.state = RequestState::Kept;
        let (_, unused) = oneshot::channel();
        std::mem::replace(&mut self.reply, unused)
    }

    /// Leaves the response to itself.
    pub(in crate::gateway) fn forget(mut self) {
        self.state = RequestState::Ended;
    }

    /// Waits for the response.
    pub(in crate::gateway) async fn response(&mut self) -> Result<Value, RequestError> {
        let reply = (&mut self.reply).await;
        self.state = RequestState::Ended;
        reply.unwrap_or_else(|_| Err(RequestError::Closed("it was stopped".into())))
    }
}

impl Drop for SentRequest<'_> {
    fn drop(&mut self) {
        if self.state == RequestState::Kept {
            return;
        }
        self.connection.shared.pending.lock().remove(&self.id);
        if self.state != RequestState::Ended {
            self.connection.link.cancel(self.id, self.state == RequestState::Open);
        }
    }
}
