//! Why a server has refused a request for want of a token, and what a person does.

use super::{
    super::command::{login_command, parse_scopes},
    AccessTokens,
};
use crate::failure::token_error::TokenError;
use reqwest::{Response, StatusCode, header::WWW_AUTHENTICATE};
use rmcp::transport::auth::WWWAuthenticateParams;

impl AccessTokens {
    /// Returns why the server has refused a request: its token is not valid, or lacks a scope.
    pub(crate) fn refusal(&self, response: &Response) -> Option<TokenError> {
        match response.status() {
            StatusCode::UNAUTHORIZED if self.has_client_credentials() => Some(self.unavailable(
                "it does not take the token of the gateway's client; check `pd.oauth`",
            )),
            StatusCode::UNAUTHORIZED => {
                Some(self.login_required("does not take the token of the login"))
            }
            StatusCode::FORBIDDEN => self.missing_scopes(response),
            _ => None,
        }
    }

    fn missing_scopes(&self, response: &Response) -> Option<TokenError> {
        let challenges = response
            .headers()
            .get_all(WWW_AUTHENTICATE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut challenges = challenges.map(|text| WWWAuthenticateParams::parse(text, &self.url));
        // A request without the scopes has this error code (RFC 6750, section 3.1). Another 403 is
        // not about the token.
        let challenge = challenges.find(WWWAuthenticateParams::is_insufficient_scope)?;
        let scopes = parse_scopes(challenge.scope.as_deref().unwrap_or_default());
        if scopes.is_empty() {
            return Some(self.login_required("needs more scopes, and does not name them"));
        }
        if self.has_client_credentials() {
            let why = format!(
                "it needs more scopes; add them to `pd.oauth.scopes`: {}",
                scopes.join(", ")
            );
            return Some(self.unavailable(&why));
        }
        let command = login_command(&self.name, self.principal.as_deref(), &scopes);
        let why = format!(
            "`{}` needs more scopes: {}; run `{command}`",
            self.label,
            scopes.join(", ")
        );
        Some(TokenError::LoginRequired(why.into()))
    }

    pub(in crate::oauth) fn login_required(&self, why: &str) -> TokenError {
        let command = login_command(&self.name, self.principal.as_deref(), &[]);
        TokenError::LoginRequired(format!("`{}` {why}; run `{command}`", self.label).into())
    }

    pub(super) fn unavailable(&self, why: &str) -> TokenError {
        TokenError::Unavailable(format!("no access token for `{}`: {why}", self.label).into())
    }
}
