//! A login: from the 401 of a server to its tokens on disk.

use super::{
    AccessTokens,
    authorization_server::AuthorizationServer,
    challenge::bearer_challenge,
    error::{LoginError, reason, shortened},
    stored_tokens::{OAuthClient, StoredTokens},
    token_file::TokenFile,
};
use crate::config::{SecretText, loopback::is_loopback_url};
use chrono::{DateTime, Utc};
use reqwest::{
    Client, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE},
    redirect::Policy,
};
use serde_json::json;
use std::{fmt, io, sync::Arc, time::Duration};

/// How long a request to the server may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// What a login is for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoginRequest {
    /// The name of the server's entry.
    pub server: String,
    /// The URL that the browser is redirected to, such as `http://127.0.0.1:8400/callback`.
    pub redirect_uri: String,
    /// The subject of the caller that the tokens belong to. Without it, they belong to the
    /// gateway's owner.
    pub principal: Option<String>,
    /// Scopes to request in addition.
    pub scopes: Vec<String>,
}

/// A login that waits for the user. It ends with [`finish`](Self::finish).
pub struct PendingLogin {
    server: AuthorizationServer,
    tokens: Arc<AccessTokens>,
    client: OAuthClient,
    challenge: Option<String>,
    scopes: Vec<String>,
    url: Url,
    state: String,
}

/// Tokens that are stored. Nothing of them is a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredLogin {
    /// The name of the server's entry.
    pub server: String,
    /// The server's URL without secrets.
    pub url: String,
    /// The subject of the caller that the tokens belong to, or `None` for the gateway's owner.
    pub principal: Option<String>,
    /// The scopes of the tokens.
    pub scopes: Vec<String>,
    /// When the access token expires, if it does.
    pub expires: Option<DateTime<Utc>>,
    /// Whether the gateway renews the access token by itself.
    pub is_renewable: bool,
}

/// What became of tokens that were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoginRemoval {
    /// There were none.
    Absent,
    /// The authorization server takes them no longer.
    Revoked,
    /// They are forgotten here, and the authorization server may still take them.
    NotRevoked {
        /// The reason.
        why: String,
    },
}

impl LoginRequest {
    /// Creates the request for a login of the gateway's owner.
    pub fn new(server: impl Into<String>, redirect_uri: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            redirect_uri: redirect_uri.into(),
            principal: None,
            scopes: Vec::new(),
        }
    }

    /// Sets the caller that the tokens belong to.
    #[must_use]
    pub fn with_principal(self, subject: impl Into<String>) -> Self {
        Self {
            principal: Some(subject.into()),
            ..self
        }
    }

    /// Adds scopes to the scopes of the configuration, of the server, and of the former login.
    #[must_use]
    pub fn with_scopes(self, scopes: impl IntoIterator<Item = String>) -> Self {
        Self {
            scopes: scopes.into_iter().collect(),
            ..self
        }
    }
}

impl PendingLogin {
    /// Finds the authorization server, and registers the gateway there unless the configuration has
    /// a client.
    pub(crate) async fn begin(
        tokens: Arc<AccessTokens>,
        request: LoginRequest,
    ) -> Result<Self, LoginError> {
        // Checked before a person logs in for tokens that cannot be kept.
        if tokens.file().is_none() {
            return Err(LoginError::NoDirectory);
        }
        let challenge = challenge_of(&tokens).await?;
        let mut server = AuthorizationServer::discover(tokens.url(), challenge.as_deref()).await?;
        server.check_pkce()?;
        let scopes = select_scopes(&server, &tokens, request.scopes).await;
        let client = server
            .set_client(tokens.settings(), &request.redirect_uri, &scopes)
            .await?;
        let url = server.authorization_url(&scopes).await?;
        // rmcp returns its `state` within the URL only.
        let state = url.query_pairs().find(|(key, _)| key == "state");
        let state = state
            .map(|(_, state)| state.into_owned())
            .unwrap_or_default();
        Ok(Self {
            server,
            tokens,
            client,
            challenge,
            scopes,
            url,
            state,
        })
    }

    /// Returns the URL that the user opens in a browser.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Returns whether a URL that the browser was redirected to belongs to this login.
    pub fn matches(&self, redirect_url: &str) -> bool {
        parameter(redirect_url, "state").is_some_and(|state| state == self.state)
    }

    /// Returns a function that does the same without the login.
    #[cfg(feature = "cli")]
    pub(crate) fn matcher(&self) -> impl Fn(&str) -> bool + Send + use<> {
        let state = self.state.clone();
        move |redirect_url| parameter(redirect_url, "state").is_some_and(|other| other == state)
    }

    /// Exchanges the code of the URL that the browser was redirected to, and stores the tokens.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL belongs to another login or another authorization server, if the
    /// login was refused, or if the tokens cannot be stored.
    pub async fn finish(self, redirect_url: &str) -> Result<StoredLogin, LoginError> {
        // `state` comes first (RFC 6749, section 10.12): any web page can send the browser to this
        // URL, with a code or an error that it has made up.
        if !self.matches(redirect_url) {
            return Err(LoginError::Redirect {
                why: "its `state` is another one",
            });
        }
        if let Some(error) = parameter(redirect_url, "error") {
            let description = parameter(redirect_url, "error_description").unwrap_or_default();
            return Err(LoginError::Refused {
                why: shortened(&format!("{error} {description}")),
            });
        }
        let code = parameter(redirect_url, "code").ok_or(LoginError::Redirect {
            why: "it has no `code`",
        })?;
        let issuer = parameter(redirect_url, "iss");
        let grant = self
            .server
            .exchange(&code, &self.state, issuer.as_deref())
            .await?;
        let file = self.tokens.file().ok_or(LoginError::NoDirectory)?;
        let issuer = self.server.issuer();
        let tokens =
            self.tokens
                .new_tokens(self.client, grant, issuer, self.challenge, &self.scopes);
        // A renewal by another process must not replace these tokens.
        let _lock = file
            .lock()
            .await
            .map_err(|error| unwritable(file, &error))?;
        file.write(&tokens)
            .map_err(|error| unwritable(file, &error))?;
        Ok(StoredLogin::from_tokens(&tokens))
    }
}

impl fmt::Debug for PendingLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingLogin")
            .field("tokens", &self.tokens)
            .finish_non_exhaustive()
    }
}

impl StoredLogin {
    pub(crate) fn from_tokens(tokens: &StoredTokens) -> Self {
        let expires = tokens.expires_at.and_then(|end| i64::try_from(end).ok());
        Self {
            server: tokens.server.clone(),
            url: tokens.url.clone(),
            principal: tokens.principal.clone(),
            scopes: tokens.scopes.clone(),
            expires: expires.and_then(|end| DateTime::from_timestamp(end, 0)),
            is_renewable: tokens.refresh_token.is_some(),
        }
    }
}

fn parameter(url: &str, name: &str) -> Option<String> {
    let query = url.split_once('?')?.1.split('#').next()?;
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}

/// Returns the scopes of a login. A login for a further scope must not lose the scopes of the
/// former login.
async fn select_scopes(
    server: &AuthorizationServer,
    tokens: &AccessTokens,
    further_scopes: Vec<String>,
) -> Vec<String> {
    let mut scopes = match tokens.settings().scopes.as_slice() {
        [] => server.default_scopes().await,
        scopes => scopes.to_vec(),
    };
    if !further_scopes.is_empty() {
        scopes.extend(
            tokens
                .latest()
                .map(|tokens| tokens.scopes.clone())
                .unwrap_or_default(),
        );
        scopes.extend(further_scopes);
    }
    let mut seen = std::collections::HashSet::new();
    scopes.retain(|scope| seen.insert(scope.clone()));
    scopes
}

fn client(url: &Url, error: &dyn Fn(reqwest::Error) -> LoginError) -> Result<Client, LoginError> {
    // A redirect could lead a token to another server.
    let client = Client::builder()
        .timeout(REQUEST_TIMEOUT)
        .redirect(Policy::none());
    // A proxy would connect to the loopback address of the machine that it runs on.
    let client = if is_loopback_url(url) {
        client.no_proxy()
    } else {
        client
    };
    client.build().map_err(error)
}

/// Sends a request without a token, and returns the challenge of the answer. Some servers have
/// none, because `initialize` needs no token.
async fn challenge_of(tokens: &AccessTokens) -> Result<Option<String>, LoginError> {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "pd-gateway", "version": env!("CARGO_PKG_VERSION") },
    });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let sent = client(tokens.url(), &|error| unreachable_server(tokens, error))?
        .post(tokens.url().clone())
        .header(ACCEPT, "application/json, text/event-stream")
        .header(CONTENT_TYPE, "application/json")
        .body(request.to_string());
    Ok(bearer_challenge(
        &sent
            .send()
            .await
            .map_err(|error| unreachable_server(tokens, error))?,
    ))
}

fn unreachable_server(tokens: &AccessTokens, error: reqwest::Error) -> LoginError {
    // The query of the URL can be a secret.
    let why = reason(&error.without_url());
    LoginError::Unreachable {
        url: tokens.origin(),
        why,
    }
}

/// Forgets the tokens of a login, and revokes them if the authorization server can.
pub(crate) async fn remove_tokens(tokens: &AccessTokens) -> Result<LoginRemoval, LoginError> {
    let (Some(file), Some(stored)) = (tokens.file(), tokens.latest()) else {
        return Ok(LoginRemoval::Absent);
    };
    // The tokens are gone here whether or not the server can be reached.
    remove(file)?;
    let revoked = revoke(tokens, &stored).await;
    Ok(revoked.map_or_else(
        |error| LoginRemoval::NotRevoked {
            why: error.to_string(),
        },
        |()| LoginRemoval::Revoked,
    ))
}

fn remove(file: &TokenFile) -> Result<(), LoginError> {
    file.remove().map_err(|error| unwritable(file, &error))
}

fn unwritable(file: &TokenFile, error: &io::Error) -> LoginError {
    LoginError::unwritable(file.path().to_owned(), error)
}

/// Revokes tokens. A revoked refresh token takes its access tokens with it (RFC 7009, section 2.1).
async fn revoke(tokens: &AccessTokens, stored: &StoredTokens) -> Result<(), LoginError> {
    let server = AuthorizationServer::discover(tokens.url(), stored.challenge.as_deref()).await?;
    let Some(endpoint) = server
        .revocation_endpoint()
        // No other authorization server gets the token.
        .filter(|_| server.issuer() == stored.issuer)
    else {
        return Err(LoginError::Failed {
            why: "the authorization server has no revocation endpoint".to_owned(),
        });
    };
    let client = client(&endpoint, &failed)?;
    let send = async |secret: Option<&str>| {
        let token = stored
            .refresh_token
            .as_ref()
            .unwrap_or(&stored.access_token);
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("token", token.expose())
            // A client without a secret identifies itself by this (RFC 6749, section 3.2.1).
            .append_pair("client_id", &stored.client.id);
        form.extend_pairs(secret.map(|secret| ("client_secret", secret)));
        let request = client
            .post(endpoint.clone())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        request.body(form.finish()).send().await.map_err(failed)
    };
    let secret = stored
        .client
        .secret
        .as_ref()
        .or(tokens.settings().client_secret.as_ref());
    let mut response = send(secret.map(SecretText::expose)).await?;
    // The Python SDK requires the field of clients without a secret, too. Such a client may send an
    // empty secret (RFC 6749, section 2.3.1).
    if response.status() == StatusCode::BAD_REQUEST && secret.is_none() {
        response = send(Some("")).await?;
    }
    response.error_for_status().map_err(failed).map(drop)
}

fn failed(error: reqwest::Error) -> LoginError {
    LoginError::Failed {
        why: reason(&error.without_url()),
    }
}
