//! Which clients share a connection to an upstream.

use super::{config::ConnectionSharing, oauth::AccessTokens, upstream::Upstream};
use crate::tool::context::CallContext;
use std::sync::Arc;

impl Upstream {
    /// Returns which clients share the connection of a call. The tokens of a login are those of one
    /// person, so other principals do not act with them unless the entry says so.
    pub(super) fn sharing(&self, context: &CallContext) -> ConnectionSharing {
        let subject = context.principal().map(|principal| principal.subject());
        let by_login =
            |subject: &str| self.has_login() || self.tokens_of(Some(subject)).is_some_and(|own| own.is_of_person());
        let default = || match subject.is_some_and(by_login) {
            true => ConnectionSharing::Principal,
            false => ConnectionSharing::Process,
        };
        self.entry.settings.share.unwrap_or_else(default)
    }

    /// Returns whether principals have connections of their own, and so may be listed other tools.
    pub(super) fn is_shared_by_principals(&self) -> bool {
        let share = self.entry.settings.share;
        share == Some(ConnectionSharing::Principal) || (share.is_none() && self.has_login())
    }

    /// Returns whether a person logs in at the upstream, or has to.
    fn has_login(&self) -> bool {
        self.health.lock().needs_login.is_some() || self.owner_tokens().is_some_and(|own| own.is_of_person())
    }

    /// Returns the tokens of the gateway's owner. They are kept, because each call looks at them.
    fn owner_tokens(&self) -> Option<&Arc<AccessTokens>> {
        self.owner_tokens.get_or_init(|| self.tokens_of(None)).as_ref()
    }

    fn tokens_of(&self, subject: Option<&str>) -> Option<Arc<AccessTokens>> {
        AccessTokens::from_entry(&self.entry, subject, &self.shared)
    }
}
