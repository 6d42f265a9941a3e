//! New tokens instead of those that expire or that the server does not take.

use super::{
    super::{authorization_server::AuthorizationServer, stored_tokens::StoredTokens},
    AccessTokens, LatestTokens,
};
use crate::{config::SecretText, failure::token_error::TokenError};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::timeout;

/// How long a renewal may take. It has several requests, each with its own limit.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(45);

impl AccessTokens {
    /// Returns another token than the one that the server did not take.
    pub(crate) async fn renew(
        self: &Arc<Self>,
        rejected_token: Option<&SecretText>,
    ) -> Result<SecretText, TokenError> {
        let tokens = self.clone();
        let rejected_token = rejected_token.cloned();
        // Its own task: a request that is canceled meanwhile must not lose a refresh token that
        // the authorization server has replaced already.
        let renewal =
            tokio::spawn(async move { tokens.renew_in_turn(rejected_token.as_ref()).await });
        renewal
            .await
            .unwrap_or_else(|_| Err(self.unavailable("the gateway is ending")))
    }

    async fn renew_in_turn(
        &self,
        rejected_token: Option<&SecretText>,
    ) -> Result<SecretText, TokenError> {
        let _turn = self.renewal.lock().await;
        // Another request may have renewed the tokens while this one waited for its turn.
        if let Some(other) = self.replacement(rejected_token) {
            return Ok(other);
        }
        if self.latest().is_none_or(|tokens| !self.can_renew(&tokens))
            && !self.has_client_credentials()
        {
            return Err(self.login_required(rejected_token.map_or(
                "needs a login",
                |_| "needs a new login, because its token has expired",
            )));
        }
        // Taken after the turn, because waiting for it polls the disk: one task of each process
        // does so.
        let _lock = match &self.file {
            Some(file) => Some(
                file.lock()
                    .await
                    .map_err(|error| self.unavailable(&error.to_string()))?,
            ),
            None => None,
        };
        // Another process may have renewed the tokens while this one waited.
        self.read_again();
        if let Some(other) = self.replacement(rejected_token) {
            return Ok(other);
        }
        let former = self.latest();
        let renewed = timeout(RENEWAL_TIMEOUT, self.request(former.as_deref())).await;
        match renewed.unwrap_or_else(|_| Err(TokenError::Unavailable("no answer in time".into()))) {
            Ok(tokens) => Ok(self.keep(tokens)),
            Err(TokenError::Unavailable(why)) => {
                // Requests use the former token for a while, as long as it is valid (`bearer`).
                self.latest.lock().failed_at = Some(Instant::now());
                Err(self.unavailable(&why))
            }
            Err(TokenError::LoginRequired(why)) => self.drop_rejected(former.as_deref(), &why),
        }
    }

    /// Returns the latest token if it is valid and is not the one that the server did not take.
    fn replacement(&self, rejected_token: Option<&SecretText>) -> Option<SecretText> {
        let tokens = self.latest()?;
        (tokens.is_valid() && Some(&tokens.access_token) != rejected_token)
            .then(|| tokens.access_token.clone())
    }

    async fn request(&self, former: Option<&StoredTokens>) -> Result<StoredTokens, TokenError> {
        let challenge = former.and_then(|tokens| tokens.challenge.as_deref());
        let server = AuthorizationServer::discover(&self.url, challenge).await;
        let server = server.map_err(|error| TokenError::Unavailable(error.to_string().into()))?;
        if self.has_client_credentials() {
            let issuer = server.issuer();
            let grant = server.client_credentials(&self.url, &self.settings).await?;
            return Ok(self.own_tokens(grant, issuer));
        }
        let Some(former) = former else {
            return Err(TokenError::LoginRequired("there are no tokens".into()));
        };
        // The server names its authorization server anew, and must not lead the refresh token to
        // another one.
        if server.issuer() != former.issuer {
            let why = "the server names another authorization server than at the login";
            return Err(TokenError::LoginRequired(why.into()));
        }
        server
            .refresh(former, &self.settings)
            .await
            .map(|grant| former.with_grant(grant))
    }

    /// Drops tokens that the authorization server does not take, unless they are not the latest.
    fn drop_rejected(
        &self,
        former: Option<&StoredTokens>,
        why: &str,
    ) -> Result<SecretText, TokenError> {
        // Should two processes renew at once, one of them is refused, and the file has the tokens
        // of the other.
        self.read_again();
        let rejected_token = former.map(|tokens| &tokens.access_token);
        if let Some(other) = self.replacement(rejected_token) {
            return Ok(other);
        }
        tracing::info!(
            server = self.name,
            why,
            "the tokens of a server are dropped"
        );
        if let Some(file) = &self.file
            && let Err(error) = file.remove()
        {
            tracing::warn!(server = self.name, %error, "could not remove the tokens of a server");
        }
        *self.latest.lock() = LatestTokens::default();
        Err(match self.has_client_credentials() {
            true => self.unavailable(&format!(
                "its client is not accepted: {why}; check `pd.oauth`"
            )),
            false => self.login_required(
                "needs a new login, because the former one has expired or was revoked",
            ),
        })
    }
}
