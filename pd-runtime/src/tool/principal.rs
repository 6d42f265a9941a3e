//! Who is calling, as far as the transport knows. What they may see is in `access`.

use std::sync::Arc;

/// Who is calling.
///
/// Over HTTP, `HttpOptions::authenticate` names the caller (feature `http`), or middleware of one's own puts a `Principal` into
/// the request's extensions:
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
    attributes: Arc<[(Box<str>, Box<str>)]>,
}

impl Principal {
    /// The principal called `subject`, without scopes.
    pub fn new(subject: impl Into<Arc<str>>) -> Self {
        Self { subject: subject.into(), scopes: Arc::from([]), attributes: Arc::from([]) }
    }

    /// The same principal with these scopes.
    #[must_use]
    pub fn with_scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The same principal with something else that is known of them, for an [`Access`](crate::Access) policy or a tool: their
    /// tenant, say. A later value of one name counts.
    #[must_use]
    pub fn with_attribute(mut self, name: impl Into<Box<str>>, value: impl Into<Box<str>>) -> Self {
        let known = self.attributes.iter().cloned();
        self.attributes = known.chain([(name.into(), value.into())]).collect();
        self
    }

    /// What is known of them under this name.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut known = self.attributes.iter().rev();
        known.find(|(own, _)| **own == *name).map(|(_, value)| &**value)
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

/// Whose authority a request carries. What it may see is in `access`.
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
}
