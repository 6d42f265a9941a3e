//! The tokens of one server and one principal.

use crate::config::SecretText;
use pd_runtime::upstream::text::unix_time;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How long before its end an access token is renewed, in seconds.
const MARGIN_MAX: u64 = 60;
/// The part of its life that the margin may take, so that a short token is not renewed for each
/// call.
const MARGIN_PART: u64 = 4;

/// The tokens of one server and one principal, as a login or a renewal has returned them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredTokens {
    /// The name of the server's entry.
    pub(super) server: String,
    /// The server's URL without secrets.
    pub(super) url: String,
    /// The principal of the gateway's own callers. Without it, the tokens are the owner's.
    pub(super) principal: Option<String>,
    /// The client that the tokens were issued to.
    pub(super) client: OAuthClient,
    /// The authorization server. Tokens are sent to no other one.
    pub(super) issuer: Option<String>,
    /// `WWW-Authenticate` of the server, which names its metadata.
    pub(super) challenge: Option<String>,
    pub(super) scopes: Vec<String>,
    #[serde(with = "Exposed")]
    pub(super) access_token: SecretText,
    #[serde(
        default,
        with = "OptionalExposed",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) refresh_token: Option<SecretText>,
    /// The time of the login in seconds since 1970, as the other times are.
    pub(super) logged_in_at: u64,
    pub(super) received_at: u64,
    pub(super) expires_at: Option<u64>,
}

/// A client of an authorization server.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OAuthClient {
    pub(super) id: String,
    #[serde(
        default,
        with = "OptionalExposed",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) secret: Option<SecretText>,
    pub(super) redirect_uri: String,
}

/// What an authorization server has issued.
#[derive(Debug)]
pub(super) struct TokenGrant {
    pub(super) access_token: SecretText,
    pub(super) refresh_token: Option<SecretText>,
    pub(super) expires_in: Option<u64>,
    /// `None` stands for the scopes that were requested.
    pub(super) scopes: Option<Vec<String>>,
}

impl StoredTokens {
    /// Returns these tokens with what a renewal has issued.
    #[must_use]
    pub(super) fn with_grant(&self, grant: TokenGrant) -> Self {
        let received_at = unix_time::seconds();
        Self {
            access_token: grant.access_token,
            // A server that does not rotate refresh tokens returns none.
            refresh_token: grant.refresh_token.or_else(|| self.refresh_token.clone()),
            scopes: grant.scopes.unwrap_or_else(|| self.scopes.clone()),
            received_at,
            expires_at: grant
                .expires_in
                .map(|seconds| received_at.saturating_add(seconds)),
            ..self.clone()
        }
    }

    /// Returns whether the access token has not expired.
    pub(super) fn is_valid(&self) -> bool {
        // An authorization server may leave `expires_in` out (RFC 6749, section 5.1). Such a token
        // is used until the server answers with 401.
        self.expires_at.is_none_or(|end| unix_time::seconds() < end)
    }

    /// Returns whether the access token expires soon.
    pub(super) fn is_due(&self) -> bool {
        self.expires_at.is_some_and(|end| {
            let margin = (end.saturating_sub(self.received_at) / MARGIN_PART).min(MARGIN_MAX);
            unix_time::seconds().saturating_add(margin) >= end
        })
    }
}

/// Writes secrets to the file of tokens, which only its owner can read.
struct Exposed;

impl Exposed {
    fn serialize<S: Serializer>(secret: &SecretText, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(secret.expose())
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretText, D::Error> {
        String::deserialize(deserializer).map(SecretText::new)
    }
}

struct OptionalExposed;

impl OptionalExposed {
    fn serialize<S: Serializer>(
        secret: &Option<SecretText>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        secret
            .as_ref()
            .map(SecretText::expose)
            .serialize(serializer)
    }

    fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SecretText>, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.map(SecretText::new))
    }
}
