//! The requests under way in a session: not too many, and no two of one id. rmcp would mix up the answers of those, and keep
//! the place of one for ever.

use super::{refusal, session::Session};
use rmcp::model::{
    CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, GetExtensions, RequestId,
    ServerJsonRpcMessage,
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How long to wait before looking again whether an answer has gone.
const MOMENT: Duration = Duration::from_millis(1);

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
enum Hurdle {
    TooMany,
    UsedId,
    /// The answer to a former request of this id is on its way.
    Answering,
}

/// Travels with a request, and is dropped when its handler is through.
#[derive(Clone)]
struct Handling {
    #[expect(dead_code, reason = "it is there to be dropped")]
    last: Arc<Last>,
}

struct Last {
    session: Arc<Session>,
    id: RequestId,
}

impl Drop for Last {
    fn drop(&mut self) {
        // A handler that panicked answers nothing.
        let is_lost = std::thread::panicking();
        self.session.under_way.change(&self.id, |request| {
            request.is_handled = true;
            request.is_cancelled |= is_lost;
        });
    }
}

/// Counts a request from now on until it is over.
///
/// # Errors
///
/// The answer to one that may not begin.
pub(super) async fn begin(
    session: &Arc<Session>,
    message: &mut ClientJsonRpcMessage,
    max: usize,
) -> Result<(), ServerJsonRpcMessage> {
    let ClientJsonRpcMessage::Request(request) = message else { return Ok(()) };
    let id = request.id.clone();
    while let Err(hurdle) = session.under_way.add(&id, max) {
        match hurdle {
            Hurdle::TooMany => return Err(refusal::too_many(max, id)),
            Hurdle::UsedId => return Err(refusal::used_id(id)),
            Hurdle::Answering if session.has_ended() => return Err(refusal::used_id(id)),
            Hurdle::Answering => tokio::time::sleep(MOMENT).await,
        }
    }
    let last = Arc::new(Last { session: session.clone(), id });
    request.request.extensions_mut().insert(Handling { last });
    Ok(())
}

/// Takes note if this cancels a request.
pub(super) fn note_cancelled(session: &Session, message: &ClientJsonRpcMessage) {
    let ClientJsonRpcMessage::Notification(message) = message else { return };
    let ClientNotification::CancelledNotification(cancelled) = &message.notification else { return };
    if let CancelledNotificationParam { request_id: Some(id), .. } = &cancelled.params {
        session.under_way.change(id, |request| request.is_cancelled = true);
    }
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

    fn add(&self, id: &RequestId, max: usize) -> Result<(), Hurdle> {
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
