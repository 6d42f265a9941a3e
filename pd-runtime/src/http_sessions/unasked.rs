//! The sessions without any request yet, oldest first. They make room for new sessions when the
//! endpoint is full.

use super::session::HttpSession;
use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
};

/// The number of entries that the list may have beyond two per session before a cleanup.
const SLACK: usize = 64;

/// The sessions in the order in which they were opened. The entry of a session that has ended, or
/// has had a request since, stays until it is reached or until a cleanup. So opening a session has
/// a constant amortized cost.
#[derive(Debug, Default)]
pub(super) struct UnaskedSessions(VecDeque<Weak<HttpSession>>);

impl UnaskedSessions {
    /// Adds a session that has just been opened. `sessions` is the current number of sessions.
    pub(super) fn add(&mut self, session: &Arc<HttpSession>, sessions: usize) {
        // The cleanup is linear, but removes at least half of the entries, since each session has
        // at most one that stays.
        if self.0.len() >= 2 * sessions + SLACK {
            self.0
                .retain(|session| session.upgrade().is_some_and(|session| yields(&session)));
        }
        self.0.push_back(Arc::downgrade(session));
    }

    /// Removes and returns the oldest such session. A session with a handshake in progress moves to
    /// the end, since it was opened a moment ago.
    pub(super) fn take(&mut self) -> Option<Arc<HttpSession>> {
        for _ in 0..self.0.len() {
            let session = self
                .0
                .pop_front()?
                .upgrade()
                .filter(|session| yields(session));
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

fn yields(session: &HttpSession) -> bool {
    !session.was_asked() && !session.has_ended()
}
