//! Who is calling over HTTP: asked once a request, before MCP sees it. What a principal may see is in `access`.

use super::{HttpOptions, oauth::metadata_endpoint::Published, unauthorized::Unauthorized};
use crate::{Principal, server::erased_server::Host};

use axum::{Router, response::Response};
use futures::future::BoxFuture;
use http::{header::AUTHORIZATION, request::Parts};
use std::{fmt, sync::Arc};

/// Tells who sent a request; see [`HttpOptions::authenticate`](super::HttpOptions::authenticate).
///
/// It is asked about every request, those of open sessions included, so rights that were taken away are gone with the next
/// one. Compare secrets in constant time, and log none. JSON Web Tokens are judged by `Jwt` (feature `jwt`).
///
/// ```
/// use futures::{FutureExt, future::{BoxFuture, ready}};
/// use pd_runtime::{Principal, serve::{Authenticate, Unauthorized, bearer}};
///
/// /// Reads a session token of our own.
/// struct Tokens;
///
/// impl Authenticate for Tokens {
///     fn authenticate<'a>(&'a self, request: &'a http::request::Parts) -> BoxFuture<'a, Result<Principal, Unauthorized>> {
///         let known = bearer(request).and_then(|token| match verified(token) {
///             Some(subject) => Ok(Principal::new(subject).with_scopes(["issues:read"])),
///             None => Err(Unauthorized::invalid_token("this token has expired; log in again")),
///         });
///         ready(known).boxed()
///     }
/// }
/// # fn verified(token: &str) -> Option<String> { token.strip_prefix("signed:").map(str::to_owned) }
/// ```
pub trait Authenticate: Send + Sync {
    /// The principal that sent a request with these headers; the body has not been read.
    ///
    /// # Errors
    ///
    /// Nobody that may talk to this server.
    fn authenticate<'a>(&'a self, request: &'a Parts) -> BoxFuture<'a, Result<Principal, Unauthorized>>;
}

impl fmt::Debug for dyn Authenticate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authenticate")
    }
}

/// The bearer token of a request (RFC 6750, section 2.1).
///
/// # Errors
///
/// There is none, what there is is no bearer token, or there are several.
pub fn bearer(request: &Parts) -> Result<&str, Unauthorized> {
    let advice = "send a token that this server knows, as the header `Authorization: Bearer TOKEN`";
    let mut headers = request.headers.get_all(AUTHORIZATION).iter();
    let (header, second) = (headers.next(), headers.next());
    if second.is_some() {
        return Err(Unauthorized::invalid_request("send one header `Authorization`, not several"));
    }
    match header.and_then(|value| value.to_str().ok()).and_then(|value| value.split_once(' ')) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim()),
        _ => Err(Unauthorized::no_token(advice)),
    }
}

/// The guard before the endpoint, if there is one, and beside it, for everybody, what clients are told of tokens.
pub(super) fn guard(host: &Arc<dyn Host>, options: &HttpOptions, path: &str) -> (Option<Arc<Guard>>, Router) {
    let resource = options.protected_resource.clone();
    let published = resource.map(|resource| Arc::new(Published::new(resource, host.clone())));
    let guard = options.authenticate.clone().map(|who| Arc::new(Guard { who, published: published.clone() }));
    (guard, published.map_or_else(Router::new, |published| published.routes(path)))
}

/// Who is let in.
pub(super) struct Guard {
    who: Arc<dyn Authenticate>,
    /// What clients are told of tokens, if anything is.
    published: Option<Arc<Published>>,
}

impl Guard {
    /// The principal that sent a request with this head.
    ///
    /// # Errors
    ///
    /// Somebody who is not let in.
    pub(super) async fn principal(&self, request: &Parts) -> Result<Principal, Unauthorized> {
        let known = self.who.authenticate(request).await;
        let Some(published) = &self.published else { return known };
        known.and_then(|principal| published.sufficient(principal)).map_err(|refusal| published.challenge(refusal))
    }

    /// Puts the principal where `caller::authority` looks for it.
    ///
    /// # Errors
    ///
    /// The answer to somebody who is not let in; the body was not read.
    pub(super) async fn admit(&self, request: &mut Parts) -> Result<(), Response> {
        let principal = self.principal(request).await.map_err(Unauthorized::into_response)?;
        request.extensions.insert(principal);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn request(authorization: &[&str]) -> Parts {
        let request = authorization.iter().fold(http::Request::builder(), |it, value| it.header(AUTHORIZATION, *value));
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn a_bearer_token_is_read_whatever_the_case_of_its_scheme() {
        for header in ["Bearer abc", "bearer abc", "BEARER  abc "] {
            assert_eq!(bearer(&request(&[header])).unwrap(), "abc");
        }
        for header in ["Basic abc", "abc", "Bearerabc", ""] {
            assert_eq!(bearer(&request(&[header])).unwrap_err().into_response().status(), 401);
        }
        assert_eq!(bearer(&request(&[])).unwrap_err().into_response().status(), 401);
    }

    #[test]
    fn of_two_tokens_none_is_read() {
        assert_eq!(bearer(&request(&["Bearer a", "Bearer a"])).unwrap_err().into_response().status(), 400);
    }
}
