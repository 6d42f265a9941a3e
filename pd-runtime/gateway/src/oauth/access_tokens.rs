//! The access tokens of one server and one principal, while the gateway runs.

mod refusal;
mod renewal;

use super::{
    authorization_server::AuthorizationServer,
    challenge::bearer_challenge,
    error::LoginError,
    stored_tokens::{OAuthClient, StoredTokens, TokenGrant},
    token_file::{TokenDirectory, TokenFile},
};
use crate::{
    config::{
        HttpServer, OAuthGrant, OAuthSettings, SecretText, ServerEntry, ServerTransport,
        file_stamp::FileStamp,
    },
    failure::token_error::TokenError,
};
use parking_lot::Mutex;
use pd_runtime::upstream::text::unix_time;
use reqwest::{Response, Url};
use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};
use tokio::time::timeout;

/// How long a server may take to show whether it has logins.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(5);
/// The pause after a renewal that failed while the former token is still valid.
const RENEWAL_PAUSE: Duration = Duration::from_secs(10);

/// The access tokens of one server and one principal.
pub(crate) struct AccessTokens {
    name: String,
    /// The name of its entry in texts.
    label: String,
    server: HttpServer,
    url: Url,
    settings: OAuthSettings,
    /// Whether the entry has these settings.
    is_configured: bool,
    principal: Option<String>,
    /// `None` if the user has no directory for tokens.
    file: Option<TokenFile>,
    latest: Mutex<LatestTokens>,
    /// Held during a renewal, so that one renewal serves all requests.
    renewal: tokio::sync::Mutex<()>,
}

/// The tokens as they were read last.
#[derive(Default)]
struct LatestTokens {
    tokens: Option<Arc<StoredTokens>>,
    stamp: Option<FileStamp>,
    /// When a renewal failed last.
    failed_at: Option<Instant>,
}

impl fmt::Debug for AccessTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessTokens")
            .field("server", &self.name)
            .finish_non_exhaustive()
    }
}

impl AccessTokens {
    /// Returns the tokens of a server. `principal` is the subject of the gateway's caller, and
    /// `None` stands for the gateway's owner. A server that is a process, or that has its own
    /// header for its token, has no access tokens.
    pub(crate) fn from_entry(
        entry: &ServerEntry,
        principal: Option<&str>,
        directory: Option<&TokenDirectory>,
    ) -> Option<Arc<Self>> {
        let (ServerTransport::Http(server) | ServerTransport::Sse(server)) = &entry.transport
        else {
            return None;
        };
        if server.has_authorization() {
            return None;
        }
        Some(Arc::new(Self {
            name: entry.name.clone(),
            label: entry.visible_label(),
            server: server.clone(),
            url: Url::parse(&server.url).ok()?,
            settings: entry.settings.oauth.clone().unwrap_or_default(),
            is_configured: entry.settings.oauth.is_some(),
            principal: principal.map(str::to_owned),
            file: directory.map(|directory| directory.file(&entry.name, server, principal)),
            latest: Mutex::default(),
            renewal: tokio::sync::Mutex::default(),
        }))
    }

    /// Returns the token for a request, renewed if it expires soon. Returns `None` if nobody has
    /// logged in: many servers need no token.
    pub(crate) async fn bearer(self: &Arc<Self>) -> Result<Option<SecretText>, TokenError> {
        let Some(tokens) = self.latest() else {
            // Without this, a file that others can write would look like a login that is missing.
            if let Some(refusal) = self.file.as_ref().and_then(TokenFile::refusal) {
                return Err(self.login_required(&format!("needs a new login, because {refusal}")));
            }
            return if self.has_client_credentials() {
                self.renew(None).await.map(Some)
            } else {
                Ok(None)
            };
        };
        // After a failure, a token that is still valid is used for a while. Otherwise each request
        // would wait for a renewal that may take 45 seconds to fail.
        let must_renew = tokens.is_due()
            && self.can_renew(&tokens)
            && !(tokens.is_valid() && self.has_failed_lately());
        if !must_renew {
            return Ok(Some(tokens.access_token.clone()));
        }
        match self.renew(Some(&tokens.access_token)).await {
            Err(TokenError::Unavailable(error)) if tokens.is_valid() => {
                tracing::warn!(server = self.name, %error, "an access token is used until it expires");
                Ok(Some(tokens.access_token.clone()))
            }
            renewed => renewed.map(Some),
        }
    }

    /// Returns the latest token, also one that has expired.
    pub(crate) fn latest_bearer(&self) -> Option<SecretText> {
        self.latest().map(|tokens| tokens.access_token.clone())
    }

    /// Returns whether the tokens belong to a person: there was a login, or the entry is made for
    /// one.
    pub(crate) fn is_of_person(&self) -> bool {
        !self.has_client_credentials() && (self.is_configured || self.latest().is_some())
    }

    /// Returns whether somebody has logged in since this time.
    pub(crate) fn has_login_since(&self, time: SystemTime) -> bool {
        let time = unix_time::at(time).as_secs();
        self.latest()
            // Both are whole seconds, so a login within the same second counts.
            .is_some_and(|tokens| tokens.logged_in_at >= time)
    }

    /// Returns whether a server that answered with 401 wants the token of a login. Other servers
    /// refuse the credential of the entry.
    pub(crate) async fn are_wanted(&self, response: &Response) -> bool {
        if self.is_configured || self.latest().is_some() {
            return true;
        }
        if self.server.has_own_credentials() {
            return false;
        }
        let challenge = bearer_challenge(response);
        if challenge
            .as_ref()
            .is_some_and(|text| text.to_ascii_lowercase().contains("resource_metadata="))
        {
            return true;
        }
        let found = timeout(
            DISCOVERY_TIMEOUT,
            AuthorizationServer::discover(&self.url, challenge.as_deref()),
        )
        .await;
        // Metadata that is not safe to use still shows that the server has logins. The error of the
        // login explains the rest.
        !matches!(found, Ok(Err(LoginError::NoMetadata { .. })))
    }

    /// Returns the tokens that the gateway has as a client.
    fn own_tokens(&self, grant: TokenGrant, issuer: Option<String>) -> StoredTokens {
        let client = OAuthClient {
            id: self.settings.client_id.clone().unwrap_or_default(),
            // It is in the configuration.
            secret: None,
            redirect_uri: String::new(),
        };
        self.new_tokens(client, grant, issuer, None, &self.settings.scopes)
    }

    /// Returns the tokens of a grant for this server and principal.
    pub(super) fn new_tokens(
        &self,
        client: OAuthClient,
        grant: TokenGrant,
        issuer: Option<String>,
        challenge: Option<String>,
        requested_scopes: &[String],
    ) -> StoredTokens {
        let received_at = unix_time::seconds();
        StoredTokens {
            server: self.name.clone(),
            url: self.server.without_secrets(),
            principal: self.principal.clone(),
            client,
            issuer,
            challenge,
            scopes: grant.scopes.unwrap_or_else(|| requested_scopes.to_vec()),
            access_token: grant.access_token,
            refresh_token: grant.refresh_token,
            logged_in_at: received_at,
            received_at,
            expires_at: grant
                .expires_in
                .map(|seconds| received_at.saturating_add(seconds)),
        }
    }

    /// Stores tokens before they are used: the former refresh token may be worth nothing by now.
    fn keep(&self, tokens: StoredTokens) -> SecretText {
        let token = tokens.access_token.clone();
        let mut latest = self.latest.lock();
        if let Some(file) = &self.file
            && let Err(error) = file.write(&tokens)
        {
            tracing::warn!(server = self.name, %error, "new tokens last until the gateway ends");
        }
        let stamp = self.file.as_ref().and_then(TokenFile::stamp);
        *latest = LatestTokens {
            tokens: Some(Arc::new(tokens)),
            stamp,
            failed_at: None,
        };
        token
    }

    /// Returns the tokens of the file, or tokens that could not be written.
    pub(super) fn latest(&self) -> Option<Arc<StoredTokens>> {
        let mut latest = self.latest.lock();
        let Some(file) = &self.file else {
            return latest.tokens.clone();
        };
        // Another process, such as `login` or a second gateway, may have written the file.
        let stamp = file.stamp();
        if stamp != latest.stamp {
            *latest = LatestTokens {
                tokens: file.read().map(Arc::new),
                stamp,
                // The pause was for the former tokens.
                failed_at: None,
            };
        }
        latest.tokens.clone()
    }

    /// Reads the file whatever its stamp.
    fn read_again(&self) {
        // Without a file, the tokens in memory are the only ones.
        if self
            .file
            .as_ref()
            .is_some_and(|file| file.stamp().is_some())
        {
            // `latest` reads the file whenever its stamp differs.
            self.latest.lock().stamp = None;
        }
    }

    fn has_failed_lately(&self) -> bool {
        self.latest
            .lock()
            .failed_at
            .is_some_and(|failed| failed.elapsed() < RENEWAL_PAUSE)
    }

    fn has_client_credentials(&self) -> bool {
        self.settings.grant == OAuthGrant::ClientCredentials
    }

    fn can_renew(&self, tokens: &StoredTokens) -> bool {
        tokens.refresh_token.is_some() || self.has_client_credentials()
    }

    pub(super) const fn url(&self) -> &Url {
        &self.url
    }

    pub(super) const fn settings(&self) -> &OAuthSettings {
        &self.settings
    }

    pub(super) const fn file(&self) -> Option<&TokenFile> {
        self.file.as_ref()
    }

    pub(super) fn origin(&self) -> String {
        self.server.origin()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{
        config::{GatewayConfig, ReadContext},
        oauth::TokenDirectory,
    };
    use std::{env, fs, path::Path};

    fn entry(url: &str) -> ServerEntry {
        let text = format!(r#"{{"mcpServers": {{"web": {{"url": "{url}"}}}}}}"#);
        let context = ReadContext::new(&|_| None, &|_| None);
        GatewayConfig::parse(Path::new("/x/mcp.json"), &text, &context)
            .unwrap()
            .servers
            .remove(0)
    }

    fn grant(token: &str) -> TokenGrant {
        TokenGrant {
            access_token: SecretText::new(token),
            refresh_token: None,
            expires_in: None,
            scopes: None,
        }
    }

    #[tokio::test]
    async fn each_principal_and_each_url_has_its_own_tokens() {
        let directory = env::temp_dir().join(format!("pd-tokens-{}", std::process::id()));
        let kept = TokenDirectory::new(&directory);
        let one = entry("https://one.example/mcp");
        let of = |entry: &ServerEntry, principal| {
            AccessTokens::from_entry(entry, principal, Some(&kept)).unwrap()
        };
        for (principal, token) in [(None, "secret-owner"), (Some("bob"), "secret-bob")] {
            let tokens = of(&one, principal);
            let client = OAuthClient {
                id: "c".into(),
                secret: None,
                redirect_uri: String::new(),
            };
            tokens.keep(tokens.new_tokens(client, grant(token), None, None, &[]));
            let stored = tokens.latest().unwrap();
            assert!(!format!("{tokens:?} {stored:?}").contains(token));
        }
        let bearer =
            async |entry: &ServerEntry, principal| of(entry, principal).bearer().await.unwrap();
        assert_eq!(
            bearer(&one, None).await,
            Some(SecretText::new("secret-owner"))
        );
        assert_eq!(
            bearer(&one, Some("bob")).await,
            Some(SecretText::new("secret-bob"))
        );
        // The name of the file for the owner's tokens is not a principal.
        assert_eq!(bearer(&one, Some("owner")).await, None);
        for other in [
            "https://two.example/mcp",
            "http://one.example/mcp",
            "https://one.example/other",
        ] {
            assert_eq!(bearer(&entry(other), None).await, None, "{other}");
        }
        fs::remove_dir_all(directory).unwrap();
    }
}
