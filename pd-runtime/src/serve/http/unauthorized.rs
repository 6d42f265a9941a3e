//! The refusal of an unauthenticated request over HTTP: a status, a challenge (RFC 9110, RFC 6750),
//! and the reason as JSON.

use axum::{body::Body, response::Response};
use http::{
    HeaderValue, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde_json::json;
use std::borrow::Cow;

/// The reason why a request is not authenticated.
///
/// The challenge has the scheme `Bearer` (RFC 6750). [`HttpOptions::protected_resource`] adds where
/// to get a token, and for which scopes. A challenge of another scheme:
///
/// ```
/// use futures::{FutureExt, future::{BoxFuture, ready}};
/// use pd_runtime::{Principal, serve::{Authenticate, AuthenticationError}};
///
/// /// Knows callers by the header `X-Api-Key`.
/// struct ApiKeys;
///
/// impl Authenticate for ApiKeys {
///     fn authenticate<'a>(
///         &'a self,
///         request: &'a http::request::Parts,
///     ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
///         let owner = request.headers.get("x-api-key").and_then(|key| owner_of(key.as_bytes()));
///         let advice = "send your key as the header `X-Api-Key`";
///         let refusal = || AuthenticationError::no_token(advice).scheme("ApiKey");
///         ready(owner.map(Principal::new).ok_or_else(refusal)).boxed()
///     }
/// }
/// # fn owner_of(key: &[u8]) -> Option<&'static str> { (key == b"k").then_some("alice") }
/// ```
///
/// [`HttpOptions::protected_resource`]: super::HttpOptions::protected_resource
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{advice}")]
pub struct AuthenticationError {
    fault: AuthFault,
    advice: Cow<'static, str>,
    scheme: Cow<'static, str>,
    parameters: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    others: Vec<Cow<'static, str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AuthFault {
    NoToken,
    InvalidToken,
    InvalidRequest,
    InsufficientScope,
    Unavailable,
}

/// The value of `Retry-After` while tokens cannot be checked, in seconds.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("5");

impl AuthenticationError {
    /// The request has no token: status 401. `advice` explains to a person how to get one, and is
    /// public.
    pub fn no_token(advice: impl Into<Cow<'static, str>>) -> Self {
        Self::new(AuthFault::NoToken, advice)
    }

    /// The token is unknown, has expired, or is not for this server: status 401. `advice` explains
    /// to a person what to do, and is public.
    pub fn invalid_token(advice: impl Into<Cow<'static, str>>) -> Self {
        Self::new(AuthFault::InvalidToken, advice)
    }

    /// The request's credentials are malformed: status 400. `advice` is public.
    pub fn invalid_request(advice: impl Into<Cow<'static, str>>) -> Self {
        Self::new(AuthFault::InvalidRequest, advice)
    }

    /// The token is valid, but lacks a scope without which this server does nothing: status 403.
    /// Name the scopes with [`with`](Self::with)`("scope", "one two")`, unless
    /// [`ProtectedResource`](super::ProtectedResource) does. `advice` is public.
    ///
    /// For a scope that single tools require, use `scopes(…)` on these tools. They are unknown to
    /// a caller who lacks the scope, and no status reveals them.
    pub fn insufficient_scope(advice: impl Into<Cow<'static, str>>) -> Self {
        Self::new(AuthFault::InsufficientScope, advice)
    }

    /// The token cannot be checked at the moment: status 503. The token may be good, so clients
    /// keep it and retry. `advice` is public.
    pub fn unavailable(advice: impl Into<Cow<'static, str>>) -> Self {
        Self::new(AuthFault::Unavailable, advice)
    }

    fn new(fault: AuthFault, advice: impl Into<Cow<'static, str>>) -> Self {
        let scheme = Cow::Borrowed("Bearer");
        let parameters = Vec::new();
        let others = Vec::new();
        Self {
            fault,
            advice: advice.into(),
            scheme,
            parameters,
            others,
        }
    }

    /// Adds a parameter to the challenge: `realm`, `scope`, or `resource_metadata` (RFC 9728),
    /// where MCP clients learn how to get a token.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Sets another scheme than `Bearer`.
    #[must_use]
    pub fn scheme(mut self, scheme: impl Into<Cow<'static, str>>) -> Self {
        self.scheme = scheme.into();
        self
    }

    /// Adds a challenge of another scheme, in its literal form: `or("ApiKey realm=\"shop\"")`. Each
    /// is a separate header field after the first one, since some clients read only the first.
    #[must_use]
    pub fn or(mut self, challenge: impl Into<Cow<'static, str>>) -> Self {
        self.others.push(challenge.into());
        self
    }

    /// Adds a parameter to a `Bearer` challenge that does not have it yet.
    pub(super) fn with_missing(
        self,
        name: &'static str,
        value: impl FnOnce() -> Option<String>,
    ) -> Self {
        if !self.is_of_bearer() || self.parameters.iter().any(|(existing, _)| existing == name) {
            return self;
        }
        match value() {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Returns whether the token could not be checked, so nothing was decided.
    pub(super) fn is_unavailable(&self) -> bool {
        self.fault == AuthFault::Unavailable
    }

    fn is_of_bearer(&self) -> bool {
        self.scheme.eq_ignore_ascii_case("bearer")
    }

    /// Builds the challenge. A request without a token gets no error in it (RFC 6750, section 3.1).
    fn challenge(&self) -> String {
        let has_error = self.fault != AuthFault::NoToken && self.is_of_bearer();
        let error = [
            ("error", self.fault.code()),
            ("error_description", self.advice.as_ref()),
        ];
        let error = error.into_iter().filter(|_| has_error);
        let own_parameters = self
            .parameters
            .iter()
            .map(|(name, value)| (name.as_ref(), value.as_ref()));
        let parameters: Vec<_> = error
            .chain(own_parameters)
            .map(|(name, value)| format!("{name}=\"{}\"", escape_quoted(value)))
            .collect();
        format!("{} {}", self.scheme, parameters.join(", "))
            .trim_end()
            .to_owned()
    }

    pub(super) fn into_response(self) -> Response {
        let body = json!({ "error": self.fault.code(), "error_description": self.advice });
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = self.fault.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.fault == AuthFault::Unavailable {
            headers.insert(RETRY_AFTER, RETRY_SECONDS);
            // Without a challenge: a client would take it for a refusal and discard its token.
            return response;
        }
        // An author's parameter may contain bytes that a header cannot, and a 401 needs a challenge
        // in any case (RFC 9110, section 15.5.2).
        let challenge =
            HeaderValue::try_from(self.challenge()).unwrap_or(HeaderValue::from_static("Bearer"));
        headers.insert(WWW_AUTHENTICATE, challenge);
        // A challenge that a header cannot contain is left out: the first one is there in any case.
        for other in self
            .others
            .iter()
            .filter_map(|other| HeaderValue::try_from(other.as_ref()).ok())
        {
            headers.append(WWW_AUTHENTICATE, other);
        }
        response
    }
}

impl AuthFault {
    /// Returns the status, which RFC 6750 defines and MCP requires.
    fn status(self) -> StatusCode {
        match self {
            Self::NoToken | Self::InvalidToken => StatusCode::UNAUTHORIZED,
            Self::InvalidRequest => StatusCode::BAD_REQUEST,
            Self::InsufficientScope => StatusCode::FORBIDDEN,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Returns the error code of OAuth. OAuth has none for a missing token; `invalid_token` fits
    /// best.
    fn code(self) -> &'static str {
        match self {
            Self::NoToken | Self::InvalidToken => "invalid_token",
            Self::InvalidRequest => "invalid_request",
            Self::InsufficientScope => "insufficient_scope",
            Self::Unavailable => "temporarily_unavailable",
        }
    }
}

/// Replaces the characters that a quoted parameter of a challenge may not contain (RFC 6750,
/// section 3).
fn escape_quoted(text: &str) -> String {
    text.chars()
        .map(|char| {
            if matches!(char, ' '..='~') && !matches!(char, '"' | '\\') {
                char
            } else {
                '\''
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_challenge_says_where_to_get_a_token() {
        let metadata = "https://pd.example/.well-known/oauth-protected-resource";
        let challenge = AuthenticationError::no_token("log in")
            .with("resource_metadata", metadata)
            .challenge();
        assert_eq!(
            challenge,
            format!("Bearer resource_metadata=\"{metadata}\"")
        );
    }

    #[test]
    fn a_challenge_is_a_header_whatever_the_advice() {
        let response = AuthenticationError::invalid_token("say \"hi\"\r\nX: é")
            .with("realm", "r")
            .into_response();
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
        let challenge =
            "Bearer error=\"invalid_token\", error_description=\"say 'hi'''X: '\", realm=\"r\"";
        assert_eq!(response.headers()[WWW_AUTHENTICATE], challenge);
    }

    #[test]
    fn each_fault_has_its_status_and_code() {
        for (refusal, status, challenge) in [
            (AuthenticationError::no_token("a"), 401, Some("Bearer")),
            (
                AuthenticationError::invalid_request("a"),
                400,
                Some("Bearer error=\"invalid_request\", error_description=\"a\""),
            ),
            (
                AuthenticationError::insufficient_scope("a"),
                403,
                Some("Bearer error=\"insufficient_scope\", error_description=\"a\""),
            ),
            (AuthenticationError::unavailable("a"), 503, None),
        ] {
            let response = refusal.into_response();
            assert_eq!(response.status(), status);
            assert_eq!(
                response
                    .headers()
                    .get(WWW_AUTHENTICATE)
                    .map(|it| it.to_str().unwrap()),
                challenge
            );
            assert_eq!(response.headers().contains_key(RETRY_AFTER), status == 503);
        }
    }

    #[test]
    fn other_schemes_stand_beside_bearer_or_in_its_place() {
        let both = AuthenticationError::no_token("a")
            .or("ApiKey realm=\"shop\"")
            .or("no\nheader")
            .into_response();
        let challenges: Vec<_> = both.headers().get_all(WWW_AUTHENTICATE).iter().collect();
        assert_eq!(challenges, ["Bearer", "ApiKey realm=\"shop\""]);
        let alone = AuthenticationError::invalid_token("a")
            .scheme("ApiKey")
            .with_missing("scope", || Some("x".into()));
        assert_eq!(
            alone.challenge(),
            "ApiKey",
            "`error` and `scope` are words of RFC 6750"
        );
    }

    #[test]
    fn what_the_author_said_of_scopes_stands() {
        let own = AuthenticationError::no_token("a")
            .with("scope", "one")
            .with_missing("scope", || Some("two".into()));
        assert_eq!(own.challenge(), "Bearer scope=\"one\"");
    }
}
