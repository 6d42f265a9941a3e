//! The requests in flight in a session, within a limit and with distinct ids. rmcp would mix up the
//! answers of two requests with one id, and never free the slot of one of them.

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::RequestId;

/// The requests in flight in one session. It allocates nothing while there are none.
#[derive(Debug, Default)]
pub(super) struct InFlightRequests(Mutex<Vec<InFlightRequest>>);

/// A request in flight. It is over when its answer has reached the client's stream. rmcp does not
/// answer a cancelled request, so that one is over when its handler has ended.
#[derive(Debug)]
struct InFlightRequest {
    id: RequestId,
    is_handled: bool,
    is_cancelled: bool,
    is_answering: bool,
    is_answered: bool,
}

impl InFlightRequest {
    fn new(id: RequestId) -> Self {
        Self {
            id,
            is_handled: false,
            is_cancelled: false,
            is_answering: false,
            is_answered: false,
        }
    }

    fn is_over(&self) -> bool {
        // A cancelled request may still be answered, if the cancellation came too late: then only
        // the delivered answer ends it.
        self.is_answered || (self.is_handled && self.is_cancelled && !self.is_answering)
    }
}

/// The reason why a request cannot begin.
pub(super) enum AdmissionError {
    TooMany,
    UsedId,
    /// The answer to an earlier request with this id is being sent.
    Answering,
}

impl InFlightRequests {
    /// Returns whether no request is in flight. A request does not count if its answer only waits
    /// for the client to read it.
    pub(super) fn is_idle(&self) -> bool {
        self.lock().iter().all(|request| request.is_answering)
    }

    /// Records that the request's answer is about to be handed to the client's stream.
    pub(super) fn answering(&self, id: &RequestId) {
        self.change(id, |request| request.is_answering = true);
    }

    /// Records that the client's stream has the answer.
    pub(super) fn answered(&self, id: &RequestId) {
        self.change(id, |request| request.is_answered = true);
    }

    /// Records that the client cancelled the request.
    pub(super) fn cancelled(&self, id: &RequestId) {
        self.change(id, |request| request.is_cancelled = true);
    }

    /// Records that the request's handler has ended. A handler that is `lost` sends no answer.
    pub(super) fn handled(&self, id: &RequestId, lost: bool) {
        self.change(id, |request| {
            request.is_handled = true;
            request.is_cancelled |= lost;
        });
    }

    /// Adds a request.
    pub(super) fn add(&self, id: &RequestId, max: usize) -> Result<(), AdmissionError> {
        let mut requests = self.lock();
        match requests.iter().find(|request| request.id == *id) {
            Some(former) if former.is_answering => return Err(AdmissionError::Answering),
            Some(_) => return Err(AdmissionError::UsedId),
            None if requests.len() >= max => return Err(AdmissionError::TooMany),
            None => {}
        }
        requests.push(InFlightRequest::new(id.clone()));
        Ok(())
    }

    fn change(&self, id: &RequestId, change: impl FnOnce(&mut InFlightRequest)) {
        let mut requests = self.lock();
        if let Some(request) = requests.iter_mut().find(|request| request.id == *id) {
            change(request);
        }
        requests.retain(|request| !request.is_over());
        if requests.is_empty() {
            // Frees the buffer: ten thousand idle sessions would each keep one.
            *requests = Vec::new();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<InFlightRequest>> {
        self.0.lock()
    }
}
