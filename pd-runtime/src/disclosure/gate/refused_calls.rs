//! The calls that were refused in the last ten minutes, as hashes. By them the gate recognizes a
//! principal that repeats a call in a new session.
//!
//! Hosts repeat a refused call in a new session if they open one for each batch of calls. The
//! principal has then read the description, which was in the refusal.

mod file;

use file::RefusedCallsFile;
use parking_lot::Mutex;
use std::{
    collections::VecDeque,
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

/// The time for which a refused call is remembered, in seconds.
const LIFE: u64 = 10 * 60;
/// The most calls in memory, of all principals: 64 bytes each.
const CALLS_MAX: usize = 4_096;
/// The most calls of one payer: of one principal, or of all anonymous callers at one address.
const PAYER_CALLS_MAX: usize = 64;

/// Half of a SHA-256 hash.
pub(crate) type CallHash = [u8; 16];

/// The payer of the process's own client. A file may keep its calls.
pub(crate) const OWNER: u64 = 0;
/// The session of requests without one. Each of them counts as a separate session.
pub(crate) const NO_SESSION: u64 = 0;

/// A refused call, or a tool of which a principal has repeated a refused call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RefusedCall {
    /// The identity that the bound counts.
    pub(crate) payer: u64,
    /// The session in which the call was refused.
    pub(crate) session: u64,
    /// The caller and the tool's description.
    pub(crate) tool: CallHash,
    /// The caller, the tool's description and the arguments. For all calls of a tool it equals
    /// `tool`.
    pub(crate) call: CallHash,
}

impl RefusedCall {
    /// Returns the entry for all calls of the tool.
    fn of_tool(self) -> Self {
        Self {
            call: self.tool,
            ..self
        }
    }

    /// Returns whether this entry was made in another session than `other`.
    fn is_of_other_session(&self, other: &Self) -> bool {
        self.session == NO_SESSION || self.session != other.session
    }
}

/// The refused calls of all principals, in bounded memory.
#[derive(Debug)]
pub(crate) struct RefusedCalls {
    /// The calls with the times of their refusals, oldest first.
    calls: Mutex<VecDeque<(u64, RefusedCall)>>,
    /// The file that keeps the calls of the process's own client for its next process.
    file: Option<RefusedCallsFile>,
}

impl RefusedCalls {
    /// Creates the memory, with the calls in a file if there is one.
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        let file = file.map(RefusedCallsFile::new);
        let calls = file
            .as_ref()
            .map(RefusedCallsFile::read)
            .unwrap_or_default();
        Self {
            calls: Mutex::new(calls.into()),
            file,
        }
    }

    /// Remembers a refused call.
    pub(crate) async fn record(&self, call: RefusedCall) {
        let now = now();
        self.insert(now, call);
        if let Some(file) = self.file.clone().filter(|_| call.payer == OWNER) {
            // Written before the answer leaves, because a client may end the process with it.
            let written = tokio::task::spawn_blocking(move || file.add(now, call)).await;
            if let Ok(Err(error)) = written {
                tracing::debug!(%error, "a refused call could not be kept for the next process");
            }
        }
    }

    /// Returns whether the call was refused in another session. From then on all calls of the tool
    /// by this principal count as refused before: its sessions do not last.
    pub(crate) async fn admits_repeated(&self, call: RefusedCall) -> bool {
        let is_repeated = self.is_repeated(now(), &call);
        // Recording may write the file, so it does not happen at each repetition.
        if is_repeated && !self.is_recent(now(), &call.of_tool()) {
            self.record(RefusedCall {
                // `NO_SESSION` counts as another session for every later call.
                session: NO_SESSION,
                ..call.of_tool()
            })
            .await;
        }
        is_repeated
    }

    /// Returns whether a call of the same tool by the same principal was refused in another
    /// session.
    pub(crate) fn knows_tool(&self, call: &RefusedCall) -> bool {
        let now = now();
        self.calls.lock().iter().any(|(time, known)| {
            is_alive(*time, now) && known.tool == call.tool && known.is_of_other_session(call)
        })
    }

    fn is_repeated(&self, now: u64, call: &RefusedCall) -> bool {
        self.calls.lock().iter().any(|(time, known)| {
            // The entry for all calls of a tool has the tool's hash in place of the call's.
            let is_same_call = known.call == call.call || known.call == call.tool;
            is_same_call && is_alive(*time, now) && known.is_of_other_session(call)
        })
    }

    /// Returns whether the call was recorded so lately that it need not be recorded again.
    fn is_recent(&self, now: u64, call: &RefusedCall) -> bool {
        self.calls
            .lock()
            .iter()
            // An entry is renewed in the second half of its life, so that a client that keeps
            // calling is not refused again.
            .any(|(time, known)| known.call == call.call && now.abs_diff(*time) < LIFE / 2)
    }

    fn insert(&self, now: u64, call: RefusedCall) {
        let mut calls = self.calls.lock();
        // A refusal that repeats in one session replaces its entry, and becomes the youngest.
        calls.retain(|(time, known)| {
            is_alive(*time, now) && (known.call != call.call || known.session != call.session)
        });
        let mut of_payer = calls
            .iter()
            .enumerate()
            .filter(|(_, (_, known))| known.payer == call.payer);
        let oldest = of_payer.next().map(|(place, _)| place);
        // One entry was taken from the iterator above.
        let is_at_bound = of_payer.count() + 1 >= PAYER_CALLS_MAX;
        match oldest {
            // A payer at its bound loses its own oldest call, and not a call of another payer.
            Some(oldest) if is_at_bound => drop(calls.remove(oldest)),
            _ if calls.len() >= CALLS_MAX => drop(calls.pop_front()),
            _ => {}
        }
        calls.push_back((now, call));
    }
}

/// Returns whether an entry of this time still counts. The clock may have been set back.
fn is_alive(time: u64, now: u64) -> bool {
    now.abs_diff(time) <= LIFE
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

#[cfg(test)]
mod tests;
