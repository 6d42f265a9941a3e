//! An action that depends on the complete delivery of an answer. Passing the answer to hyper is not
//! enough, since hyper also waits for the client.

use http::Extensions;
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{
        Arc, Weak,
        atomic::{
            AtomicBool,
            Ordering::{Acquire, Release},
        },
    },
};

/// An action to run once an answer has been written. If the answer never is, the action is dropped
/// with the connection and does not run.
#[derive(Clone)]
pub(in crate::serve::http) struct DeliveryHook(Arc<PendingDelivery>);

struct PendingDelivery {
    then: Mutex<Option<DeliveryCallback>>,
    /// Set if a connection of ours will report the delivery.
    is_watched: AtomicBool,
}

type DeliveryCallback = Box<dyn FnOnce() + Send>;

/// A weak reference in the response's extensions: middleware that keeps the response's head must
/// not keep the action alive.
#[derive(Clone)]
struct WeakDelivery(Weak<PendingDelivery>);

impl fmt::Debug for DeliveryHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeliveryHook")
    }
}

impl DeliveryHook {
    pub(in crate::serve::http) fn new(then: impl FnOnce() + Send + 'static) -> Self {
        let then: DeliveryCallback = Box::new(then);
        Self(Arc::new(PendingDelivery {
            then: Mutex::new(Some(then)),
            is_watched: AtomicBool::new(false),
        }))
    }

    /// Puts the action into the response's extensions for the connection. The answer's body must
    /// hold the `DeliveryHook` itself.
    pub(in crate::serve::http) fn attach_to(&self, response: &mut Extensions) {
        response.insert(WeakDelivery(Arc::downgrade(&self.0)));
    }

    /// Takes the action out of a response's extensions. From then on the connection reports its
    /// delivery.
    pub(super) fn take_from(response: &mut Extensions) -> Option<Self> {
        let pending = response.remove::<WeakDelivery>()?.0.upgrade()?;
        pending.is_watched.store(true, Release);
        Some(Self(pending))
    }

    /// Records that the answer has been passed to the HTTP server completely. Under a server other
    /// than ours this counts as written, since nothing more is known.
    pub(in crate::serve::http) fn report_handed_over(&self) {
        if !self.0.is_watched.load(Acquire) {
            self.report_written();
        }
    }

    /// Runs the action, unless it has run already.
    pub(super) fn report_written(&self) {
        let then = self.0.then.lock().take();
        // Run outside of the lock: the action is foreign code.
        if let Some(then) = then {
            then();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::{
        super::connection_state::{AnswerBody, ConnectionState},
        *,
    };
    use crate::serve::http::response_body::ResponseBody;
    use axum::body::HttpBody;
    use futures::FutureExt;
    use std::{future::poll_fn, pin::Pin};

    /// An answer on a connection, and the flag that its delivery sets.
    fn answer(
        body: &'static str,
    ) -> (
        AnswerBody,
        Arc<ConnectionState>,
        Arc<AtomicBool>,
        DeliveryHook,
    ) {
        let (phase, done) = (
            Arc::new(ConnectionState::default()),
            Arc::new(AtomicBool::new(false)),
        );
        let note = done.clone();
        let delivery = DeliveryHook::new(move || note.store(true, Release));
        let mut head = Extensions::new();
        delivery.attach_to(&mut head);
        let watched = DeliveryHook::take_from(&mut head);
        assert!(watched.is_some() && head.is_empty());
        (
            AnswerBody::new(ResponseBody::whole(body.into()), phase.clone(), watched),
            phase,
            done,
            delivery,
        )
    }

    fn read(answer: &mut AnswerBody) -> bool {
        poll_fn(|context| Pin::new(&mut *answer).poll_frame(context))
            .now_or_never()
            .unwrap()
            .is_some()
    }

    #[test]
    fn what_was_handed_over_is_not_written_before_the_socket_has_it() {
        let (mut answer, phase, done, delivery) = answer("rows");
        phase.report_flushed();
        assert!(read(&mut answer) && answer.is_end_stream());
        delivery.report_handed_over();
        assert!(!done.load(Acquire));
        phase.report_flushed();
        assert!(done.load(Acquire));
    }

    #[test]
    fn a_flush_before_the_end_says_nothing() {
        let (_answer, phase, done, delivery) = answer("rows");
        phase.report_flushed();
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
        DeliveryHook::new(move || note.store(true, Release)).report_handed_over();
        assert!(done.load(Acquire));
    }
}
