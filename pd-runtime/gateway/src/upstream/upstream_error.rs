//! Why an upstream does not answer, and what a client reads of it.

use crate::{
    connection::RequestError, failure::failure_text::FailureText,
    transport::request_error::SessionRefusal,
};
use pd_runtime::{ToolError, upstream::CallerAuthority};
use rmcp::{ErrorData, model::ErrorCode};
use std::sync::Arc;

/// The codes of errors that only a gateway has.
pub(crate) const UNAVAILABLE: &str = "UPSTREAM_UNAVAILABLE";
pub(crate) const LOST: &str = "UPSTREAM_LOST_CALL";
const INPUT: &str = "UPSTREAM_REQUIRES_INPUT";
pub(crate) const LOGIN_REQUIRED: &str = "UPSTREAM_LOGIN_REQUIRED";
const CHANGED: &str = "UPSTREAM_TOOL_CHANGED";
pub(crate) const AWAITS_APPROVAL: &str = "UPSTREAM_AWAITS_APPROVAL";

/// Why an upstream cannot answer.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum UpstreamError {
    #[error("`{server}` is not available: {reason}; the next try is in {seconds} s")]
    Waiting {
        server: String,
        reason: FailureText,
        seconds: u64,
    },
    #[error("`{server}` could not be started: {reason}")]
    Start { server: String, reason: FailureText },
    /// The text names the server, and the command for a login.
    #[error("{reason}")]
    LoginRequired { reason: Arc<str> },
    #[error("`{server}` is not called: {limit}")]
    Limit { server: String, limit: String },
    #[cfg(feature = "cli")]
    #[error(
        "`{server}` is not started: its entry in a project's file waits for its owner, who can run `{command}`"
    )]
    AwaitsApproval { server: String, command: String },
    #[error("held: {reason}")]
    Held { reason: String },
    #[error("several servers have this view: read it as one of {uris}")]
    SeveralViews { uris: String },
    #[error(
        "the tool of `{server}` has changed since its description was read, and did not run; read the description again"
    )]
    Changed { server: String },
    #[error("`{server}` gave no result: {error}")]
    Request { server: String, error: RequestError },
}

impl UpstreamError {
    /// Returns the error as a caller may read it. The gateway's owner reads one line of what the
    /// server wrote, and other callers none of it.
    pub(crate) fn for_caller(self, caller: &CallerAuthority) -> Self {
        // A failure renders nothing of the server by itself, so another caller gets it as it is.
        if *caller != CallerAuthority::Owner {
            return self;
        }
        match self {
            Self::Waiting {
                server,
                reason,
                seconds,
            } => Self::Waiting {
                server,
                reason: shown(reason),
                seconds,
            },
            Self::Start { server, reason } => Self::Start {
                server,
                reason: shown(reason),
            },
            Self::Request { server, error } => {
                let error = match error {
                    RequestError::Closed(why) => RequestError::Closed(shown(why)),
                    RequestError::Ended(why) => RequestError::Ended(shown(why)),
                    RequestError::NotRun(why) => RequestError::NotRun(shown(why)),
                    RequestError::Unreachable(why) => RequestError::Unreachable(shown(why)),
                    RequestError::Lost(why) => RequestError::Lost(shown(why)),
                    RequestError::SessionLost(refusal) => {
                        RequestError::SessionLost(SessionRefusal {
                            reason: shown(refusal.reason),
                            ..refusal
                        })
                    }
                    error => error,
                };
                Self::Request { server, error }
            }
            error => error,
        }
    }

    pub(crate) fn into_tool_error(self) -> ToolError {
        let text = self.to_string();
        match self {
            Self::Waiting { .. } | Self::Start { .. } => ToolError::new(UNAVAILABLE, text),
            Self::LoginRequired { .. } => ToolError::new(LOGIN_REQUIRED, text),
            #[cfg(feature = "cli")]
            Self::AwaitsApproval { .. } => ToolError::new(AWAITS_APPROVAL, text),
            Self::Held { .. } => ToolError::new(ToolError::HELD, text),
            Self::SeveralViews { .. } => ToolError::protocol(ErrorData::invalid_params(text, None)),
            Self::Changed { .. } => ToolError::new(CHANGED, text),
            Self::Limit { .. }
            | Self::Request {
                error:
                    RequestError::Busy
                    | RequestError::InputFull
                    | RequestError::InputClosed
                    | RequestError::SessionEnded
                    | RequestError::Ended(_)
                    | RequestError::NotRun(_)
                    | RequestError::Unreachable(_)
                    | RequestError::Unauthorized(_),
                ..
            } => ToolError::new(UNAVAILABLE, format!("{text}; the tool did not run")),
            Self::Request {
                error: RequestError::SessionLost(refusal),
                ..
            } if !refusal.may_have_run => ToolError::new(
                UNAVAILABLE,
                format!("{text}; the tool did not run, so try again"),
            ),
            Self::Request {
                error: RequestError::Refused(refused),
                ..
            } => {
                // The upstream's own error reaches the client as it is, but an unknown method here
                // would read as if the gateway had no calls.
                let code = if refused.code == ErrorCode::METHOD_NOT_FOUND.0 {
                    ErrorCode::INTERNAL_ERROR.0
                } else {
                    refused.code
                };
                ToolError::protocol(ErrorData::new(
                    ErrorCode(code),
                    refused.message,
                    refused.data,
                ))
            }
            Self::Request {
                error: RequestError::TooLarge(_),
                ..
            } => ToolError::new(
                ToolError::TOO_LARGE,
                format!("{text}; the tool ran; ask for less at once"),
            ),
            Self::Request {
                error: RequestError::Input(_) | RequestError::Rounds(_),
                ..
            } => ToolError::new(INPUT, format!("{text}; the call was not completed")),
            Self::Request { .. } => {
                let advice = "it is unknown whether the tool ran, so check before you repeat it";
                ToolError::new(LOST, format!("{text}; {advice}"))
            }
        }
    }
}

/// Returns a failure with one line of what the server wrote.
fn shown(why: FailureText) -> FailureText {
    FailureText::from(why.for_owner())
}
