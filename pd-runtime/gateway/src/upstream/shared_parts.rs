//! What the upstreams of a gateway share.

use crate::{
    connection::{client_events::EventSender, question_state::QuestionSeal},
    lists::cached_lists::ListCache,
    message::wire::MessageMemory,
    oauth::TokenDirectory,
    transport::{child_processes::ChildProcesses, http::shared_clients::SharedClients},
    trust::lock::UpstreamLock,
    upstream::subscriptions::SessionSubscriptions,
};
#[cfg(feature = "cli")]
use crate::{lists::first_list::FirstListFile, trust::entry_approvals::EntryApprovals};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
#[cfg(feature = "cli")]
use std::path::PathBuf;
use std::{
    collections::HashSet,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize},
    },
};
use tokio::sync::watch;

/// The parts that all upstreams of a gateway use.
#[derive(Debug, Default)]
pub(crate) struct SharedParts {
    /// Where their lists are kept.
    pub(crate) cache: Option<ListCache>,
    /// Increases whenever the lists of an upstream have changed.
    pub(crate) changed: watch::Sender<u64>,
    /// What clients are notified of, beside changes of tools.
    pub(crate) events: EventSender,
    pub(crate) subscriptions: SessionSubscriptions,
    /// The memory that large messages take.
    pub(crate) memory: Arc<MessageMemory>,
    /// The approved tools.
    lock: OnceLock<Arc<UpstreamLock>>,
    /// The approved entries of a project's file.
    #[cfg(feature = "cli")]
    approvals: OnceLock<Arc<EntryApprovals>>,
    /// Held while the upstreams are replaced by others.
    pub(crate) replacement: Mutex<()>,
    /// Where access tokens are kept. By default, this is the user's directory.
    #[cfg(feature = "oauth")]
    tokens: OnceLock<Option<TokenDirectory>>,
    pub(crate) processes: Arc<ChildProcesses>,
    pub(crate) clients: SharedClients,
    /// Counts the questions of calls over several requests.
    pub(crate) questions: QuestionSeal,
    /// Whether there are several upstreams, so that the URIs of views name theirs.
    pub(crate) has_several: AtomicBool,
    /// The names of the meta-tools of the server in front.
    pub(crate) reserved: ArcSwap<HashSet<String>>,
    /// How many times lists are being read for all servers.
    pub(crate) refreshing: AtomicUsize,
    /// How many times the lists of an upstream were read.
    pub(crate) readings: AtomicUsize,
    /// Whether the first list is that of the latest run, and the lists are not served yet.
    pub(crate) unread: watch::Sender<bool>,
    /// The lock of such a start, which is opened before the lists are read.
    #[cfg(feature = "cli")]
    pub(crate) unopened_lock: OnceLock<PathBuf>,
    /// Where the first list of the next run is kept.
    #[cfg(feature = "cli")]
    pub(crate) first_list: Mutex<Option<FirstListFile>>,
}

impl SharedParts {
    pub(crate) fn new(cache: Option<ListCache>, changed: watch::Sender<u64>) -> Arc<Self> {
        Arc::new(Self {
            cache,
            changed,
            ..Self::default()
        })
    }

    /// Sets the lock. Returns `false` if there is one already.
    pub(crate) fn set_lock(&self, lock: Arc<UpstreamLock>) -> bool {
        self.lock.set(lock).is_ok()
    }

    /// Sets the directory of the access tokens, unless it is in use already.
    #[cfg(feature = "oauth")]
    pub(crate) fn set_token_directory(&self, directory: TokenDirectory) {
        drop(self.tokens.set(Some(directory)));
    }

    #[cfg(feature = "oauth")]
    pub(crate) fn token_directory(&self) -> Option<&TokenDirectory> {
        self.tokens.get_or_init(TokenDirectory::of_user).as_ref()
    }

    #[cfg(not(feature = "oauth"))]
    #[expect(clippy::unused_self, reason = "the feature `oauth` has a directory")]
    pub(crate) const fn token_directory(&self) -> Option<&TokenDirectory> {
        None
    }

    #[cfg(feature = "cli")]
    pub(crate) fn set_approvals(&self, approvals: Arc<EntryApprovals>) {
        drop(self.approvals.set(approvals));
    }

    #[cfg(feature = "cli")]
    pub(crate) fn approvals(&self) -> Option<&Arc<EntryApprovals>> {
        self.approvals.get()
    }

    pub(crate) fn lock(&self) -> Option<&Arc<UpstreamLock>> {
        self.lock.get()
    }
}
