//! The state of a connection: between requests, reading a head, or answering. hyper does not expose
//! it.

use super::{super::response_body::ResponseBody, delivery::DeliveryHook};
use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{
            AtomicBool, AtomicU32,
            Ordering::{AcqRel, Relaxed, Release},
        },
    },
    task::{Context, Poll},
};
use tokio::sync::Notify;

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionPhase {
    /// The head of a request is being received or awaited.
    Head,
    /// No request is in flight.
    Idle,
    /// The rest of a request is being received, or its answer sent.
    Answering,
}

/// The state, shared by all parts of one connection, with the number of its changes. It begins by
/// awaiting a head.
#[derive(Debug, Default)]
pub(super) struct ConnectionState {
    // Bits 0 and 1 hold the state (0 head, 1 idle, 2 answering), the others count the changes. The
    // count lets the socket see that a state was left and entered again in between.
    doing: AtomicU32,
    /// The delivery of an answer that hyper has completely, but the socket has not.
    pending: Mutex<Option<DeliveryHook>>,
    // Set if `pending` is: each flush asks, and a lock for each would be too expensive.
    has_pending: AtomicBool,
    /// Notified when the connection is to make room for another one.
    displaced: Notify,
}

impl ConnectionState {
    pub(super) fn now(&self) -> (u32, ConnectionPhase) {
        // Relaxed, because other tasks read this number alone, and nothing that was written before
        // it.
        let now = self.doing.load(Relaxed);
        let doing = match now & 0b11 {
            0 => ConnectionPhase::Head,
            1 => ConnectionPhase::Idle,
            _ => ConnectionPhase::Answering,
        };
        (now, doing)
    }

    /// Returns a number that stays the same while the client sends nothing, or `None` while a
    /// request is answered.
    pub(super) fn silence(&self) -> Option<u32> {
        let (now, doing) = self.now();
        (doing != ConnectionPhase::Answering).then_some(now)
    }

    /// Asks the connection to close.
    pub(super) fn displace(&self) {
        self.displaced.notify_one();
    }

    /// Waits until the connection is to close. A request that has arrived since then is answered
    /// first.
    pub(super) async fn displaced(&self) {
        loop {
            self.displaced.notified().await;
            if self.silence().is_some() {
                return;
            }
        }
    }

    /// Records the first bytes of a request.
    pub(super) fn enter_head(&self) {
        self.change(0);
    }

    /// Records that a request's head is complete.
    pub(super) fn enter_answering(&self) {
        self.change(2);
    }

    fn enter_idle(&self) {
        self.change(1);
    }

    /// Records an answer that hyper has completely.
    fn hold_delivery(&self, delivery: DeliveryHook) {
        *self.pending.lock() = Some(delivery);
        // After the lock: a flush that sees the flag must find the delivery.
        self.has_pending.store(true, Release);
    }

    /// Reports the delivery after a flush: everything that hyper had is written.
    pub(super) fn report_flushed(&self) {
        // A plain load first: almost no flush has a delivery, and a swap writes each time.
        if self.has_pending.load(Relaxed) && self.has_pending.swap(false, AcqRel) {
            let pending = self.pending.lock().take();
            pending.inspect(DeliveryHook::report_written);
        }
    }

    /// Changes the state. The parts of a connection run in one task, so a separate load and store
    /// do not race.
    fn change(&self, doing: u32) {
        let count = (self.doing.load(Relaxed) >> 2).wrapping_add(1);
        self.doing.store((count << 2) | doing, Relaxed);
    }
}

/// The body of an answer. The connection becomes idle when hyper drops it.
#[derive(Debug)]
pub(super) struct AnswerBody {
    body: ResponseBody,
    phase: Arc<ConnectionState>,
    /// The action that runs once the answer is written.
    delivery: Option<DeliveryHook>,
}

impl AnswerBody {
    pub(super) fn new(
        body: ResponseBody,
        phase: Arc<ConnectionState>,
        delivery: Option<DeliveryHook>,
    ) -> Self {
        Self {
            body,
            phase,
            delivery,
        }
    }

    /// Hands the delivery over at the end of the body. hyper does not poll again after the
    /// announced length, so the end is where the body reports it together with its last part.
    fn note_end(&mut self, has_ended: bool) {
        if let Some(delivery) = self
            .delivery
            .take_if(|_| has_ended || self.body.is_end_stream())
        {
            self.phase.hold_delivery(delivery);
        }
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.phase.enter_idle();
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        // After an error the answer is incomplete, so its delivery must not be reported.
        if self.delivery.is_some() && !matches!(polled, Poll::Ready(Some(Err(_)))) {
            self.note_end(matches!(polled, Poll::Ready(None)));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
