//! One run of a program, as far as its calls are concerned.

use super::recorder::next_number;
use crate::digest::Digest;
use parking_lot::Mutex;
use std::collections::HashSet;

/// The run of a program: its number, and the descriptions that it has read. A caller without a session
/// has no other memory of them.
#[derive(Debug)]
pub(crate) struct ProgramRun {
    /// The number in audit events.
    pub(crate) id: u64,
    read: Mutex<HashSet<Digest>>,
}

impl ProgramRun {
    pub(crate) fn new() -> Self {
        Self { id: next_number(), read: Mutex::default() }
    }

    /// Records that the program has read the description with this digest.
    pub(crate) fn record(&self, digest: Digest) {
        self.read.lock().insert(digest);
    }

    pub(crate) fn has_read(&self, digest: &Digest) -> bool {
        self.read.lock().contains(digest)
    }
}
