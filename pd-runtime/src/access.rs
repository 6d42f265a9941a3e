//! Who may see, describe and call which tool: the primary authorization, and a security boundary.
//! Whether a description was read is the gate's business.

use std::sync::Arc;

/// Who is calling.
///
/// HTTP middleware authenticates the caller and puts a `Principal` into the request's extensions.
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
}
