//! Logins at the servers of a gateway.

use super::Gateway;
use crate::{
    config::{OAuthGrant, ServerTransport},
    oauth::{
        AccessTokens, LoginError, LoginRemoval, LoginRequest, PendingLogin, StoredLogin,
        TokenDirectory, remove_tokens,
    },
};
use std::{path::PathBuf, sync::Arc};

impl Gateway {
    /// Sets the directory for the access tokens of the servers. By default, they are in the user's
    /// state directory, `pd-gateway/oauth` in `$XDG_STATE_HOME` or `~/.local/state`. Has no effect
    /// after the first use of a server.
    #[must_use]
    pub fn with_token_directory(self, directory: impl Into<PathBuf>) -> Self {
        self.shared
            .set_token_directory(TokenDirectory::new(directory));
        self
    }

    /// Begins a login at a server: finds its authorization server, and registers the gateway there
    /// unless the configuration has a client.
    ///
    /// # Errors
    ///
    /// Returns an error if the configuration has no such server, or if the server has no login.
    pub async fn begin_login(&self, request: LoginRequest) -> Result<PendingLogin, LoginError> {
        let tokens = self.tokens_of(&request.server, request.principal.as_deref())?;
        PendingLogin::begin(tokens, request).await
    }

    /// Returns the port of the configuration for the redirect of a login.
    #[cfg(feature = "cli")]
    pub(crate) fn redirect_port(&self, server: &str) -> Option<u16> {
        let upstreams = self.upstreams();
        upstreams
            .iter()
            .find(|upstream| upstream.entry.is_named(server))?
            .entry
            .settings
            .oauth
            .as_ref()?
            .redirect_port
    }

    /// Returns the logins that are stored, also of servers that the configuration has lost since.
    pub fn logins(&self) -> Vec<StoredLogin> {
        let stored = self
            .shared
            .token_directory()
            .map(TokenDirectory::read_all)
            .unwrap_or_default();
        stored
            .iter()
            .map(|(_, tokens)| StoredLogin::from_tokens(tokens))
            .collect()
    }

    /// Returns a line for each file of tokens that is not used, with the reason.
    #[cfg(feature = "cli")]
    pub(crate) fn unused_logins(&self) -> Vec<String> {
        self.shared
            .token_directory()
            .map(TokenDirectory::refusals)
            .unwrap_or_default()
    }

    /// Forgets the tokens of a server, and revokes them if the authorization server can.
    ///
    /// # Errors
    ///
    /// Returns an error if the configuration has no such server, or if the tokens cannot be
    /// removed.
    pub async fn remove_login(
        &self,
        server: &str,
        principal: Option<&str>,
    ) -> Result<LoginRemoval, LoginError> {
        let tokens = self.tokens_of(server, principal)?;
        remove_tokens(&tokens).await
    }

    fn tokens_of(
        &self,
        name: &str,
        principal: Option<&str>,
    ) -> Result<Arc<AccessTokens>, LoginError> {
        let upstreams = self.upstreams();
        let Some(upstream) = upstreams
            .iter()
            .find(|upstream| upstream.entry.is_named(name))
        else {
            let names: Vec<&str> = upstreams.iter().map(|upstream| upstream.name()).collect();
            return Err(LoginError::UnknownServer {
                name: name.to_owned(),
                servers: names.join(", "),
            });
        };
        // A login sends a request to the URL, which a stranger may have written.
        if upstream.awaits_approval() {
            return Err(no_login(
                name,
                "its entry in a project's file is not approved; run `pd-gateway approve`",
            ));
        }
        let oauth = upstream.entry.settings.oauth.as_ref();
        if oauth.is_some_and(|oauth| oauth.grant == OAuthGrant::ClientCredentials) {
            return Err(no_login(
                name,
                "the gateway gets its tokens with the client's secret by itself",
            ));
        }
        AccessTokens::from_entry(&upstream.entry, principal, self.shared.token_directory())
            .ok_or_else(|| {
                let why = match upstream.entry.transport {
                    ServerTransport::Http(_) | ServerTransport::Sse(_) => {
                        "its entry has a header `Authorization`; remove it to use OAuth"
                    }
                    ServerTransport::OpenApi(_) => {
                        "it is an API; set its credentials in `auth` of its entry"
                    }
                    ServerTransport::Stdio(_) => "only servers over HTTP have one",
                };
                no_login(name, why)
            })
    }
}

fn no_login(server: &str, why: &'static str) -> LoginError {
    LoginError::NoLogin {
        server: server.to_owned(),
        why,
    }
}
