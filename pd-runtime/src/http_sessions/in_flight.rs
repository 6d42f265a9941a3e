//! The requests under way in a session: not too many, and no two of one id. rmcp would mix up the answers of those, and keep
//! the place of one for ever.

use rmcp::model::RequestId;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The requests under way in one session. None cost nothing.
#[derive(Debug, Default)]
pub(super) struct UnderWay(Mutex<Vec<Request>>);

/// One of them. It is over when its answer is with the client's stream; or it is cancelled, which rmcp does not answer, and
/// its handler is through.
#[derive(Debug)]
struct Request {
    id: RequestId,
    is_handled: bool,
    is_cancelled: bool,
    is_answering: bool,
    is_answered: bool,
}

impl Request {
    fn new(id: RequestId) -> Self {
        Self { id, is_handled: false, is_cancelled: false, is_answering: false, is_answered: false }
    }

    fn is_over(&self) -> bool {
        self.is_answered || (self.is_handled && self.is_cancelled && !self.is_answering)
    }
}

/// Why a request does not begin.
pub(super) enum Hurdle {
    TooMany,
    UsedId,
    /// The answer to a former request of this id is on its way.
    Answering,
}

impl UnderWay {
    /// Whether none is, but for those whose answer only waits to be taken.
    pub(super) fn is_idle(&self) -> bool {
        self.lock().iter().all(|request| request.is_answering)
    }

    /// The answer is about to be handed to the client's stream.
    pub(super) fn answering(&self, id: &RequestId) {
        self.change(id, |request| request.is_answering = true);
    }

    /// The client's stream has it.
    pub(super) fn answered(&self, id: &RequestId) {
        self.change(id, |request| request.is_answered = true);
    }

    /// The client cancelled it.
    pub(super) fn cancelled(&self, id: &RequestId) {
        self.change(id, |request| request.is_cancelled = true);
    }

    /// Its handler is through; one that is `lost` answers nothing.
    pub(super) fn handled(&self, id: &RequestId, lost: bool) {
        self.change(id, |request| {
            request.is_handled = true;
            request.is_cancelled |= lost;
        });
    }

    /// Counts a request from now on.
    pub(super) fn add(&self, id: &RequestId, max: usize) -> Result<(), Hurdle> {
        let mut requests = self.lock();
        match requests.iter().find(|request| request.id == *id) {
            Some(former) if former.is_answering => return Err(Hurdle::Answering),
            Some(_) => return Err(Hurdle::UsedId),
            None if requests.len() >= max => return Err(Hurdle::TooMany),
            None => {}
        }
        requests.push(Request::new(id.clone()));
        Ok(())
    }

    fn change(&self, id: &RequestId, change: impl FnOnce(&mut Request)) {
        let mut requests = self.lock();
        if let Some(request) = requests.iter_mut().find(|request| request.id == *id) {
            change(request);
        }
        requests.retain(|request| !request.is_over());
        if requests.is_empty() {
            *requests = Vec::new();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Request>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
