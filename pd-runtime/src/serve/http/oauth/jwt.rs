//! JSON Web Tokens as proof of who calls: what an author sets, and the way of one token through the rules. Each rule is in a file
//! of its own.

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

pub use error::JwtKeyError;
pub use jsonwebtoken::Algorithm as JwtAlgorithm;
pub use keys::JwtKeys;

use super::resource::ProtectedResource;
use crate::{
    Principal,
    serve::http::{
        authenticate::{Authenticate, bearer},
        unauthorized::Unauthorized,
    },
};
use claims::Expected;
use futures::future::BoxFuture;
use http::request::Parts;
use jsonwebtoken::Algorithm;
use serde_json::{Map, Value};
use std::{fmt, time::Duration};
use token::Token;
use token_cache::Verified;

/// Callers known by JSON Web Tokens (RFC 7519), as OAuth 2.1 issuers hand them out for APIs (RFC 9068).
///
/// ```
/// use pd_runtime::serve::{HttpOptions, Jwt, JwtKeys};
/// use std::sync::Arc;
///
/// # let pem = include_str!("jwt/fixtures/ed25519.pub.pem");
/// let jwt = Jwt::new("https://shop.example/mcp", "https://id.example", JwtKeys::from_pem(pem)?);
/// let mut options = HttpOptions::default();
/// options.protected_resource = Some(jwt.protected_resource());
/// options.authenticate = Some(Arc::new(jwt));
/// # Ok::<(), pd_runtime::serve::JwtKeyError>(())
/// ```
///
/// A token is let in if
///
/// - its signature holds, by a key of the issuer that it names, with an algorithm of that very key: `none` is no algorithm, and a
///   public key is never taken for a secret;
/// - `iss` is an issuer that this server trusts, and `aud` names this server (RFC 8707, which MCP asks for);
/// - `exp` lies ahead and `nbf`, where there is one, behind, give or take the [`leeway`](Self::leeway);
/// - `sub` says whose it is. Where several issuers are trusted, the principal is called by issuer and `sub`.
///
/// `scope` (a text) and `scp` or `scopes` (a list or a text) become the principal's scopes. Tokens longer than 16 KiB are not
/// looked at. A token that was found good is remembered until it expires or its issuer's keys change, so that what a signature costs
/// is paid once; 1,024 are remembered.
pub struct Jwt {
    issuers: Vec<Issuer>,
    expected: Expected,
    algorithms: Vec<Algorithm>,
    only_access_tokens: bool,
    reading: Option<Box<Reading>>,
    verified: Verified,
}

/// Whose tokens are trusted.
#[derive(Debug)]
struct Issuer {
    name: String,
    keys: JwtKeys,
}

/// What an author reads from a token's claims.
type Reading = dyn Fn(Principal, &Map<String, Value>) -> Principal + Send + Sync;

impl Jwt {
    /// Trusts tokens that `issuer` issues for `audience` and signs with one of `keys`.
    ///
    /// `audience` is the URL at which clients reach this server, which they name when they ask for a token; `issuer` is compared
    /// character by character.
    pub fn new(audience: impl Into<String>, issuer: impl Into<String>, keys: JwtKeys) -> Self {
        let nobody = Self {
            issuers: Vec::new(),
            expected: Expected::new(audience.into()),
            algorithms: Vec::new(),
            only_access_tokens: false,
            reading: None,
            verified: Verified::default(),
        };
        nobody.issuer(issuer, keys)
    }

    /// Trusts another issuer, too. Principals are then called `ISSUER SUBJECT`, since two issuers may call two people the same.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>, keys: JwtKeys) -> Self {
        self.issuers.push(Issuer { name: issuer.into(), keys });
        self
    }

    /// Accepts tokens for this audience, too: some issuers name an API by a word of their own.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.expected.accept(audience.into());
        self
    }

    /// How far clocks may be apart where times are compared, at most ten minutes. One minute by default.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.expected.leeway(leeway);
        self
    }

    /// Accepts these algorithms only, e.g. `[Algorithm::ES256]`. By default any that jsonwebtoken has, each with the keys that are
    /// made for it.
    #[must_use]
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// Accepts only tokens that say that they are access tokens: `typ` is `at+jwt` (RFC 9068, section 2.1). By default a token may
    /// also have the type `JWT` or none, as many issuers still write them.
    #[must_use]
    pub fn only_access_tokens(mut self) -> Self {
        self.only_access_tokens = true;
        self
    }

    /// Reads more from a token's claims: its owner's tenant, roles, or scopes that stand for others. `principal` gets who the
    /// token's owner is by the rules above, and all that the token says.
    ///
    /// ```
    /// # use pd_runtime::serve::Jwt;
    /// # fn of(jwt: Jwt) -> Jwt {
    /// jwt.principal_by(|who, claims| match claims.get("role").and_then(|role| role.as_str()) {
    ///     Some("cashier") => who.with_scopes(["shop:read", "shop:refund"]).with_attribute("till", "3"),
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

    /// What clients are to be told of these tokens: the audience, and who issues them.
    pub fn protected_resource(&self) -> ProtectedResource {
        ProtectedResource::new(self.expected.resource(), self.issuers.iter().map(|issuer| &issuer.name))
    }

    async fn principal(&self, text: &str) -> Result<Principal, Unauthorized> {
        token::check_length(text)?;
        if let Some(principal) = self.verified.principal(text, |issuer| self.issuers.get(issuer)?.keys.now()) {
            return Ok(principal);
        }
        let token = Token::look_at(text)?;
        token.check_type(self.only_access_tokens)?;
        token.check_algorithm(&self.algorithms)?;
        let (place, issuer) = self.issuer_of(&token)?;
        let (keys, key) = issuer.keys.key_for(&token).await?;
        let claims = self.expected.claims(&token, &key, &issuer.name)?;
        let owner = Principal::new(self.subject(&issuer.name, &claims)?).with_scopes(claims::scopes(&claims));
        let principal = match &self.reading {
            Some(read) => read(owner, &claims),
            None => owner,
        };
        self.verified.remember(text, principal.clone(), self.expected.end(&claims), place, keys);
        Ok(principal)
    }

    fn issuer_of(&self, token: &Token<'_>) -> Result<(usize, &Issuer), Unauthorized> {
        let mut issuers = self.issuers.iter().enumerate();
        let unknown = || {
            Unauthorized::invalid_token(
                "this server does not trust the token's issuer; get one from an issuer that it names",
            )
        };
        issuers.find(|(_, issuer)| issuer.name == token.issuer).ok_or_else(unknown)
    }

    fn subject(&self, issuer: &str, claims: &Map<String, Value>) -> Result<String, Unauthorized> {
        let subject = claims::subject(claims)?;
        Ok(if self.issuers.len() > 1 { format!("{issuer} {subject}") } else { subject.to_owned() })
    }
}

impl fmt::Debug for Jwt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jwt").field("issuers", &self.issuers).field("expected", &self.expected).finish_non_exhaustive()
    }
}

impl Authenticate for Jwt {
    fn authenticate<'a>(&'a self, request: &'a Parts) -> BoxFuture<'a, Result<Principal, Unauthorized>> {
        Box::pin(async move { self.principal(bearer(request)?).await })
    }
}
