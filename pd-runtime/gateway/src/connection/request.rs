//! A request to an upstream, and why it has no result.

use super::{Connection, RequestError};
use crate::message::wire::MessageReservation;
use serde_json::Value;
use tokio::sync::oneshot;

/// A request that was sent. Dropping it cancels the request.
pub(crate) struct SentRequest<'a> {
    pub(super) connection: &'a Connection,
    pub(super) id: u64,
    pub(super) reply: oneshot::Receiver<Reply>,
    pub(super) state: RequestState,
    /// The memory of a large response.
    pub(super) memory: MessageReservation,
}

/// What settles a request.
pub(super) type Reply = Result<Answer, RequestError>;

/// A response, with the memory that it takes.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(super) value: Value,
    pub(super) memory: MessageReservation,
}

/// What is left to do for a request that is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestState {
    /// Nothing: it was not sent, or it was answered.
    Ended,
    /// It waits. Clients must not cancel `initialize` (basic, cancellation).
    Handshake,
    /// It waits, and the upstream is notified that it is canceled.
    Open,
    /// Nothing: its receiver was taken.
    Kept,
}

impl SentRequest<'_> {
    /// Returns the receiver of the response. The request lasts as long as the connection.
    pub(crate) fn keep(mut self) -> oneshot::Receiver<Result<Answer, RequestError>> {
        self.state = RequestState::Kept;
        // Replaced and not moved out, because the value has `Drop`.
        let (_, unused) = oneshot::channel();
        std::mem::replace(&mut self.reply, unused)
    }

    /// Leaves the response to itself.
    pub(crate) fn forget(mut self) {
        self.state = RequestState::Ended;
    }

    /// Waits for the response.
    pub(crate) async fn response(&mut self) -> Result<Value, RequestError> {
        let reply = (&mut self.reply).await;
        self.state = RequestState::Ended;
        let answer =
            reply.unwrap_or_else(|_| Err(RequestError::Closed("it was stopped".into())))?;
        self.memory = answer.memory;
        Ok(answer.value)
    }

    /// Returns the memory of the response, which is in use for as long as the response is.
    pub(crate) fn take_memory(&mut self) -> MessageReservation {
        std::mem::take(&mut self.memory)
    }
}

impl Drop for SentRequest<'_> {
    fn drop(&mut self) {
        if self.state == RequestState::Kept {
            return;
        }
        // A response that comes later finds no request, and is skipped.
        self.connection.shared.pending.lock().remove(&self.id);
        if self.state != RequestState::Ended {
            let is_notified = self.state == RequestState::Open;
            if is_notified {
                self.connection.shared.note_notification();
            }
            self.connection.link.cancel(self.id, is_notified);
        }
    }
}
