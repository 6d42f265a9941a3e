//! What a connection is doing: between its requests, in one's head, or answering. hyper knows, and does not tell.

use super::{super::response_body::Content, delivery::Delivery};
use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{
            AtomicBool, AtomicU32,
            Ordering::{AcqRel, Relaxed, Release},
        },
    },
    task::{Context, Poll},
};

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// The head of a request has begun to come, or should.
    Head,
    /// No request is under way.
    Idle,
    /// A request is being read further, or answered.
    Answering,
}

/// The same, with the number of changes, seen by all parts of one connection. It begins with a head that should come.
#[derive(Debug, Default)]
pub(super) struct Phase {
    doing: AtomicU32,
    /// What hangs on an answer that hyper has whole, and the socket not yet; whether there is something is asked with every flush.
    owed: Mutex<Option<Delivery>>,
    owes: AtomicBool,
}

impl Phase {
    pub(super) fn now(&self) -> (u32, Doing) {
        let now = self.doing.load(Relaxed);
        let doing = match now & 0b11 {
            0 => Doing::Head,
            1 => Doing::Idle,
            _ => Doing::Answering,
        };
        (now, doing)
    }

    /// A request's first bytes came.
    pub(super) fn begins(&self) {
        self.change(0);
    }

    /// A request's head is there.
    pub(super) fn answers(&self) {
        self.change(2);
    }

    fn rests(&self) {
        self.change(1);
    }

    /// An answer has been handed over to the end.
    fn hands_over(&self, delivery: Delivery) {
        *self.owed.lock().unwrap_or_else(PoisonError::into_inner) = Some(delivery);
        self.owes.store(true, Release);
    }

    /// All that was handed over has been written.
    pub(super) fn has_written(&self) {
        if self.owes.load(Relaxed) && self.owes.swap(false, AcqRel) {
            let owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner).take();
            owed.inspect(Delivery::is_written);
        }
    }

    /// All parts of a connection run in one task, so nobody changes it in between.
    fn change(&self, doing: u32) {
        let count = (self.doing.load(Relaxed) >> 2).wrapping_add(1);
        self.doing.store((count << 2) | doing, Relaxed);
    }
}

/// The body of an answer; when hyper is through with it, the connection is idle.
#[derive(Debug)]
pub(super) struct Answer {
    body: Content,
    phase: Arc<Phase>,
    /// What hangs on it.
    delivery: Option<Delivery>,
}

impl Answer {
    pub(super) fn new(body: Content, phase: Arc<Phase>, delivery: Option<Delivery>) -> Self {
        Self { body, phase, delivery }
    }

    /// hyper asks no further once it has what was announced: the end is where the body says so, with its last part.
    fn note_end(&mut self, has_ended: bool) {
        if let Some(delivery) = self.delivery.take_if(|_| has_ended || self.body.is_end_stream()) {
            self.phase.hands_over(delivery);
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.phase.rests();
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
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
