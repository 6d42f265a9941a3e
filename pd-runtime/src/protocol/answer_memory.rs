//! What an answer keeps until a transport has written it.

use parking_lot::Mutex;
use std::{any::Any, fmt, sync::Arc};

use rmcp::{RoleServer, service::RequestContext};

/// The values that live as long as the answer to one request. A handler adds them, and the
/// transport has a clone until it has written the answer, or dropped it.
#[derive(Clone, Default)]
pub(crate) struct AnswerMemory(Arc<Mutex<Vec<Box<dyn Any + Send + Sync>>>>);

impl AnswerMemory {
    /// Keeps a value until the answer is written.
    pub(crate) fn hold(&self, value: impl Any + Send + Sync) {
        self.0.lock().push(Box::new(value));
    }

    /// Returns the memory of the answer to this request. rmcp's HTTP service has no other place for
    /// it than the head of the HTTP request.
    pub(crate) fn from_request(request: &RequestContext<RoleServer>) -> Option<&Self> {
        let memory = request.extensions.get::<Self>();
        memory.or_else(|| {
            request
                .extensions
                .get::<http::request::Parts>()?
                .extensions
                .get()
        })
    }

    /// Returns whether the answer keeps nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }
}

impl fmt::Debug for AnswerMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnswerMemory")
            // The values are `dyn Any`, so only their number can be shown.
            .field(&self.0.lock().len())
            .finish()
    }
}
