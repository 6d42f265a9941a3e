//! Servers that list nothing before a login.

use crate::{
    Gateway,
    connection::{Connection, RequestError},
    failure::token_error::TokenError,
    oauth::AccessTokens,
    upstream::Upstream,
};

impl Gateway {
    /// Reads the lists of the servers that needed a login when they were started, and have one now.
    pub(crate) fn start_after_logins(&self) {
        for upstream in self
            .upstreams()
            .iter()
            .filter(|upstream| upstream.take_new_login())
        {
            let upstream = upstream.clone();
            tokio::spawn(async move { drop(upstream.read_lists().await) });
        }
    }
}

impl Upstream {
    /// Ends a connection if its lists need a login, so that the next start reads them. Some servers
    /// need no login for the handshake.
    pub(crate) fn end_without_login(&self, error: &RequestError, connection: &Connection) {
        if let RequestError::Unauthorized(TokenError::LoginRequired(reason)) = error {
            // Whether a principal has a login says nothing about other clients.
            if connection.is_of_owner() {
                self.health.require_login(reason.clone().into());
            }
            connection.close();
        }
    }

    /// Returns whether there was a login since the upstream was started without one. Returns it
    /// once.
    fn take_new_login(&self) -> bool {
        self.health.take_login(|since| {
            let tokens = AccessTokens::from_entry(&self.entry, None, self.shared.token_directory());
            tokens.is_some_and(|tokens| tokens.has_login_since(since))
        })
    }
}
