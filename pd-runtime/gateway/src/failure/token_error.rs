//! Why a request has no access token that its server takes.

use std::sync::Arc;

/// Why a server does not get a request: the gateway has no access token for it. The request did not
/// run.
#[derive(Debug, Clone, thiserror::Error)]
#[cfg_attr(
    not(feature = "oauth"),
    allow(dead_code, reason = "only OAuth has tokens that are missing")
)]
pub(crate) enum TokenError {
    /// A person must log in. The text names the command.
    #[error("{0}")]
    LoginRequired(Arc<str>),
    /// The authorization server issues no token now.
    #[error("{0}")]
    Unavailable(Arc<str>),
}
