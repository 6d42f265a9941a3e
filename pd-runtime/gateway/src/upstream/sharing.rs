//! Which clients share a connection to an upstream.

use crate::{
    config::ConnectionSharing,
    connection::pool::ConnectionClient,
    oauth::AccessTokens,
    upstream::{Upstream, upstream_error::UpstreamError},
};
use pd_runtime::{CallContext, upstream::CallerAuthority};
use std::sync::Arc;

impl Upstream {
    /// Returns the client that the connection of a call belongs to.
    ///
    /// # Errors
    ///
    /// Returns an error if the caller is nobody in particular, and the connection would have the
    /// login of the gateway's owner.
    pub(crate) fn client_of(
        &self,
        context: &CallContext,
    ) -> Result<ConnectionClient, UpstreamError> {
        // Each process on the machine, and each page that may call it, can be such a caller.
        let is_anonymous = *context.authority() == CallerAuthority::Remote(None);
        if is_anonymous
            // With `process`, the entry lets all callers act with this login.
            && self.entry.settings.share != Some(ConnectionSharing::Process)
            && self.has_login()
        {
            let reason = format!(
                "`{0}` needs a login, and callers without a token do not act with that of the gateway's owner: send a \
                 token, or ask the owner to set `share` to `process` in the `pd` object of `{0}`",
                self.name()
            );
            return Err(UpstreamError::LoginRequired {
                reason: reason.into(),
            });
        }
        Ok(ConnectionClient::from_call(self.sharing(context), context))
    }

    /// Returns which clients share the connection of a call. The tokens of a login belong to one
    /// person, so other principals do not act with them unless the entry says so.
    fn sharing(&self, context: &CallContext) -> ConnectionSharing {
        let subject = context.principal().map(|principal| principal.subject());
        let by_login = |subject: &str| {
            self.has_login()
                || self
                    .tokens_of(Some(subject))
                    .is_some_and(|own| own.is_of_person())
        };
        self.entry
            .settings
            .share
            .unwrap_or_else(|| match subject.is_some_and(by_login) {
                true => ConnectionSharing::Principal,
                false => ConnectionSharing::Process,
            })
    }

    /// Returns whether each principal has a separate connection, and so may see other tools.
    pub(crate) fn is_shared_by_principals(&self) -> bool {
        let share = self.entry.settings.share;
        share == Some(ConnectionSharing::Principal) || (share.is_none() && self.has_login())
    }

    /// Returns whether a person logs in at the upstream, or has to.
    pub(crate) fn has_login(&self) -> bool {
        self.health.needs_login() || self.owner_tokens().is_some_and(|own| own.is_of_person())
    }

    /// Returns the tokens of the gateway's owner. They are kept, because each call looks at them.
    fn owner_tokens(&self) -> Option<&Arc<AccessTokens>> {
        self.connections.owner_tokens(|| self.tokens_of(None))
    }

    fn tokens_of(&self, subject: Option<&str>) -> Option<Arc<AccessTokens>> {
        AccessTokens::from_entry(&self.entry, subject, self.shared.token_directory())
    }
}
