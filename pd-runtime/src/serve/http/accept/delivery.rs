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
