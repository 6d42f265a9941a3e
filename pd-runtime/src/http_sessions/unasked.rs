//! The sessions in which nothing was asked yet, oldest first. They yield their places when there are no others.

use super::session::Session;
use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
};

/// How many entries of other sessions are kept, beside one for each session, before they are removed.
const SLACK: usize = 64;

/// The sessions in the order in which they were opened. A session that has ended, or in which something was asked since, stays
/// until it is met, or until such entries outnumber the others: so each opening costs the same, however many sessions there are.
#[derive(Debug, Default)]
pub(super) struct Unasked(VecDeque<Weak<Session>>);

impl Unasked {
    /// Adds a session that has just been opened. `sessions` is how many there are.
    pub(super) fn add(&mut self, session: &Arc<Session>, sessions: usize) {
        if self.0.len() >= 2 * sessions + SLACK {
            self.0.retain(|session| session.upgrade().is_some_and(|session| yields(&session)));
        }
        self.0.push_back(Arc::downgrade(session));
    }

    /// Takes out the oldest one. Sessions whose handshake is under way go to the end: they were opened a moment ago.
    pub(super) fn take(&mut self) -> Option<Arc<Session>> {
        for _ in 0..self.0.len() {
            let session = self.0.pop_front()?.upgrade().filter(|session| yields(session));
            match session {
                Some(session) if session.is_ready() => return Some(session),
                Some(session) => self.0.push_back(Arc::downgrade(&session)),
                None => {}
            }
        }
        None
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

fn yields(session: &Session) -> bool {
    !session.was_asked() && !session.has_ended()
}
