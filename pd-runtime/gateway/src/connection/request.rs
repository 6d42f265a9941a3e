//! A request to an upstream, and why it has no result.

use super::{Connection, PENDING_MAX};
use crate::{
    failure::{failure_text::FailureText, token_error::TokenError},
    message::{RpcError, wire::MessageReservation},
    transport::link::{LinkError, SessionRefusal},
};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum RequestError {
    /// The upstream answered with an error.
    #[error(transparent)]
    Refused(Box<RpcError>),
    #[error("the connection ended before the response: {0}")]
    Closed(FailureText),
    /// The connection had ended before the request was sent, so it did not run.
    #[error("the connection has ended: {0}")]
    Ended(FailureText),
    /// The upstream did not run the request.
    #[error("it refused the request: {0}")]
    NotRun(FailureText),
    /// The upstream did not get the request.
    #[error("{0}")]
    Unreachable(FailureText),
    /// The upstream refused the request, and takes no other one in the session either.
    #[error("its session has ended: {}", .0.reason)]
    SessionLost(SessionRefusal),
    /// The upstream did not look at the request, because it no longer knows the session.
    #[error("its session has ended (HTTP 404)")]
    SessionEnded,
    /// The upstream did not run the request, because the gateway has no access token that it takes.
    #[error(transparent)]
    Unauthorized(TokenError),
    #[error("no answer in time")]
    NoAnswer,
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
    /// The response is over a bound.
    #[error("{0}")]
    TooLarge(Arc<str>),
    #[error("it did not take the request: {0}")]
    Unsent(#[from] LinkError),
    #[error("{PENDING_MAX} requests are waiting for it; try again later")]
    Busy,
}

impl RequestError {
    /// Returns the failure with what only the gateway's owner reads.
    pub(crate) fn failure(&self) -> FailureText {
        match self {
            Self::Closed(why) => why
                .clone()
                .map(|why| format!("the connection ended before the response: {why}")),
            Self::Ended(why) => why
                .clone()
                .map(|why| format!("the connection has ended: {why}")),
            Self::NotRun(why) => why
                .clone()
                .map(|why| format!("it refused the request: {why}")),
            Self::Unreachable(why) => why.clone(),
            Self::SessionLost(refusal) => refusal
                .reason
                .clone()
                .map(|why| format!("its session has ended: {why}")),
            Self::Lost(why) => why
                .clone()
                .map(|why| format!("the response was lost: {why}")),
            Self::Refused(error) => {
                let text = format!("it answered with the error {}", error.code);
                FailureText::from(text).with_body(&error.message)
            }
            error => error.to_string().into(),
        }
    }
}

/// A request that was sent. Dropping it cancels the request.
pub(crate) struct SentRequest<'a> {
    pub(super) connection: &'a Connection,
    pub(super) id: u64,
    pub(super) reply: oneshot::Receiver<Reply>,
    pub(super) state: RequestState,
    /// The memory of a large response.
    pub(super) memory: MessageReservation,
}

/// What settles a request.
pub(super) type Reply = Result<Answer, RequestError>;

/// A response, with the memory that it takes.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(super) value: Value,
    pub(super) memory: MessageReservation,
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
    pub(crate) fn keep(mut self) -> oneshot::Receiver<Result<Answer, RequestError>> {
        self.state = RequestState::Kept;
        // Replaced and not moved out, because the value has `Drop`.
        let (_, unused) = oneshot::channel();
        std::mem::replace(&mut self.reply, unused)
    }

    /// Leaves the response to itself.
    pub(crate) fn forget(mut self) {
        self.state = RequestState::Ended;
    }

    /// Waits for the response.
    pub(crate) async fn response(&mut self) -> Result<Value, RequestError> {
        let reply = (&mut self.reply).await;
        self.state = RequestState::Ended;
        let answer =
            reply.unwrap_or_else(|_| Err(RequestError::Closed("it was stopped".into())))?;
        self.memory = answer.memory;
        Ok(answer.value)
    }

    /// Returns the memory of the response, which is in use for as long as the response is.
    pub(crate) fn take_memory(&mut self) -> MessageReservation {
        std::mem::take(&mut self.memory)
    }
}

impl Drop for SentRequest<'_> {
    fn drop(&mut self) {
        if self.state == RequestState::Kept {
            return;
        }
        self.connection.shared.pending.lock().remove(&self.id);
        if self.state != RequestState::Ended {
            self.connection
                .link
                .cancel(self.id, self.state == RequestState::Open);
        }
    }
}
