//! Who may see, describe and call which tool: the primary authorization, and a security boundary.
//! Whether a description was read is the gate's business.

use crate::registry::tool::About;
use std::sync::Arc;

/// Who is calling.
///
/// HTTP middleware authenticates the caller and puts a `Principal` into the request's extensions:
///
/// ```
/// use pd_runtime::Principal;
///
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(Principal::new("alice").with_scopes(["issues:read"]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Principal {
    subject: Arc<str>,
    scopes: Arc<[Box<str>]>,
}

impl Principal {
    /// The principal called `subject`, without scopes.
    pub fn new(subject: impl Into<Arc<str>>) -> Self {
        Self { subject: subject.into(), scopes: Arc::from([]) }
    }

    /// The same principal with these scopes.
    #[must_use]
    pub fn with_scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// What identifies the principal; never shown to clients.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Whether the principal has this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|own| **own == *scope)
    }
}

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

    /// Whether the tool exists for this authority. A tool that asks for scopes is unknown to whoever lacks one.
    pub(crate) fn sees(&self, about: &About) -> bool {
        match self {
            Self::Owner => true,
            Self::Remote(Some(principal)) => about.scopes.iter().all(|scope| principal.has_scope(scope)),
            Self::Remote(None) => about.scopes.is_empty(),
        }
    }
}
