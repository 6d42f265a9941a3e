//! Why a connection to an upstream could not be started.

use super::RequestError;
use crate::failure::{failure_text::FailureText, token_error::TokenError};
use rmcp::model::ProtocolVersion;
use std::{sync::Arc, time::Duration};

/// Why an upstream could not be started.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum StartError {
    /// Its entry cannot be used: the program cannot be run, or the URL or a header is not valid.
    #[error("{0}")]
    Unusable(FailureText),
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error("`initialize` failed: {0}")]
    Initialize(RequestError),
    #[error("no answer to `initialize` in {} s", .0.as_secs())]
    Silent(Duration),
    #[error(
        "it speaks MCP {0}, which this gateway does not; the gateway speaks {oldest} to {latest}",
        oldest = ProtocolVersion::V_2024_11_05,
        latest = ProtocolVersion::LATEST
    )]
    Version(String),
    #[error("its answer to `initialize` has no version of MCP in `protocolVersion`")]
    NoVersion,
    /// The second value is what the process wrote to its standard error.
    #[error("no answer to the handshake in {} s", .0.as_secs_f32())]
    Timeout(Duration, String),
    #[error("it was stopped")]
    Stopped,
}

impl StartError {
    /// Returns the text of an error that a login ends.
    pub(crate) fn login_reason(&self) -> Option<Arc<str>> {
        match self {
            Self::Token(TokenError::LoginRequired(reason))
            // The handshake itself can meet with 401, too, and not only the renewal before it.
            | Self::Initialize(RequestError::Unauthorized(TokenError::LoginRequired(reason))) => {
                Some(reason.clone())
            }
            _ => None,
        }
    }

    /// Returns the failure with what only the gateway's owner reads.
    pub(crate) fn failure(&self) -> FailureText {
        match self {
            Self::Unusable(why) => why.clone(),
            Self::Initialize(error) => error
                .failure()
                .map(|why| format!("`initialize` failed: {why}")),
            Self::Timeout(_, stderr) => {
                FailureText::from(self.to_string()).with_standard_error(stderr)
            }
            Self::Token(_)
            | Self::Silent(_)
            | Self::Version(_)
            | Self::NoVersion
            | Self::Stopped => self.to_string().into(),
        }
    }

    /// Returns whether each other connection would fail, too.
    pub(crate) const fn is_for_all(&self) -> bool {
        matches!(self, Self::Unusable(_))
    }
}
