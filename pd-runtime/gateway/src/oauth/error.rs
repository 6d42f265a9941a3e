//! Why a login or a renewal of tokens failed.

use pd_runtime::upstream::text::{escape::one_line, truncate::first_chars};
use rmcp::transport::auth::AuthError;
use std::{io, path::PathBuf};

/// The most characters of a server's text that an error contains.
const TEXT_MAX: usize = 300;

/// Why a login failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The configuration has no such server.
    #[error("no such server: `{name}`; the servers are {servers}")]
    UnknownServer {
        /// The name.
        name: String,
        /// The names that there are.
        servers: String,
    },
    /// The server does not use OAuth in this configuration.
    #[error("`{server}` has no login: {why}")]
    NoLogin {
        /// The server.
        server: String,
        /// The reason, and what to do.
        why: &'static str,
    },
    /// The server cannot be reached.
    #[error("{url} cannot be reached: {why}; check the URL and the network")]
    Unreachable {
        /// The origin of the server.
        url: String,
        /// The reason.
        why: String,
    },
    /// The server does not publish where its tokens come from.
    #[error(
        "{url} publishes no OAuth metadata; if it takes a token, set the header `Authorization` in its entry"
    )]
    NoMetadata {
        /// The origin of the server.
        url: String,
    },
    /// The authorization server uses plain HTTP.
    #[error(
        "the authorization server names `{url}` for its {endpoint}, which is not HTTPS; no secret is sent there"
    )]
    Insecure {
        /// The endpoint.
        endpoint: &'static str,
        /// Its URL.
        url: String,
    },
    /// The authorization server does not declare PKCE with S256.
    #[error(
        "the authorization server does not declare PKCE with S256 (`code_challenge_methods_supported`), so a login is \
         not safe; ask its operator, or set the header `Authorization` in the entry if it takes a token"
    )]
    NoPkce,
    /// The authorization server registers no clients.
    #[error(
        "the authorization server registers no clients; register one with the redirect URI {redirect_uri}, and set \
         `pd.oauth.clientId`"
    )]
    NoRegistration {
        /// The redirect URI.
        redirect_uri: String,
    },
    /// The authorization server has refused the login.
    #[error("the authorization server has refused the login: {why}")]
    Refused {
        /// Its reason.
        why: String,
    },
    /// The URL that the browser was redirected to does not belong to this login.
    #[error("this is not the answer to this login: {why}; log in again")]
    Redirect {
        /// The reason.
        why: &'static str,
    },
    /// The authorization server could not be used.
    #[error("the login failed: {why}")]
    Failed {
        /// The reason.
        why: String,
    },
    /// The tokens cannot be kept.
    #[error("the tokens cannot be written to {}: {why}; check its permissions", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The user has no directory for tokens.
    #[error("there is no directory for tokens; set HOME or XDG_STATE_HOME")]
    NoDirectory,
}

impl LoginError {
    pub(super) fn from_auth(error: &AuthError) -> Self {
        match error {
            AuthError::RegistrationFailed(_) => Self::Refused {
                why: format!("it did not register the gateway: {}", reason(error)),
            },
            AuthError::TokenExchangeFailed(_) => Self::Refused { why: reason(error) },
            _ => Self::Failed { why: reason(error) },
        }
    }

    pub(super) fn unwritable(path: PathBuf, error: &io::Error) -> Self {
        Self::Unwritable {
            path,
            why: error.to_string(),
        }
    }
}

/// Renders an error with its causes. Parts of it are texts of servers.
pub(super) fn reason(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let part = error.to_string();
        // Some errors repeat their cause in their own text.
        if !text.contains(&part) {
            text = format!("{text}: {part}");
        }
        cause = error.source();
    }
    shortened(&text)
}

/// Renders a server's text on one line.
pub(super) fn shortened(text: &str) -> String {
    let text: String = first_chars(text.trim(), TEXT_MAX).to_owned();
    one_line(&text).into_owned()
}
