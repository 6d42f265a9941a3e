//! What the upstreams of a gateway share.

#[cfg(feature = "cli")]
use super::approval::EntryApprovals;
#[cfg(feature = "oauth")]
use super::oauth::TokenDirectory;
use super::{
    cached_lists::ListCache, child_processes::ChildProcesses, client_events::EventSender,
    lock::UpstreamLock, question_state::QuestionSeal, subscriptions::SessionSubscriptions,
    wire::MessageMemory,
};
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock, atomic::AtomicUsize};
use tokio::sync::watch;

/// The parts that all upstreams of a gateway use.
#[derive(Debug, Default)]
pub(super) struct SharedParts {
    /// Where their lists are kept.
    pub(super) cache: Option<ListCache>,
    /// Increases whenever the lists of an upstream have changed.
    pub(super) changed: watch::Sender<u64>,
    /// What clients are notified of, beside changes of tools.
    pub(super) events: EventSender,
    pub(super) subscriptions: SessionSubscriptions,
    /// The memory that large messages take.
    pub(super) memory: Arc<MessageMemory>,
    /// The approved tools.
    lock: OnceLock<UpstreamLock>,
    /// The approved entries of a project's file.
    #[cfg(feature = "cli")]
    approvals: OnceLock<Arc<EntryApprovals>>,
    /// Held while the upstreams are replaced by others.
    pub(super) replacement: Mutex<()>,
    /// Where access tokens are kept. By default, this is the user's directory.
    #[cfg(feature = "oauth")]
    tokens: OnceLock<Option<TokenDirectory>>,
    pub(super) processes: Arc<ChildProcesses>,
    /// Counts the questions of calls over several requests.
    pub(super) questions: QuestionSeal,
    /// How many times lists are being read for all servers.
    pub(super) refreshing: AtomicUsize,
}

impl SharedParts {
    pub(super) fn new(cache: Option<ListCache>, changed: watch::Sender<u64>) -> Arc<Self> {
        Arc::new(Self {
            cache,
            changed,
            ..Self::default()
        })
    }

    /// Sets the lock. Returns `false` if there is one already.
    pub(super) fn set_lock(&self, lock: UpstreamLock) -> bool {
        self.lock.set(lock).is_ok()
    }

    /// Sets the directory of the access tokens, unless it is in use already.
    #[cfg(feature = "oauth")]
    pub(super) fn set_token_directory(&self, directory: TokenDirectory) {
        drop(self.tokens.set(Some(directory)));
    }

    #[cfg(feature = "oauth")]
    pub(super) fn token_directory(&self) -> Option<&TokenDirectory> {
        self.tokens.get_or_init(TokenDirectory::of_user).as_ref()
    }

    #[cfg(feature = "cli")]
    pub(super) fn set_approvals(&self, approvals: Arc<EntryApprovals>) {
        drop(self.approvals.set(approvals));
    }

    #[cfg(feature = "cli")]
    pub(super) fn approvals(&self) -> Option<&Arc<EntryApprovals>> {
        self.approvals.get()
    }

    pub(super) fn lock(&self) -> Option<&UpstreamLock> {
        self.lock.get()
    }
}
