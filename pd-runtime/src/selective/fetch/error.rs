//! The errors of a fetch, as messages for a model. They contain neither URL nor token, because
//! every reader of a log could otherwise take the rows.

use crate::protocol::keys::INVALID_ARGUMENTS;
use std::time::Duration;

/// A failed fetch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RowFetchError {
    #[error("`resource_url` is not an http or https URL; send it as the other tool gave it")]
    Url,
    #[error(
        "`resource_url` is a handle of the agent's own client, which has not put the rows in its place; call the other tool again \
         with `mode`: `async`"
    )]
    Handle,
    #[error(
        "this server fetches nothing from {0}; call the other tool again with `mode`: `sync`, or ask this server's operator to \
         allow that origin"
    )]
    NotAllowed(String),
    #[error(
        "{0} has an address that this server does not fetch from; call the other tool again with `mode`: `sync`"
    )]
    NotReached(String),
    #[error(
        "this server cannot make a TLS client; ask its operator to look at the machine's certificates"
    )]
    NoClient,
    #[error("{0} cannot be reached; call the other tool again, or with `mode`: `sync`")]
    Unreachable(String),
    #[error("{origin} took longer than {} seconds; call the other tool again for fewer rows", limit.as_secs_f32())]
    TimedOut { origin: String, limit: Duration },
    #[error(
        "{0} answers with a redirect, which is not followed; call the other tool again with `mode`: `sync`"
    )]
    Redirect(String),
    #[error(
        "{origin} has these rows no longer ({words}): each `resource_url` is good for one use; call the other tool again"
    )]
    Gone { origin: String, words: String },
    #[error("{origin} is handing these rows to another caller ({words}); try again in a moment")]
    Busy { origin: String, words: String },
    #[error("{origin} refuses ({words}); call the other tool again")]
    Refused { origin: String, words: String },
    #[error("{origin} answers with more than {limit} bytes; choose fewer rows")]
    TooLarge { origin: String, limit: usize },
    #[error("{0} broke off before all rows were there; send the same call again")]
    BrokenOff(String),
    #[error(
        "the answer of {origin} cannot be read, {problem}; call the other tool again with `mode`: `sync`"
    )]
    Unreadable { origin: String, problem: String },
}

impl RowFetchError {
    /// Returns the error code for the caller.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Url => INVALID_ARGUMENTS,
            Self::Handle | Self::NotAllowed(_) | Self::NotReached(_) => "RESOURCE_REFUSED",
            Self::Gone { .. } => "RESOURCE_GONE",
            Self::Busy { .. } => "RESOURCE_BUSY",
            _ => "RESOURCE_FAILED",
        }
    }
}
