//! Authentication over HTTP, once per request, before MCP reads it. `policy::access` decides what a
//! principal may see.

use super::unauthorized::AuthenticationError;
use crate::Principal;

use futures::future::BoxFuture;
use http::{header::AUTHORIZATION, request::Parts};
use std::fmt;

/// Identifies the sender of a request; see
/// [`HttpOptions::authenticate`](super::HttpOptions::authenticate).
///
/// The server calls it for every request, including those in open sessions, so revoked rights end
/// with the next request. Compare secrets in constant time, and log none of them. `Jwt` (feature
/// `jwt`) verifies JSON Web Tokens.
///
/// ```
/// use futures::{FutureExt, future::{BoxFuture, ready}};
/// use pd_runtime::{Principal, serve::{Authenticate, AuthenticationError, bearer}};
///
/// /// Reads a session token of our own.
/// struct SessionTokens;
///
/// impl Authenticate for SessionTokens {
///     fn authenticate<'a>(
///         &'a self,
///         request: &'a http::request::Parts,
///     ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
///         let known = bearer(request).and_then(|token| match verified(token) {
///             Some(subject) => Ok(Principal::new(subject).with_scopes(["issues:read"])),
///             None => {
///                 let why = "this token has expired; log in again";
///                 Err(AuthenticationError::invalid_token(why))
///             }
///         });
///         ready(known).boxed()
///     }
/// }
/// # fn verified(token: &str) -> Option<String> {
/// #     token.strip_prefix("signed:").map(str::to_owned)
/// # }
/// ```
pub trait Authenticate: Send + Sync {
    /// Returns the principal that sent a request with these headers. The body has not been read
    /// yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the sender is not allowed to use this server.
    fn authenticate<'a>(
        &'a self,
        request: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>>;
}

impl fmt::Debug for dyn Authenticate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authenticate")
    }
}

/// Returns the bearer token of a request (RFC 6750, section 2.1).
///
/// # Errors
///
/// Returns an error if the request has no bearer token, or several `Authorization` headers.
pub fn bearer(request: &Parts) -> Result<&str, AuthenticationError> {
    let advice =
        "send a token that this server accepts, as the header `Authorization: Bearer TOKEN`";
    let mut headers = request.headers.get_all(AUTHORIZATION).iter();
    let header = headers.next();
    let second = headers.next();
    // A proxy may check one header and this server the other, so neither is used.
    if second.is_some() {
        return Err(AuthenticationError::invalid_request(
            "send one header `Authorization`, not several",
        ));
    }
    match header
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
    {
        // Names of schemes are case-insensitive (RFC 9110, section 11.1).
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim()),
        _ => Err(AuthenticationError::no_token(advice)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn request(authorization: &[&str]) -> Parts {
        let request = authorization
            .iter()
            .fold(http::Request::builder(), |it, value| {
                it.header(AUTHORIZATION, *value)
            });
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn a_bearer_token_is_read_whatever_the_case_of_its_scheme() {
        for header in ["Bearer abc", "bearer abc", "BEARER  abc "] {
            assert_eq!(bearer(&request(&[header])).unwrap(), "abc");
        }
        for header in ["Basic abc", "abc", "Bearerabc", ""] {
            assert_eq!(
                bearer(&request(&[header]))
                    .unwrap_err()
                    .into_response()
                    .status(),
                401
            );
        }
        assert_eq!(
            bearer(&request(&[])).unwrap_err().into_response().status(),
            401
        );
    }

    #[test]
    fn of_two_tokens_none_is_read() {
        assert_eq!(
            bearer(&request(&["Bearer a", "Bearer a"]))
                .unwrap_err()
                .into_response()
                .status(),
            400
        );
    }
}
