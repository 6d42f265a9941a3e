//! The authorization server of an upstream: what it publishes, and the requests to it.
//!
//! rmcp's `AuthorizationManager` finds the server (RFC 9728, RFC 8414), registers the client, and
//! sends the requests for tokens. It connects to no link-local or otherwise reserved address,
//! follows no redirect with a secret, and reads at most 1 MiB in 30 seconds. This module refuses
//! plain HTTP, and endpoints that the server does not publish.

use super::{
    error::{LoginError, reason, shortened},
    stored_tokens::{OAuthClient, StoredTokens, TokenGrant},
};
use crate::{
    config::{OAuthSettings, SecretText, loopback::is_loopback_url},
    failure::token_error::TokenError,
};
use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource,
    ClientCredentialsConfig, CredentialStore, InMemoryCredentialStore, OAuthClientConfig,
    OAuthTokenResponse, StoredCredentials,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{net::IpAddr, time::Duration};
use tokio::{net::lookup_host, time::timeout};

/// How long the name of the server may take to resolve.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
/// The name that the gateway registers.
const CLIENT_NAME: &str = "pd-gateway";

/// The authorization server of an upstream, as it describes itself.
pub(super) struct AuthorizationServer {
    manager: AuthorizationManager,
    metadata: AuthorizationMetadata,
}

impl AuthorizationServer {
    /// Finds the authorization server of an upstream. `challenge` is its `WWW-Authenticate`.
    ///
    /// # Errors
    ///
    /// Returns an error if the upstream publishes none, or one that is not safe to use.
    pub(super) async fn discover(
        upstream: &Url,
        challenge: Option<&str>,
    ) -> Result<Self, LoginError> {
        // rmcp decides by the text of the URL. The name of a company's server does not show that
        // its address is private.
        let created = if is_in_private_network(upstream).await {
            AuthorizationManager::new_allowing_private_addresses(upstream.clone()).await
        } else {
            AuthorizationManager::new(upstream.clone()).await
        };
        let mut manager = created.map_err(|error| LoginError::from_auth(&error))?;
        let resolution = manager.resolve_metadata_from_challenge(challenge).await;
        let resolution = resolution.map_err(|error| LoginError::from_auth(&error))?;
        // MCP 2025-03-26 had endpoints at fixed paths. Since then, a server publishes its metadata.
        if resolution.source == AuthorizationMetadataSource::LegacyEndpointFallback {
            return Err(LoginError::NoMetadata {
                url: upstream.origin().ascii_serialization(),
            });
        }
        check_endpoints(upstream, &resolution.metadata)?;
        manager.set_metadata(resolution.metadata.clone());
        Ok(Self {
            manager,
            metadata: resolution.metadata,
        })
    }

    /// Checks that the server declares PKCE with S256. Without PKCE, an attacker who intercepts the
    /// redirect of a login can use its code. The authorization of MCP requires clients to refuse.
    pub(super) fn check_pkce(&self) -> Result<(), LoginError> {
        check_pkce(&self.metadata)
    }

    pub(super) fn issuer(&self) -> Option<String> {
        self.metadata.issuer.clone()
    }

    /// Returns where tokens are revoked (RFC 7009).
    pub(super) fn revocation_endpoint(&self) -> Option<Url> {
        let endpoint = Url::parse(
            self.metadata
                .additional_fields
                .get("revocation_endpoint")?
                .as_str()?,
        )
        .ok()?;
        // Requests to the token's endpoint were checked, and this one gets the same secrets.
        let token_endpoint = Url::parse(&self.metadata.token_endpoint).ok()?;
        (endpoint.origin() == token_endpoint.origin()).then_some(endpoint)
    }

    /// Returns the scopes to request if none are named. They come from the challenge or the
    /// upstream.
    pub(super) async fn default_scopes(&self) -> Vec<String> {
        self.manager.select_initial_scopes(&[]).await
    }

    /// Sets the client of the configuration, or registers one.
    pub(super) async fn set_client(
        &mut self,
        settings: &OAuthSettings,
        redirect_uri: &str,
        scopes: &[String],
    ) -> Result<OAuthClient, LoginError> {
        if let Some(id) = &settings.client_id {
            let client = OAuthClient {
                id: id.clone(),
                // `configure` takes it from the configuration.
                secret: None,
                redirect_uri: redirect_uri.to_owned(),
            };
            self.configure(&client, settings)
                .map_err(|error| LoginError::from_auth(&error))?;
            return Ok(client);
        }
        if self.metadata.registration_endpoint.is_none() {
            return Err(LoginError::NoRegistration {
                redirect_uri: redirect_uri.to_owned(),
            });
        }
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let config = self
            .manager
            .register_client(CLIENT_NAME, redirect_uri, &scopes)
            .await;
        let config = config.map_err(|error| LoginError::from_auth(&error))?;
        let secret = config.client_secret.map(SecretText::new);
        Ok(OAuthClient {
            id: config.client_id,
            secret,
            redirect_uri: config.redirect_uri,
        })
    }

    fn configure(
        &mut self,
        client: &OAuthClient,
        settings: &OAuthSettings,
    ) -> Result<(), AuthError> {
        let mut config = OAuthClientConfig::new(client.id.clone(), client.redirect_uri.clone());
        // The secret belongs to this client, and must not be sent for another one.
        let is_configured = settings.client_id.as_ref() == Some(&client.id);
        let secret = if is_configured {
            &settings.client_secret
        } else {
            &client.secret
        };
        if let Some(secret) = secret {
            config = config.with_client_secret(secret.expose());
        }
        self.manager.configure_client(config)
    }

    /// Returns the URL that the user opens, with PKCE, the resource and a new `state`.
    pub(super) async fn authorization_url(&self, scopes: &[String]) -> Result<Url, LoginError> {
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let url = self.manager.get_authorization_url(&scopes).await;
        let url = url.map_err(|error| LoginError::from_auth(&error))?;
        Url::parse(&url).map_err(|error| LoginError::Failed {
            why: error.to_string(),
        })
    }

    /// Exchanges an authorization code. `issuer` is `iss` of the redirect (RFC 9207).
    pub(super) async fn exchange(
        &self,
        code: &str,
        state: &str,
        issuer: Option<&str>,
    ) -> Result<TokenGrant, LoginError> {
        let response = self
            .manager
            .exchange_code_for_token_with_issuer(code, state, issuer)
            .await;
        let response = response.map_err(|error| LoginError::from_auth(&error))?;
        TokenGrant::from_response(&response).map_err(|why| LoginError::Failed { why })
    }

    /// Exchanges a refresh token.
    pub(super) async fn refresh(
        mut self,
        tokens: &StoredTokens,
        settings: &OAuthSettings,
    ) -> Result<TokenGrant, TokenError> {
        // A refresh token is bound to its client (RFC 6749, section 6).
        if settings
            .client_id
            .as_ref()
            .is_some_and(|id| *id != tokens.client.id)
        {
            return Err(TokenError::LoginRequired(
                "`pd.oauth.clientId` is another client than at the login".into(),
            ));
        }
        self.configure(&tokens.client, settings)
            .map_err(|error| failed(&error))?;
        // rmcp refreshes the tokens of its store only. Its store has no place for the secret of a
        // registered client, so the tokens are in a file of the gateway.
        let store = InMemoryCredentialStore::new();
        store
            .save(tokens.to_credentials()?)
            .await
            .map_err(|error| failed(&error))?;
        self.manager.set_credential_store(store);
        match self.manager.refresh_token().await {
            Ok(response) => TokenGrant::from_response(&response)
                .map_err(|why| TokenError::Unavailable(why.into())),
            Err(
                error @ (AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired),
            ) => Err(TokenError::LoginRequired(reason(&error).into())),
            // The server has forgotten the registration. The tokens of a client of the
            // configuration are kept, because a person may correct the client.
            Err(error) if settings.client_id.is_none() && is_unknown_client(&error) => {
                Err(TokenError::LoginRequired(reason(&error).into()))
            }
            Err(error) => Err(failed(&error)),
        }
    }

    /// Gets a token for the gateway as a client.
    pub(super) async fn client_credentials(
        mut self,
        upstream: &Url,
        settings: &OAuthSettings,
    ) -> Result<TokenGrant, TokenError> {
        let (Some(id), Some(secret)) = (&settings.client_id, &settings.client_secret) else {
            return Err(TokenError::LoginRequired(
                "`clientId` and `clientSecret` are missing".into(),
            ));
        };
        // A resource has no fragment, and should have no query (RFC 8707, section 2). The query can
        // also be a secret.
        let mut resource = upstream.clone();
        resource.set_query(None);
        resource.set_fragment(None);
        let config = ClientCredentialsConfig::ClientSecret {
            client_id: id.clone(),
            client_secret: secret.expose().to_owned(),
            scopes: settings.scopes.clone(),
            resource: Some(resource.into()),
        };
        self.manager
            .configure_client_credentials(&config)
            .map_err(client_failure)?;
        let response = self
            .manager
            .exchange_client_credentials(&config)
            .await
            .map_err(client_failure)?;
        TokenGrant::from_response(&response).map_err(|why| TokenError::Unavailable(why.into()))
    }
}

fn failed(error: &AuthError) -> TokenError {
    TokenError::Unavailable(reason(error).into())
}

fn client_failure(error: AuthError) -> TokenError {
    if is_unknown_client(&error) {
        TokenError::LoginRequired(reason(&error).into())
    } else {
        failed(&error)
    }
}

/// Returns whether the authorization server does not accept the client. rmcp has the code of the
/// error only within its text.
fn is_unknown_client(error: &AuthError) -> bool {
    let text = error.to_string();
    text.contains("invalid_client") || text.contains("unauthorized_client")
}

fn check_pkce(metadata: &AuthorizationMetadata) -> Result<(), LoginError> {
    let mut methods = metadata.code_challenge_methods_supported.iter().flatten();
    if methods.any(|method| method == "S256") {
        Ok(())
    } else {
        Err(LoginError::NoPkce)
    }
}

/// Refuses plain HTTP. Between a server and an authorization server on this machine it is safe.
fn check_endpoints(upstream: &Url, metadata: &AuthorizationMetadata) -> Result<(), LoginError> {
    let revocation = metadata
        .additional_fields
        .get("revocation_endpoint")
        .and_then(Value::as_str);
    let endpoints = [
        ("issuer", metadata.issuer.as_deref()),
        ("login", Some(metadata.authorization_endpoint.as_str())),
        ("tokens", Some(metadata.token_endpoint.as_str())),
        ("registration", metadata.registration_endpoint.as_deref()),
        ("revocation", revocation),
    ];
    for (endpoint, url) in endpoints {
        let Some(text) = url else { continue };
        let is_safe = Url::parse(text).is_ok_and(|url| match url.scheme() {
            "https" => true,
            "http" => is_loopback_url(&url) && is_loopback_url(upstream),
            _ => false,
        });
        if !is_safe {
            return Err(LoginError::Insecure {
                endpoint,
                url: shortened(text),
            });
        }
    }
    Ok(())
}

/// Returns whether the user's own URL leads into a private network alone. Then its authorization
/// server may be there, too.
async fn is_in_private_network(upstream: &Url) -> bool {
    let Some(host) = upstream.host_str() else {
        return false;
    };
    let port = upstream.port_or_known_default().unwrap_or_default();
    // Without an address, rmcp's own check decides.
    let Ok(Ok(addresses)) = timeout(LOOKUP_TIMEOUT, lookup_host((host, port))).await else {
        return false;
    };
    // Canonical, because a private IPv4 address can be written as an IPv6 address
    // (`::ffff:10.0.0.1`).
    let mut addresses = addresses.map(|address| match address.ip().to_canonical() {
        IpAddr::V4(address) => address.is_private(),
        IpAddr::V6(address) => address.is_unique_local(),
    });
    // `all` alone would be true for a name without addresses.
    addresses.next() == Some(true) && addresses.all(|is_private| is_private)
}

impl StoredTokens {
    /// Returns these tokens as rmcp refreshes them. Without scopes, a refresh requests the scopes
    /// of the login.
    fn to_credentials(&self) -> Result<StoredCredentials, TokenError> {
        let refresh_token = self.refresh_token.as_ref().map(SecretText::expose);
        let response = json!({
            "access_token": self.access_token.expose(),
            "token_type": "bearer",
            "refresh_token": refresh_token,
        });
        // The error could contain a token.
        let response: Result<OAuthTokenResponse, _> = serde_json::from_value(response);
        let response =
            response.map_err(|_| TokenError::LoginRequired("the tokens are damaged".into()))?;
        Ok(StoredCredentials::new(
            self.client.id.clone(),
            Some(response),
            Vec::new(),
            Some(self.received_at),
        ))
    }
}

impl TokenGrant {
    /// Reads what rmcp has received.
    fn from_response(response: &OAuthTokenResponse) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Response {
            access_token: String,
            token_type: String,
            refresh_token: Option<String>,
            expires_in: Option<u64>,
            scope: Option<String>,
        }
        let response = serde_json::to_value(response).and_then(Response::deserialize);
        // The error could contain a token.
        let response = response.map_err(|_| {
            "the authorization server returned no token that can be read".to_owned()
        })?;
        // A token of another type is not sent as `Authorization: Bearer` (RFC 6749, section 7.1).
        if !response.token_type.eq_ignore_ascii_case("bearer") {
            let kind = shortened(&response.token_type);
            return Err(format!(
                "the authorization server returned a token of the type `{kind}`, and not `Bearer`"
            ));
        }
        let scopes = response
            .scope
            .map(|scopes| scopes.split_whitespace().map(str::to_owned).collect());
        Ok(Self {
            access_token: SecretText::new(response.access_token),
            refresh_token: response.refresh_token.map(SecretText::new),
            expires_in: response.expires_in,
            scopes,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn metadata(token_endpoint: &str) -> AuthorizationMetadata {
        let endpoint = "https://login.example/authorize";
        serde_json::from_value(
            json!({ "authorization_endpoint": endpoint, "token_endpoint": token_endpoint }),
        )
        .unwrap()
    }

    #[test]
    fn a_server_without_s256_is_refused() {
        let with = |methods: Option<Value>| {
            let url = "https://a.example";
            let fields = json!({
                "authorization_endpoint": url, "token_endpoint": url, "code_challenge_methods_supported": methods,
            });
            check_pkce(&serde_json::from_value(fields).unwrap()).is_ok()
        };
        assert!(with(Some(json!(["plain", "S256"]))));
        for methods in [
            None,
            Some(json!([])),
            Some(json!(["plain"])),
            Some(json!(["s256"])),
            Some(Value::Null),
        ] {
            assert!(!with(methods.clone()), "{methods:?}");
        }
    }

    #[test]
    fn a_token_of_another_type_than_bearer_is_refused() {
        for (kind, is_taken) in [
            ("Bearer", true),
            ("bearer", true),
            ("BEARER", true),
            ("mac", false),
            ("DPoP", false),
        ] {
            let response = json!({ "access_token": "a", "token_type": kind });
            let grant = TokenGrant::from_response(&serde_json::from_value(response).unwrap());
            assert_eq!(grant.is_ok(), is_taken, "{kind}");
        }
    }

    #[test]
    fn secrets_travel_over_plain_http_on_one_machine_alone() {
        let (far, near) = (
            Url::parse("https://mcp.example/mcp"),
            Url::parse("http://127.0.0.1:80/mcp"),
        );
        let far = far.unwrap();
        let near = near.unwrap();
        check_endpoints(&far, &metadata("https://login.example/token")).unwrap();
        check_endpoints(&near, &metadata("http://localhost:1/token")).unwrap();
        check_endpoints(&near, &metadata("http://[::1]:1/token")).unwrap();
        check_endpoints(&far, &metadata("http://127.0.0.1:1/token")).unwrap_err();
        check_endpoints(&near, &metadata("http://login.example/token")).unwrap_err();
        check_endpoints(&near, &metadata("file:///etc/passwd")).unwrap_err();
    }
}
