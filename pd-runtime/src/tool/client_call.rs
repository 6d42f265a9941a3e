//! A client's request for a call, where the layers of the call share it.

use rmcp::{RoleServer, service::RequestContext};
use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// A client's request for a call. It moves to the heap as soon as it arrives, because every layer
/// of a call would move it again.
#[derive(Debug)]
pub struct ClientCall {
    request: RequestContext<RoleServer>,
    /// The number of questions that the tool has asked.
    questions: AtomicUsize,
}

impl ClientCall {
    /// Creates the call of a request.
    pub const fn new(request: RequestContext<RoleServer>) -> Self {
        Self {
            request,
            questions: AtomicUsize::new(0),
        }
    }

    /// Gives the call a cancellation token that the client's cancels.
    pub(crate) fn with_own_token(mut self: Arc<Self>) -> Arc<Self> {
        let own = self.request.ct.child_token();
        // Nobody shares the call before its context is made.
        if let Some(call) = Arc::get_mut(&mut self) {
            call.request.ct = own;
            return self;
        }
        // Other holders of the call keep the client's token.
        let mut request = self.request.clone();
        request.ct = own;
        Arc::new(Self::new(request))
    }

    /// Returns how many questions the tool has asked before this one.
    pub(super) fn count_question(&self) -> usize {
        // The number orders only the questions of one call, and publishes no other memory.
        self.questions.fetch_add(1, Relaxed)
    }
}

impl Deref for ClientCall {
    type Target = RequestContext<RoleServer>;

    fn deref(&self) -> &Self::Target {
        &self.request
    }
}
