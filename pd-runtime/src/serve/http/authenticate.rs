//! Authentication over HTTP, once per request, before MCP reads it. `policy::access` decides what a
//! principal may see.

use super::{
    HttpOptions, oauth::metadata_endpoint::MetadataEndpoint, unauthorized::AuthenticationError,
};
use crate::{Principal, server::erased_server::ErasedServer};

use axum::{Router, response::Response};
use futures::future::BoxFuture;
use http::{header::AUTHORIZATION, request::Parts};
use std::{fmt, sync::Arc};

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
/// struct TokenUsage;
///
/// impl Authenticate for TokenUsage {
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

/// Returns the guard of the endpoint, if one is configured, and the public routes of the resource
/// metadata.
pub(super) fn guard(
    host: &Arc<dyn ErasedServer>,
    options: &HttpOptions,
    path: &str,
) -> (Option<Arc<AuthGuard>>, Router) {
    let resource = options.protected_resource.clone();
    let published =
        resource.map(|resource| Arc::new(MetadataEndpoint::new(resource, host.clone())));
    let guard = options.authenticate.clone().map(|who| {
        Arc::new(AuthGuard {
            who,
            published: published.clone(),
        })
    });
    (
        guard,
        published.map_or_else(Router::new, |published| published.routes(path)),
    )
}

/// The authentication of the endpoint's requests.
pub(super) struct AuthGuard {
    who: Arc<dyn Authenticate>,
    /// The resource metadata for clients, if the operator publishes any.
    published: Option<Arc<MetadataEndpoint>>,
}

impl AuthGuard {
    /// Returns the principal that sent a request with this head.
    ///
    /// # Errors
    ///
    /// Returns an error if the request is not authenticated, or if its token lacks a required
    /// scope.
    pub(super) async fn principal(
        &self,
        request: &Parts,
    ) -> Result<Principal, AuthenticationError> {
        let known = self.who.authenticate(request).await;
        let Some(published) = &self.published else {
            return known;
        };
        known
            .and_then(|principal| published.sufficient(principal))
            // Refusals of the authenticator, too: a client without a token finds the issuer by the
            // challenge (RFC 9728, section 5.1).
            .map_err(|refusal| published.challenge(refusal))
    }

    /// Puts the principal into the request's extensions, where `caller::authority` reads it.
    ///
    /// # Errors
    ///
    /// Returns the answer to a request that is not authenticated. Its body was not read.
    pub(super) async fn admit(&self, request: &mut Parts) -> Result<(), Response> {
        let principal = self
            .principal(request)
            .await
            .map_err(AuthenticationError::into_response)?;
        request.extensions.insert(principal);
        Ok(())
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
