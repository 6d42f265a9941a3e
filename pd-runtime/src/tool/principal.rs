//! The caller's identity, as far as the transport knows it. `policy::access` decides what a caller
//! may see.

use std::sync::Arc;

/// The identity of a caller.
///
/// Over HTTP, `HttpOptions::authenticate` sets the principal (feature `http`), or the application's
/// own middleware adds a `Principal` to the request's extensions:
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
    /// Creates a principal with this subject and without scopes.
    pub fn new(subject: impl Into<Arc<str>>) -> Self {
        Self {
            subject: subject.into(),
            scopes: Arc::from([]),
            attributes: Arc::from([]),
        }
    }

    /// Sets the scopes of the principal.
    #[must_use]
    pub fn with_scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Adds an attribute of the principal, such as its tenant, for an [`Access`](crate::Access)
    /// policy or a tool. A later value for the same name replaces an earlier one.
    #[must_use]
    pub fn with_attribute(mut self, name: impl Into<Box<str>>, value: impl Into<Box<str>>) -> Self {
        // A shared slice cannot grow, so it is rebuilt.
        let known = self.attributes.iter().cloned();
        self.attributes = known.chain([(name.into(), value.into())]).collect();
        self
    }

    /// Returns the attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        // The newest value is at the end. Attributes are few, so no map is needed.
        let mut known = self.attributes.iter().rev();
        known
            .find(|(own, _)| **own == *name)
            .map(|(_, value)| &**value)
    }

    /// Returns the identifier of the principal. It is never sent to clients.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns whether the principal has this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|own| **own == *scope)
    }
}

/// The authority that a request carries. `policy::access` decides what it permits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallerAuthority {
    /// The user who started the process: stdio, and calls from code.
    Owner,
    /// A caller on the network, authenticated or not.
    Remote(Option<Principal>),
}

impl CallerAuthority {
    pub(crate) fn principal(&self) -> Option<&Principal> {
        match self {
            Self::Owner => None,
            Self::Remote(principal) => principal.as_ref(),
        }
    }
}
