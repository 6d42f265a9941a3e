//! Who is calling over HTTP: asked once a request, before MCP sees it. What a principal may see is in `access`.

use crate::Principal;
use axum::{
    body::Body,
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use futures::future::BoxFuture;
use http::{
    HeaderValue, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE},
    request::Parts,
};
use serde_json::json;
use std::{borrow::Cow, fmt, sync::Arc};

/// Tells who sent a request; see [`HttpOptions::authenticate`](super::HttpOptions::authenticate).
///
/// It is asked about every request, those of open sessions included, so rights that were taken away are gone with the next
/// one. Compare secrets in constant time, and log none.
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

/// Why a request is not let in: status 401, with a challenge (RFC 6750) and its reason as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unauthorized {
    advice: Cow<'static, str>,
    is_invalid: bool,
    parameters: Vec<(Cow<'static, str>, Cow<'static, str>)>,
}

/// The one code that RFC 6750 has for a token that does not hold.
const INVALID_TOKEN: &str = "invalid_token";

impl Unauthorized {
    /// The request has no token. `advice` tells a person how to get one, and is public.
    pub fn no_token(advice: impl Into<Cow<'static, str>>) -> Self {
        Self { advice: advice.into(), is_invalid: false, parameters: Vec::new() }
    }

    /// The token is unknown, has expired, or is not for this server. `advice` tells a person what to do, and is public.
    pub fn invalid_token(advice: impl Into<Cow<'static, str>>) -> Self {
        Self { is_invalid: true, ..Self::no_token(advice) }
    }

    /// Adds a parameter to the challenge: `realm`, `scope`, or `resource_metadata` (RFC 9728), by which MCP clients find out
    /// where to get a token.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Cow<'static, str>>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// The challenge. A request without a token is told no error (RFC 6750, section 3.1).
    fn challenge(&self) -> String {
        let error = [("error", INVALID_TOKEN), ("error_description", self.advice.as_ref())];
        let error = error.into_iter().filter(|_| self.is_invalid);
        let own = self.parameters.iter().map(|(name, value)| (name.as_ref(), value.as_ref()));
        let parameters: Vec<_> =
            error.chain(own).map(|(name, value)| format!("{name}=\"{}\"", quotable(value))).collect();
        format!("Bearer {}", parameters.join(", ")).trim_end().to_owned()
    }

    fn into_response(self) -> Response {
        // Clients know this body from OAuth; without a token they know no other code either.
        let told = json!({ "error": INVALID_TOKEN, "error_description": self.advice });
        let mut response = Response::new(Body::from(told.to_string()));
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let challenge = HeaderValue::try_from(self.challenge()).unwrap_or(HeaderValue::from_static("Bearer"));
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        response
    }
}

/// What may stand between quotes in a challenge (RFC 6750, section 3).
fn quotable(text: &str) -> String {
    text.chars()
        .map(|char| if matches!(char, ' '..='~') && !matches!(char, '"' | '\\') { char } else { '\'' })
        .collect()
}

/// The bearer token of a request (RFC 6750, section 2.1).
///
/// # Errors
///
/// There is none, or what there is is no bearer token.
pub fn bearer(request: &Parts) -> Result<&str, Unauthorized> {
    let advice = "send a token that this server knows, as the header `Authorization: Bearer TOKEN`";
    let header = request.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    match header.and_then(|value| value.split_once(' ')) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim()),
        _ => Err(Unauthorized::no_token(advice)),
    }
}

/// Puts the principal where `caller::authority` looks for it, or answers in place of MCP.
pub(super) async fn admit(State(who): State<Arc<dyn Authenticate>>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    match who.authenticate(&parts).await {
        Ok(principal) => {
            parts.extensions.insert(principal);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn request(authorization: &str) -> Parts {
        http::Request::builder().header(AUTHORIZATION, authorization).body(()).unwrap().into_parts().0
    }

    #[test]
    fn a_bearer_token_is_read_whatever_the_case_of_its_scheme() {
        for header in ["Bearer abc", "bearer abc", "BEARER  abc "] {
            assert_eq!(bearer(&request(header)).unwrap(), "abc");
        }
        for header in ["Basic abc", "abc", "Bearerabc", ""] {
            assert_eq!(bearer(&request(header)).unwrap_err().challenge(), "Bearer");
        }
        assert!(bearer(&http::Request::new(()).into_parts().0).is_err());
    }

    #[test]
    fn a_challenge_says_where_to_get_a_token() {
        let metadata = "https://pd.example/.well-known/oauth-protected-resource";
        let challenge = Unauthorized::no_token("log in").with("resource_metadata", metadata).challenge();
        assert_eq!(challenge, format!("Bearer resource_metadata=\"{metadata}\""));
    }

    #[test]
    fn a_challenge_is_a_header_whatever_the_advice() {
        let response = Unauthorized::invalid_token("say \"hi\"\r\nX: é").with("realm", "r").into_response();
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
        let challenge = "Bearer error=\"invalid_token\", error_description=\"say 'hi'''X: '\", realm=\"r\"";
        assert_eq!(response.headers()[WWW_AUTHENTICATE], challenge);
    }
}
