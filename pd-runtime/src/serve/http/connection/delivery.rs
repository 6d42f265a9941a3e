//! What hangs on an answer being written whole. Handing it to hyper is not that: hyper, too, waits for the client.

use http::Extensions;
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{
            AtomicBool,
            Ordering::{Acquire, Release},
        },
    },
};

/// What is to be done once an answer was written. Where it never is, it is dropped with the connection, undone.
#[derive(Clone)]
pub(in crate::serve::http) struct Delivery(Arc<Pending>);

struct Pending {
    then: Mutex<Option<Then>>,
    /// Whether a connection promised to say when it is.
    is_watched: AtomicBool,
}

type Then = Box<dyn FnOnce() + Send>;

/// What a response carries to the connection: no claim of its own, whoever keeps the response's head.
#[derive(Clone)]
struct Carried(Weak<Pending>);

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Delivery")
    }
}

impl Delivery {
    pub(in crate::serve::http) fn new(then: impl FnOnce() + Send + 'static) -> Self {
        let then: Then = Box::new(then);
        Self(Arc::new(Pending { then: Mutex::new(Some(then)), is_watched: AtomicBool::new(false) }))
    }

    /// Puts it where the connection looks for it. The answer's body has to keep it.
    pub(in crate::serve::http) fn carry(&self, response: &mut Extensions) {
        response.insert(Carried(Arc::downgrade(&self.0)));
    }

    /// What hangs on this response: from now on the connection says when it was written.
    pub(super) fn watched(response: &mut Extensions) -> Option<Self> {
        let pending = response.remove::<Carried>()?.0.upgrade()?;
        pending.is_watched.store(true, Release);
        Some(Self(pending))
    }

    /// The answer has been handed over to its end. Under a server that is not ours nobody knows more.
    pub(in crate::serve::http) fn is_handed_over(&self) {
        if !self.0.is_watched.load(Acquire) {
            self.is_written();
        }
    }

    pub(super) fn is_written(&self) {
        let then = self.0.then.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(then) = then {
            then();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::{
        super::connection_state::{Answer, Phase},
        *,
    };
    use crate::serve::http::response_body::Content;
    use axum::body::HttpBody;
    use futures::FutureExt;
    use std::{future::poll_fn, pin::Pin};

    /// An answer on a connection, and who knows whether what hangs on it was done.
    fn answer(body: &'static str) -> (Answer, Arc<Phase>, Arc<AtomicBool>, Delivery) {
        let (phase, done) = (Arc::new(Phase::default()), Arc::new(AtomicBool::new(false)));
        let note = done.clone();
        let delivery = Delivery::new(move || note.store(true, Release));
        let mut head = Extensions::new();
        delivery.carry(&mut head);
        let watched = Delivery::watched(&mut head);
        assert!(watched.is_some() && head.is_empty());
        (Answer::new(Content::whole(body.into()), phase.clone(), watched), phase, done, delivery)
    }

    fn read(answer: &mut Answer) -> bool {
        poll_fn(|context| Pin::new(&mut *answer).poll_frame(context)).now_or_never().unwrap().is_some()
    }

    #[test]
    fn what_was_handed_over_is_not_written_before_the_socket_has_it() {
        let (mut answer, phase, done, delivery) = answer("rows");
        phase.has_written();
        assert!(read(&mut answer) && answer.is_end_stream());
        delivery.is_handed_over();
        assert!(!done.load(Acquire));
        phase.has_written();
        assert!(done.load(Acquire));
    }

    #[test]
    fn a_flush_before_the_end_says_nothing() {
        let (_answer, phase, done, delivery) = answer("rows");
        phase.has_written();
        drop(delivery);
        assert!(!done.load(Acquire));
    }

    #[test]
    fn what_the_connection_did_not_write_is_dropped_with_it() {
        let (mut answer, phase, done, delivery) = answer("rows");
        assert!(read(&mut answer));
        let held = Arc::downgrade(&delivery.0);
        drop((answer, delivery));
        assert!(held.upgrade().is_some(), "the connection has it");
        drop(phase);
        assert!(held.upgrade().is_none() && !done.load(Acquire));
    }

    #[test]
    fn where_nobody_watches_handing_over_must_do() {
        let done = Arc::new(AtomicBool::new(false));
        let note = done.clone();
        Delivery::new(move || note.store(true, Release)).is_handed_over();
        assert!(done.load(Acquire));
    }
}
