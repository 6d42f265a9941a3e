//! Who may see, describe and call which tool: the primary authorization, and a security boundary.
//! Whether a description was read is the gate's business.

use crate::{registry::about::About, tool::principal::Principal};

/// Whose authority a request carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Authority {
    /// The user who started the process: stdio, and calls from code.
    Owner,
    /// Someone on the network, known or not.
    Remote(Option<Principal>),
}

impl Authority {
    pub(crate) fn principal(&self) -> Option<&Principal> {
        match self {
            Self::Owner => None,
            Self::Remote(principal) => principal.as_ref(),
        }
    }

    /// Whether it is the same person. A refreshed token may carry other scopes: they are looked at in every request.
    pub(crate) fn is_same_person(&self, other: &Self) -> bool {
        let remote = |authority: &Self| matches!(authority, Self::Remote(_));
        remote(self) == remote(other)
            && self.principal().map(Principal::subject) == other.principal().map(Principal::subject)
    }

    /// Whether the tool exists for this authority. A tool that asks for scopes is unknown to whoever lacks one.
    pub(crate) fn sees(&self, about: &About) -> bool {
        match self {
            Self::Owner => true,
            Self::Remote(Some(principal)) => about.scopes.iter().all(|scope| principal.has_scope(scope)),
            Self::Remote(None) => about.scopes.is_empty(),
        }
    }
}
