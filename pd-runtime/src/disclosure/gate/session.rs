//! A session, opened by one `initialize`, and the disclosures made since.

use crate::{
    disclosure::list_changed::SessionSubscription,
    policy::{
        access::CallerIdentity, disclosure_store::disclosure_record::DisclosureRecord,
        rate_limit::SessionUsage,
    },
    protocol::negotiated::ClientTerms,
    tool::client_session::ClientSession,
};
use parking_lot::Mutex;
use std::sync::Arc;
use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
    },
};

/// The most descriptions of one tool that a session remembers. It bounds what a server can cause
/// that alternates between contracts.
const VERSIONS_MAX: usize = 4;
/// The most descriptions that a session remembers in all. A client that reads more has to read the
/// first ones again.
const DISCLOSED_MAX: usize = 4_096;

/// One session of a protocol version with sessions. The handler owns it, and dropping it forgets
/// everything. A process may have very many sessions, so it is small.
#[derive(Debug)]
pub(crate) struct DisclosureSession {
    /// The person who opened the session. rmcp binds no session to a principal, so a stolen id
    /// would reach this one: the caller's resolution compares.
    pub(crate) owner: CallerIdentity,
    /// The requirements of the surfaces that the client declared in `initialize`.
    pub(crate) terms: ClientTerms,
    /// Whether the client negotiated 2026-07-28 or a later version.
    pub(crate) modern: bool,
    /// What tools and handlers see of the session.
    pub(crate) client: OnceLock<Arc<ClientSession>>,
    /// The session's subscription to list changes.
    pub(crate) subscription: OnceLock<SessionSubscription>,
    disclosures: Mutex<Vec<DisclosureRecord>>,
    /// The session's recent use of rate limits.
    pub(crate) used: SessionUsage,
    /// Whether the store that replicas share has missed some disclosures.
    is_store_behind: AtomicBool,
    /// A hash of the last call's violations, or 0.
    last_failure: AtomicU32,
    /// The hash of the meta-tool's answer before, or 0.
    last_answer: AtomicU32,
}

/// A session's memory of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionRecall {
    /// The session was given this very description.
    This,
    /// The session was given another description: the tool has changed since.
    Former,
    Nothing,
}

impl DisclosureSession {
    pub(crate) fn new(owner: CallerIdentity, terms: ClientTerms, modern: bool) -> Self {
        Self {
            owner,
            terms,
            modern,
            client: OnceLock::new(),
            subscription: OnceLock::new(),
            disclosures: Mutex::default(),
            used: SessionUsage::default(),
            is_store_behind: AtomicBool::new(false),
            last_failure: AtomicU32::new(0),
            last_answer: AtomicU32::new(0),
        }
    }

    /// Remembers these disclosures. Returns whether at least one of them was new.
    pub(crate) fn record(&self, disclosures: &[DisclosureRecord]) -> bool {
        let mut known = self.disclosures.lock();
        // `count` visits every item, while `any` would stop at the first new one.
        let new = disclosures
            .iter()
            .filter(|one| remember(&mut known, **one))
            .count();
        new > 0
    }

    /// Returns the session's memory of this tool.
    pub(crate) fn recall(&self, description: DisclosureRecord) -> SessionRecall {
        let known = self.disclosures.lock();
        let mut of_tool = known
            .iter()
            .filter(|one| one.is_of_same_tool(&description))
            .peekable();
        // `any` consumes the iterator, so the first tool is peeked at before.
        match (
            of_tool.peek().is_some(),
            of_tool.any(|one| *one == description),
        ) {
            (_, true) => SessionRecall::This,
            (true, false) => SessionRecall::Former,
            (false, false) => SessionRecall::Nothing,
        }
    }

    /// Returns all disclosures that the session remembers.
    pub(crate) fn disclosures(&self) -> Vec<DisclosureRecord> {
        self.disclosures.lock().clone()
    }

    /// Remembers a call that failed by a hash of its failure. Returns whether the call before
    /// failed in the same way.
    pub(crate) fn note_failure(&self, failure: impl Hash) -> bool {
        is_repeated(&self.last_failure, failure)
    }

    /// Returns whether the call before failed.
    pub(crate) fn has_failure(&self) -> bool {
        self.last_failure.load(Relaxed) != 0
    }

    /// Remembers the answer of a meta-tool by a hash. Returns whether the one before was the same.
    pub(crate) fn note_answer(&self, answer: impl Hash) -> bool {
        is_repeated(&self.last_answer, answer)
    }

    /// Forgets the failure of the call before.
    pub(crate) fn forget_failure(&self) {
        self.last_failure.store(0, Relaxed);
    }

    pub(crate) fn is_store_behind(&self) -> bool {
        self.is_store_behind.load(Relaxed)
    }

    pub(crate) fn set_store_behind(&self, is_behind: bool) {
        self.is_store_behind.store(is_behind, Relaxed);
    }
}

/// Remembers a hash. Returns whether the one before was the same. Half of a hash is enough for
/// neighbors, and keeps sessions small.
fn is_repeated(last: &AtomicU32, value: impl Hash) -> bool {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    #[expect(clippy::cast_possible_truncation, reason = "half of the hash is meant")]
    let half = hasher.finish() as u32;
    last.swap(half, Relaxed) == half
}

/// Adds one disclosure. Removes the oldest one of the same tool, or of all, if a bound is reached.
fn remember(known: &mut Vec<DisclosureRecord>, new: DisclosureRecord) -> bool {
    if known.contains(&new) {
        return false;
    }
    // Entries are in the order of disclosure, so the first one of a tool is its oldest. A linear
    // scan is fast enough, because most sessions remember only a few.
    let mut of_tool = known
        .iter()
        .enumerate()
        .filter(|(_, one)| one.is_of_same_tool(&new));
    let oldest = of_tool.next();
    let versions = of_tool.count() + 1;
    match oldest {
        Some((oldest, _)) if versions >= VERSIONS_MAX => drop(known.remove(oldest)),
        _ if known.len() >= DISCLOSED_MAX => drop(known.remove(0)),
        _ => {}
    }
    // Grows by exactly one: most sessions read a few descriptions and then no more.
    known.reserve_exact(1);
    known.push(new);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;

    fn version(tool: &str, version: usize) -> DisclosureRecord {
        DisclosureRecord::new(
            tool,
            &Digest::from_bytes(format!("{tool} {version}").as_bytes()),
        )
    }

    fn session() -> DisclosureSession {
        DisclosureSession::new(CallerIdentity::Owner, ClientTerms::default(), false)
    }

    #[test]
    fn a_description_is_recalled_and_so_is_that_it_changed() {
        let session = session();
        assert!(session.record(&[version("log", 1), version("show", 1)]));
        assert!(!session.record(&[version("log", 1)]), "nothing new");
        assert_eq!(session.recall(version("log", 1)), SessionRecall::This);
        assert_eq!(session.recall(version("log", 2)), SessionRecall::Former);
        assert_eq!(session.recall(version("blame", 1)), SessionRecall::Nothing);
    }

    #[test]
    fn neither_versions_nor_tools_pile_up() {
        let session = session();
        for number in 0..100 {
            session.record(&[version("log", number)]);
        }
        assert_eq!(session.disclosures().len(), VERSIONS_MAX);
        assert_eq!(session.recall(version("log", 99)), SessionRecall::This);
        assert_eq!(
            session.recall(version("log", 95)),
            SessionRecall::Former,
            "the oldest went"
        );
        for number in 0..DISCLOSED_MAX + 50 {
            session.record(&[version(&number.to_string(), 0)]);
        }
        assert_eq!(session.disclosures().len(), DISCLOSED_MAX);
        assert_eq!(session.recall(version("log", 99)), SessionRecall::Nothing);
    }

    /// The load test checks this bound on whole servers. This test shows a violation at once.
    #[test]
    fn a_session_is_small() {
        assert!(
            size_of::<DisclosureSession>() <= 136,
            "{}",
            size_of::<DisclosureSession>()
        );
        let session = session();
        session.record(&[version("log", 1)]);
        assert_eq!(session.disclosures.lock().capacity(), 1);
    }
}
