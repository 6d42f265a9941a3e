//! The module `oauth` of a build without this feature: no server has access tokens.

use super::{
    config::{SecretText, ServerEntry},
    shared_parts::SharedParts,
    token_error::TokenError,
};
use reqwest::Response;
use std::{convert::Infallible, sync::Arc, time::SystemTime};

/// The access tokens of a server. There are none.
#[derive(Debug)]
pub(super) struct AccessTokens(Infallible);

impl AccessTokens {
    pub(super) const fn from_entry(
        _: &ServerEntry,
        _: Option<&str>,
        _: &SharedParts,
    ) -> Option<Arc<Self>> {
        None
    }

    pub(super) async fn bearer(self: &Arc<Self>) -> Result<Option<SecretText>, TokenError> {
        match self.0 {}
    }

    pub(super) async fn are_wanted(&self, _: &Response) -> bool {
        match self.0 {}
    }

    pub(super) async fn renew(
        self: &Arc<Self>,
        _: Option<&SecretText>,
    ) -> Result<SecretText, TokenError> {
        match self.0 {}
    }

    pub(super) fn is_of_person(&self) -> bool {
        match self.0 {}
    }

    pub(super) fn has_login_since(&self, _: SystemTime) -> bool {
        match self.0 {}
    }

    pub(super) fn latest_bearer(&self) -> Option<SecretText> {
        match self.0 {}
    }

    pub(super) fn refusal(&self, _: &Response) -> Option<TokenError> {
        match self.0 {}
    }
}
