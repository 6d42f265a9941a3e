//! What the upstreams of a gateway share.

#[cfg(feature = "oauth")]
use super::oauth::TokenDirectory;
use super::{
    cached_lists::ListCache, child_processes::ChildProcesses, client_events::EventSender, lock::UpstreamLock,
    subscriptions::SessionSubscriptions,
};
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
    /// The approved tools.
    lock: OnceLock<UpstreamLock>,
    /// Where access tokens are kept. Those of the user by default.
    #[cfg(feature = "oauth")]
    tokens: OnceLock<Option<TokenDirectory>>,
    pub(super) processes: Arc<ChildProcesses>,
    /// How many times lists are being read for all servers.
    pub(super) refreshing: AtomicUsize,
}

impl SharedParts {
    pub(super) fn new(cache: Option<ListCache>, changed: watch::Sender<u64>) -> Arc<Self> {
        Arc::new(Self { cache, changed, ..Self::default() })
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

    pub(super) fn lock(&self) -> Option<&UpstreamLock> {
        self.lock.get()
    }
}
