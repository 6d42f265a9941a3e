//! One run of a program, as far as its calls are concerned.

use super::recorder::next_number;
use crate::{digest::Digest, policy::rate_limit::concurrency::PermitPool};
use parking_lot::Mutex;
use std::collections::HashSet;

/// The run of a program: its number, and the descriptions that it has read. A caller without a
/// session has no other memory of them.
#[derive(Debug)]
pub(crate) struct ProgramRun {
    /// The number in audit events.
    pub(crate) id: u64,
    read: Mutex<HashSet<Digest>>,
    /// The digests of the tools that the user let the program call.
    approved: HashSet<Digest>,
    /// Whether the author of the server wrote the program, who knows the tools.
    is_by_author: bool,
    /// The number of runs that this one is in, with itself.
    pub(crate) depth: usize,
    /// The permit of the programs that this one calls. They run in turn, so that the processes of a
    /// run are as many as it is deep.
    pub(crate) inner: PermitPool,
}

impl ProgramRun {
    /// Starts the run of a program that a model wrote, and for which the user has approved these
    /// tools.
    pub(crate) fn new(approved: HashSet<Digest>) -> Self {
        let id = next_number();
        Self {
            id,
            read: Mutex::default(),
            approved,
            is_by_author: false,
            depth: 1,
            inner: PermitPool::new(1),
        }
    }

    /// Starts the run of a tool's program, which may be called by another program.
    pub(crate) fn for_tool(outer: Option<&Self>) -> Self {
        Self {
            is_by_author: true,
            depth: outer.map_or(0, |outer| outer.depth) + 1,
            ..Self::new(HashSet::new())
        }
    }

    /// Returns whether the author of the server wrote the program.
    pub(crate) fn is_by_author(&self) -> bool {
        self.is_by_author
    }

    /// Returns whether the user let the program call the tool with this digest.
    pub(crate) fn is_approved(&self, digest: &Digest) -> bool {
        self.approved.contains(digest)
    }

    /// Records that the program has read the description with this digest.
    pub(crate) fn record(&self, digest: Digest) {
        self.read.lock().insert(digest);
    }

    /// Returns whether calls of the tool with this digest need no further disclosure.
    pub(crate) fn has_read(&self, digest: &Digest) -> bool {
        self.is_by_author || self.read.lock().contains(digest)
    }
}
