//! An issuer's keys: given once, or fetched.

use super::{
    error::{FetchError, JwtKeyError},
    jwk::Key,
    key_set::KeySet,
    refresh::Fetched,
    token::Token,
};
use crate::serve::http::unauthorized::Unauthorized;
use std::{sync::Arc, time::Duration};

/// The keys with which an issuer signs tokens.
///
/// RSA keys have 2,048 to 4,096 bits; curves are P-256, P-384 and Ed25519. At most 64 keys of an issuer are held.
#[derive(Debug)]
pub struct JwtKeys(Source);

#[derive(Debug)]
enum Source {
    Given(Arc<KeySet>),
    Fetched(Arc<Fetched>),
}

impl JwtKeys {
    /// The public keys of a JWK Set (RFC 7517). Those that verify no signatures are left out.
    ///
    /// # Errors
    ///
    /// It is none, has no key that can be used, or more than 64.
    pub fn from_jwks(text: &str) -> Result<Self, JwtKeyError> {
        Ok(Self(Source::Given(Arc::new(KeySet::from_jwks(text)?))))
    }

    /// One public key in PEM. Tokens may name it as they like.
    ///
    /// # Errors
    ///
    /// It is none, is a private key, or cannot be used.
    pub fn from_pem(text: &str) -> Result<Self, JwtKeyError> {
        Self::one(Key::from_pem(text.as_bytes()).ok_or(JwtKeyError::NoPem)?)
    }

    /// A secret that is shared with the issuer, for HS256, HS384 and HS512: whoever has it can issue tokens.
    ///
    /// # Errors
    ///
    /// It is shorter than 32 bytes.
    pub fn from_secret(secret: &[u8]) -> Result<Self, JwtKeyError> {
        Self::one(Key::from_secret(secret).ok_or(JwtKeyError::ShortSecret)?)
    }

    fn one(key: Key) -> Result<Self, JwtKeyError> {
        Ok(Self(Source::Given(Arc::new(KeySet::of(key)))))
    }

    /// A JWK Set that `fetch` gets, with a client of the author's own.
    ///
    /// It is fetched when the first token comes, again every ten minutes, and when a token names a key that is not known, but then
    /// no more often than every ten seconds. It has five seconds to answer. When it fails, the keys
    /// known so far stay for a day ([`max_age`](Self::max_age)); after that, and before there are
    /// any, requests are answered with 503.
    ///
    /// ```
    /// use pd_runtime::serve::JwtKeys;
    ///
    /// JwtKeys::fetched_by(|| tokio::fs::read_to_string("/run/secrets/jwks.json"));
    /// ```
    pub fn fetched_by<F, T, E>(fetch: F) -> Self
    where
        F: Fn() -> T + Send + Sync + 'static,
        T: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<FetchError>,
    {
        Self::from(Fetched::new(fetch))
    }

    /// The JWK Set at this URL, fetched as [`fetched_by`](Self::fetched_by) says. (Feature `jwks`.)
    ///
    /// # Errors
    ///
    /// The URL is neither https nor on this machine.
    #[cfg(feature = "jwks")]
    pub fn at(url: &str) -> Result<Self, JwtKeyError> {
        super::fetch::at(url).map(Self::from)
    }

    /// The JWK Set that the issuer's metadata names as its `jwks_uri` (RFC 8414, OpenID Connect Discovery 1.0), fetched as
    /// [`fetched_by`](Self::fetched_by) says. (Feature `jwks`.)
    ///
    /// # Errors
    ///
    /// The issuer's URL is neither https nor on this machine.
    #[cfg(feature = "jwks")]
    pub fn of_issuer(issuer: &str) -> Result<Self, JwtKeyError> {
        super::fetch::of_issuer(issuer).map(Self::from)
    }

    /// How often keys are fetched again, and how often at most where tokens name unknown keys or a fetch failed. Ten minutes and
    /// ten seconds by default; says nothing of keys that are not fetched.
    #[must_use]
    pub fn refreshed(mut self, every: Duration, at_most_every: Duration) -> Self {
        if let Source::Fetched(fetched) = &mut self.0
            && let Some(fetched) = Arc::get_mut(fetched)
        {
            fetched.set_pace(every, at_most_every);
        }
        self
    }

    /// Sets the greatest age of fetched keys; one day by default. When the issuer cannot be reached
    /// for longer, requests are answered with 503 until it can be: a key that it has withdrawn
    /// meanwhile must not be trusted for ever. It has no effect on keys that are not fetched.
    #[must_use]
    pub fn max_age(mut self, max_age: Duration) -> Self {
        if let Source::Fetched(fetched) = &mut self.0
            && let Some(fetched) = Arc::get_mut(fetched)
        {
            fetched.set_max_age(max_age);
        }
        self
    }

    /// The keys known now.
    pub(super) fn now(&self) -> Option<Arc<KeySet>> {
        match &self.0 {
            Source::Given(keys) => Some(keys.clone()),
            Source::Fetched(fetched) => fetched.now(),
        }
    }

    /// The key that a token names, and the set in which it is.
    ///
    /// # Errors
    ///
    /// There is none, or the keys cannot be had.
    pub(super) async fn key_for(&self, token: &Token<'_>) -> Result<(Arc<KeySet>, Key), Unauthorized> {
        let found = |keys: Arc<KeySet>| keys.key_for(token).map(|key| (keys.clone(), key));
        if let Some(found) = self.now().and_then(found) {
            return Ok(found);
        }
        if let Source::Fetched(fetched) = &self.0 {
            fetched.again().await;
        }
        let Some(keys) = self.now() else {
            return Err(Unauthorized::unavailable(
                "the keys of the token's issuer cannot be had now; send the request again",
            ));
        };
        found(keys).ok_or_else(|| {
            Unauthorized::invalid_token("this token is signed with a key that its issuer does not publish")
        })
    }
}

impl From<Fetched> for JwtKeys {
    fn from(fetched: Fetched) -> Self {
        Self(Source::Fetched(Arc::new(fetched)))
    }
}
