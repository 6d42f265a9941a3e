//! The lock of the upstreams: the contracts of their tools that a person approved, in a file. A tool
//! that changes otherwise is held until a person approves the change.
//!
//! `review` decides what is held, `texts` finds the texts that changed, `upstream_lists` applies both
//! to an upstream, and `location` has the file's default place.

mod held_tool;
mod location;
mod review;
mod texts;
mod upstream_lists;

pub use held_tool::HeldTool;
#[cfg(feature = "oauth")]
pub(super) use location::state_directory;
pub use texts::TextChange;

use super::{config::ServerTrust, file_stamp::FileStamp};
use crate::lockfile::{ContractLock, LockError, ServerLocks, ToolContract};
use parking_lot::Mutex;
pub(super) use review::HeldDefinitions;
use review::{ListReview, is_within_limits};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The file with the approved contracts.
#[derive(Debug)]
pub(super) struct UpstreamLock {
    path: PathBuf,
    /// Contracts that could not be written. They last as long as the gateway. The lock is held
    /// during a review, so that reviews do not wait for each other's files.
    unsaved: Mutex<BTreeMap<String, ContractLock>>,
    stamp: Mutex<Option<FileStamp>>,
    /// What was read last. At the start, each server's list is compared with the same file.
    latest: Mutex<LatestLocks>,
}

/// The contracts of a file, as of this stamp.
#[derive(Debug, Default)]
struct LatestLocks {
    stamp: Option<FileStamp>,
    locks: Arc<ServerLocks>,
}

impl UpstreamLock {
    /// Opens a file. It need not exist.
    pub(super) fn open(path: &Path) -> Result<Self, LockError> {
        let stamp = Mutex::new(FileStamp::read(path));
        let lock = Self { path: path.to_owned(), unsaved: Mutex::default(), stamp, latest: Mutex::default() };
        lock.read()?;
        Ok(lock)
    }

    /// Reads the file, unless it is as it was.
    fn read(&self) -> Result<Arc<ServerLocks>, LockError> {
        let mut latest = self.latest.lock();
        // Taken before the file is read: one that is replaced in between is read once more.
        let stamp = FileStamp::read(&self.path);
        if stamp.is_none() || stamp != latest.stamp {
            *latest = LatestLocks { stamp, locks: Arc::new(ServerLocks::read(&self.path)?) };
        }
        Ok(latest.locks.clone())
    }

    /// Returns whether the file was replaced since the last check, by this process or another one.
    pub(super) fn was_replaced(&self) -> bool {
        let now = FileStamp::read(&self.path);
        std::mem::replace(&mut *self.stamp.lock(), now) != now
    }

    /// Compares the tools that a server lists with those that were approved. Approves what needs no
    /// person, and returns the rest.
    pub(super) fn review(
        &self,
        server: &str,
        trust: ServerTrust,
        definitions: &[Value],
    ) -> Result<HeldDefinitions, LockError> {
        let mut unsaved = self.unsaved.lock();
        let locks = self.read()?;
        let first = ListReview::new(definitions, unsaved.get(server).or_else(|| locks.get(server)), trust);
        if first.taken.is_empty() {
            return Ok(first.finish(server));
        }
        // Reviewed once more, because another process may have approved something in between.
        let written = ServerLocks::update(&self.path, server, |approved| {
            let review = ListReview::new(definitions, unsaved.get(server).or(approved), trust);
            (review.lock.clone(), review)
        });
        match written {
            Ok(review) => {
                unsaved.remove(server);
                Ok(review.finish(server))
            }
            Err(error @ LockError::Unwritable { .. }) => {
                tracing::warn!(server, %error, "the tools of a server are pinned until the gateway ends");
                unsaved.insert(server.to_owned(), first.lock.clone());
                Ok(first.finish(server))
            }
            Err(error) => Err(error),
        }
    }

    /// Approves these contracts of a server.
    pub(super) fn approve(&self, server: &str, contracts: Vec<ToolContract>) -> Result<(), LockError> {
        let mut unsaved = self.unsaved.lock();
        let is_within = ServerLocks::update(&self.path, server, |approved| {
            let former = unsaved.get(server).or(approved).cloned().unwrap_or(ContractLock::new());
            let mut lock = former.clone();
            contracts.into_iter().for_each(|contract| lock.insert(contract));
            if is_within_limits(&lock) { (lock, true) } else { (former, false) }
        })?;
        unsaved.remove(server);
        if is_within {
            return Ok(());
        }
        let why = format!("the tools of `{server}` exceed its limits; leave some of them out with `exclude`");
        Err(LockError::Unwritable { path: self.path.clone(), why })
    }
}
