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
