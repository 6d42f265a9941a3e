//! Authentication by JSON Web Tokens: the author's settings, and the steps by which one token is
//! verified. Each rule has its own file.

mod algorithm;
mod claims;
mod error;
#[cfg(feature = "jwks")]
mod fetch;
mod jwk;
mod key_set;
mod keys;
mod refresh;
#[cfg(test)]
mod tests;
mod token;
mod token_cache;

pub use algorithm::JwtAlgorithm;
pub use error::JwtKeyError;
pub use keys::JwtKeys;

use super::resource::ProtectedResource;
use crate::{
    Principal,
    serve::http::{
        authenticate::{Authenticate, bearer},
        unauthorized::AuthenticationError,
    },
};
use claims::ExpectedClaims;
use futures::future::BoxFuture;
use http::request::Parts;
use jsonwebtoken::Algorithm;
use serde_json::{Map, Value};
use std::{fmt, time::Duration};
use token::UnverifiedToken;
use token_cache::TokenCache;

/// Authenticates callers by JSON Web Tokens (RFC 7519), as OAuth 2.1 issuers create them for APIs
/// (RFC 9068).
///
/// ```standalone_crate
/// use pd_runtime::serve::{HttpOptions, Jwt, JwtKeys};
/// use std::sync::Arc;
///
/// # // `standalone_crate`: rustdoc merges what needs no file, and merges nothing where one
/// # // example cannot be.
/// # let pem = include_str!("jwt/fixtures/ed25519.pub.pem");
/// let jwt = Jwt::new("https://shop.example/mcp", "https://id.example", JwtKeys::from_pem(pem)?);
/// let options = HttpOptions::new()
///     .protected_resource(jwt.protected_resource())
///     .authenticate(Arc::new(jwt));
/// # Ok::<(), pd_runtime::serve::JwtKeyError>(())
/// ```
///
/// A token is accepted if
///
/// - its signature is valid for a key of the issuer that it names, with an algorithm of that key:
///   `none` is not an algorithm, and a public key is never used as a secret;
/// - `iss` is an issuer that this server trusts, and `aud` names this server (RFC 8707, which MCP
///   requires);
/// - `exp` is in the future and `nbf`, if present, in the past, within the
///   [`leeway`](Self::leeway);
/// - `sub` names its owner. If several issuers are trusted, the principal's name consists of issuer
///   and `sub`.
///
/// `scope` (a string) and `scp` or `scopes` (a list or a string) become the principal's scopes.
/// Tokens longer than 16 KiB are refused. A valid token is cached until it expires or its issuer's
/// keys change, so that its signature is verified once. The cache holds 1,024 tokens.
pub struct Jwt {
    issuers: Vec<TrustedIssuer>,
    expected: ExpectedClaims,
    algorithms: Vec<Algorithm>,
    only_access_tokens: bool,
    reading: Option<Box<ClaimsReader>>,
    verified: TokenCache,
}

/// A trusted issuer.
#[derive(Debug)]
struct TrustedIssuer {
    name: String,
    keys: JwtKeys,
}

/// The author's function from claims to a principal.
type ClaimsReader = dyn Fn(Principal, &Map<String, Value>) -> Principal + Send + Sync;

impl Jwt {
    /// Trusts tokens that `issuer` issues for `audience` and signs with one of `keys`.
    ///
    /// `audience` is the URL at which clients reach this server. Clients name it when they request
    /// a token. `issuer` is compared character by character.
    pub fn new(audience: impl Into<String>, issuer: impl Into<String>, keys: JwtKeys) -> Self {
        let empty = Self {
            issuers: Vec::new(),
            expected: ExpectedClaims::new(audience.into()),
            algorithms: Vec::new(),
            only_access_tokens: false,
            reading: None,
            verified: TokenCache::default(),
        };
        empty.issuer(issuer, keys)
    }

    /// Trusts another issuer, too. Principals are then named `ISSUER SUBJECT`, since two issuers
    /// may use one name for two people.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>, keys: JwtKeys) -> Self {
        self.issuers.push(TrustedIssuer {
            name: issuer.into(),
            keys,
        });
        self
    }

    /// Accepts tokens for another audience, too: some issuers have their own name for an API.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.expected.accept(audience.into());
        self
    }

    /// Sets the tolerated clock difference when times are compared, at most ten minutes. One minute
    /// by default.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.expected.leeway(leeway);
        self
    }

    /// Accepts these algorithms only, e.g. `[JwtAlgorithm::ES256]`. By default all of
    /// [`JwtAlgorithm`], each with the keys made for it.
    #[must_use]
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = JwtAlgorithm>) -> Self {
        self.algorithms = algorithms.into_iter().map(Into::into).collect();
        self
    }

    /// Accepts only tokens that declare themselves access tokens: `typ` is `at+jwt` (RFC 9068,
    /// section 2.1). By default a token may also have the type `JWT` or none, as many issuers still
    /// create them.
    #[must_use]
    pub fn only_access_tokens(mut self) -> Self {
        self.only_access_tokens = true;
        self
    }

    /// Derives more from a token's claims: its owner's tenant, roles, or scopes that imply others.
    /// `principal` receives the principal that the rules above define, and all claims.
    ///
    /// ```
    /// # use pd_runtime::serve::Jwt;
    /// # fn with_roles(jwt: Jwt) -> Jwt {
    /// jwt.principal_by(|who, claims| match claims.get("role").and_then(|role| role.as_str()) {
    ///     Some("cashier") => {
    ///         who.with_scopes(["shop:read", "shop:refund"]).with_attribute("till", "3")
    ///     }
    ///     _ => who,
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn principal_by<F>(mut self, principal: F) -> Self
    where
        F: Fn(Principal, &Map<String, Value>) -> Principal + Send + Sync + 'static,
    {
        self.reading = Some(Box::new(principal));
        self
    }

    /// Returns the resource metadata for these tokens: the audience, and the issuers.
    pub fn protected_resource(&self) -> ProtectedResource {
        ProtectedResource::new(
            self.expected.resource(),
            self.issuers.iter().map(|issuer| &issuer.name),
        )
    }

    async fn principal(&self, text: &str) -> Result<Principal, AuthenticationError> {
        // First, so that a long token costs neither a hash nor a parse.
        token::check_length(text)?;
        // A cached token skips the signature, which costs more than the rest of a request.
        if let Some(principal) = self
            .verified
            .principal(text, |issuer| self.issuers.get(issuer)?.keys.now())
        {
            return Ok(principal);
        }
        let token = UnverifiedToken::decode_unverified(text)?;
        token.check_type(self.only_access_tokens)?;
        // Before the keys are resolved: a token that is refused anyway must not cause a fetch.
        token.check_algorithm(&self.algorithms)?;
        let (place, issuer) = self.issuer_of(&token)?;
        let (keys, key) = issuer.keys.key_for(&token).await?;
        // Nothing in the token is trusted before this line, which verifies the signature.
        let claims = self.expected.claims(&token, &key, &issuer.name)?;
        let owner = Principal::new(self.subject(&issuer.name, &claims)?)
            .with_scopes(claims::scopes(&claims));
        let principal = match &self.reading {
            Some(read) => read(owner, &claims),
            None => owner,
        };
        self.verified.remember(
            text,
            principal.clone(),
            self.expected.end(&claims),
            place,
            keys,
        );
        Ok(principal)
    }

    fn issuer_of(
        &self,
        token: &UnverifiedToken<'_>,
    ) -> Result<(usize, &TrustedIssuer), AuthenticationError> {
        let mut issuers = self.issuers.iter().enumerate();
        issuers.find(|(_, issuer)| issuer.name == token.issuer).ok_or_else(|| {
            AuthenticationError::invalid_token(
                "this server does not trust the token's issuer; get one from an issuer that it names",
            )
        })
    }

    fn subject(
        &self,
        issuer: &str,
        claims: &Map<String, Value>,
    ) -> Result<String, AuthenticationError> {
        let subject = claims::subject(claims)?;
        Ok(if self.issuers.len() > 1 {
            format!("{issuer} {subject}")
        } else {
            subject.to_owned()
        })
    }
}

impl fmt::Debug for Jwt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jwt")
            .field("issuers", &self.issuers)
            .field("expected", &self.expected)
            .finish_non_exhaustive()
    }
}

impl Authenticate for Jwt {
    fn authenticate<'a>(
        &'a self,
        request: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        Box::pin(async move { self.principal(bearer(request)?).await })
    }
}
