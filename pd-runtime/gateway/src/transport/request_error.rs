//! Why a request to an upstream has no result.

use super::{PENDING_MAX, QUEUE};
use crate::{
    failure::{failure_text::FailureText, token_error::TokenError},
    message::ErrorObject,
};
use std::sync::Arc;

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum RequestError {
    /// The upstream answered with an error.
    #[error(transparent)]
    Refused(Box<ErrorObject>),
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
    #[error(
        "it did not take the request: it does not read its input: {QUEUE} messages are waiting"
    )]
    InputFull,
    #[error("it did not take the request: its connection has ended")]
    InputClosed,
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
                // The message is a text of the server, which only the owner reads.
                let text = format!("it answered with the error {}", error.code);
                FailureText::from(text).with_body(&error.message)
            }
            error => error.to_string().into(),
        }
    }
}

/// The answer to a request in a session that the upstream no longer knows.
#[derive(Debug, Clone)]
pub(crate) struct SessionRefusal {
    pub(crate) reason: FailureText,
    /// Whether the request may have run all the same.
    pub(crate) may_have_run: bool,
}
