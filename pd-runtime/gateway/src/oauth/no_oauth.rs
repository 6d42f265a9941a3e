//! The module `oauth` of a build without this feature: no server has access tokens.

use crate::{
    config::{SecretText, ServerEntry},
    failure::token_error::TokenError,
};
use reqwest::Response;
use std::{convert::Infallible, sync::Arc, time::SystemTime};

/// The directory of access tokens. There is none.
#[derive(Debug)]
pub(crate) enum TokenDirectory {}

/// The access tokens of a server. There are none.
#[derive(Debug)]
pub(crate) struct AccessTokens(Infallible);

impl AccessTokens {
    pub(crate) const fn from_entry(
        _: &ServerEntry,
        _: Option<&str>,
        _: Option<&TokenDirectory>,
    ) -> Option<Arc<Self>> {
        None
    }

    pub(crate) async fn bearer(self: &Arc<Self>) -> Result<Option<SecretText>, TokenError> {
        // The type has no values, so this never runs.
        match self.0 {}
    }

    pub(crate) async fn are_wanted(&self, _: &Response) -> bool {
        match self.0 {}
    }

    pub(crate) async fn renew(
        self: &Arc<Self>,
        _: Option<&SecretText>,
    ) -> Result<SecretText, TokenError> {
        match self.0 {}
    }

    pub(crate) fn is_of_person(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn has_login_since(&self, _: SystemTime) -> bool {
        match self.0 {}
    }

    pub(crate) fn latest_bearer(&self) -> Option<SecretText> {
        match self.0 {}
    }

    pub(crate) fn refusal(&self, _: &Response) -> Option<TokenError> {
        match self.0 {}
    }
}
