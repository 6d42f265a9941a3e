//! What a connection is doing: between its requests, in one's head, or answering. hyper knows, and does not tell.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
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
pub(super) struct Phase(AtomicU32);

impl Phase {
    pub(super) fn now(&self) -> (u32, Doing) {
        let now = self.0.load(Relaxed);
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

    /// All parts of a connection run in one task, so nobody changes it in between.
    fn change(&self, doing: u32) {
        let count = (self.0.load(Relaxed) >> 2).wrapping_add(1);
        self.0.store((count << 2) | doing, Relaxed);
    }
}

/// The body of an answer; when hyper is through with it, the connection is idle.
#[derive(Debug)]
pub(super) struct Answer {
    body: Body,
    phase: Arc<Phase>,
}

impl Answer {
    pub(super) fn new(body: Body, phase: Arc<Phase>) -> Self {
        Self { body, phase }
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
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
