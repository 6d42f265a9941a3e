//! An issuer's keys: fixed or fetched.

use super::{
    error::{JwtKeyError, KeyFetchError},
    jwk::VerifyingKey,
    key_set::KeySet,
    refresh::FetchedKeys,
    token::UnverifiedToken,
};
use crate::serve::http::unauthorized::AuthenticationError;
use std::{sync::Arc, time::Duration};

/// The keys with which an issuer signs tokens.
///
/// RSA keys must have 2,048 to 4,096 bits. The supported curves are P-256, P-384 and Ed25519. An
/// issuer may have at most 64 keys.
#[derive(Debug)]
pub struct JwtKeys(KeySource);

#[derive(Debug)]
enum KeySource {
    Given(Arc<KeySet>),
    Fetched(Arc<FetchedKeys>),
}

impl JwtKeys {
    /// Reads the public keys of a JWK Set (RFC 7517). Keys that do not verify signatures are
    /// skipped.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a JWK Set, has no usable key, or has more than 64 keys.
    pub fn from_jwks(text: &str) -> Result<Self, JwtKeyError> {
        Ok(Self(KeySource::Given(Arc::new(KeySet::from_jwks(text)?))))
    }

    /// Reads one public key in PEM. It fits tokens with any key id.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a public key in PEM, or is not usable.
    pub fn from_pem(text: &str) -> Result<Self, JwtKeyError> {
        Self::one(VerifyingKey::from_pem(text.as_bytes()).ok_or(JwtKeyError::NoPem)?)
    }

    /// Uses a secret that is shared with the issuer, for HS256, HS384 and HS512. Every holder of
    /// the secret can issue tokens.
    ///
    /// # Errors
    ///
    /// Returns an error if the secret is shorter than 32 bytes.
    pub fn from_secret(secret: &[u8]) -> Result<Self, JwtKeyError> {
        Self::one(VerifyingKey::from_secret(secret).ok_or(JwtKeyError::ShortSecret)?)
    }

    fn one(key: VerifyingKey) -> Result<Self, JwtKeyError> {
        Ok(Self(KeySource::Given(Arc::new(KeySet::from_key(key)))))
    }

    /// Uses the JWK Set that `fetch` returns, with a client of the author's choice.
    ///
    /// The set is fetched for the first token, then every ten minutes, and when a token names an
    /// unknown key, but at most every ten seconds. A fetch times out after five seconds. If it
    /// fails, the known keys stay valid for a day ([`max_age`](Self::max_age)). After that, and
    /// before the first success, requests are answered with 503.
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
        E: Into<KeyFetchError>,
    {
        Self::from(FetchedKeys::new(fetch))
    }

    /// Uses the JWK Set at this URL, fetched as in [`fetched_by`](Self::fetched_by). (Feature
    /// `jwks`.)
    ///
    /// # Errors
    ///
    /// Returns an error if the URL is neither https nor on this machine.
    #[cfg(feature = "jwks")]
    pub fn from_url(url: &str) -> Result<Self, JwtKeyError> {
        super::fetch::from_url(url).map(Self::from)
    }

    /// Uses the JWK Set at the `jwks_uri` of the issuer's metadata (RFC 8414, OpenID Connect
    /// Discovery 1.0), fetched as in [`fetched_by`](Self::fetched_by). (Feature `jwks`.)
    ///
    /// # Errors
    ///
    /// Returns an error if the issuer's URL is neither https nor on this machine.
    #[cfg(feature = "jwks")]
    pub fn from_issuer(issuer: &str) -> Result<Self, JwtKeyError> {
        super::fetch::from_issuer(issuer).map(Self::from)
    }

    /// Sets the interval between fetches, and the minimum interval after an unknown key or a failed
    /// fetch. Ten minutes and ten seconds by default. It has no effect on keys that are not
    /// fetched.
    #[must_use]
    pub fn refreshed(mut self, every: Duration, at_most_every: Duration) -> Self {
        if let KeySource::Fetched(fetched) = &mut self.0
            // Always the only reference: `self` is by value, and fetches start only once it is in
            // use.
            && let Some(fetched) = Arc::get_mut(fetched)
        {
            fetched.set_pace(every, at_most_every);
        }
        self
    }

    /// Sets the maximum age of fetched keys; one day by default. If the issuer cannot be reached
    /// for longer, requests are answered with 503 until it can be. A key that the issuer has
    /// withdrawn meanwhile must not be trusted forever. It has no effect on keys that are not
    /// fetched.
    #[must_use]
    pub fn max_age(mut self, max_age: Duration) -> Self {
        if let KeySource::Fetched(fetched) = &mut self.0
            && let Some(fetched) = Arc::get_mut(fetched)
        {
            fetched.set_max_age(max_age);
        }
        self
    }

    /// Returns the current keys.
    pub(super) fn now(&self) -> Option<Arc<KeySet>> {
        match &self.0 {
            KeySource::Given(keys) => Some(keys.clone()),
            KeySource::Fetched(fetched) => fetched.now(),
        }
    }

    /// Returns the key for a token, and the set that contains it.
    ///
    /// # Errors
    ///
    /// Returns an error if the issuer has no such key, or if the keys cannot be fetched.
    pub(super) async fn key_for(
        &self,
        token: &UnverifiedToken<'_>,
    ) -> Result<(Arc<KeySet>, VerifyingKey), AuthenticationError> {
        let find_key = |keys: Arc<KeySet>| keys.key_for(token).map(|key| (keys.clone(), key));
        if let Some(key) = self.now().and_then(find_key) {
            return Ok(key);
        }
        // The issuer may have rotated its keys since the last fetch.
        if let KeySource::Fetched(fetched) = &self.0 {
            fetched.refresh().await;
        }
        let Some(keys) = self.now() else {
            return Err(AuthenticationError::unavailable(
                "the keys of the token's issuer are not available now; send the request again",
            ));
        };
        find_key(keys).ok_or_else(|| {
            AuthenticationError::invalid_token(
                "this token is signed with a key that its issuer does not publish",
            )
        })
    }
}

impl From<FetchedKeys> for JwtKeys {
    fn from(fetched: FetchedKeys) -> Self {
        Self(KeySource::Fetched(Arc::new(fetched)))
    }
}
