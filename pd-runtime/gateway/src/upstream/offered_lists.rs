//! The lists that an upstream has sent, and what the gateway offers of them.

use crate::{
    connection::era::Era,
    lists::{
        cached_lists::CachedLists,
        left_out_tools::{LeftOut, LeftOutTools},
    },
    upstream::rows::ObservedColumns,
};
use arc_swap::ArcSwapOption;
use parking_lot::{Mutex, MutexGuard};
use pd_runtime::upstream::GroupLine;
use std::sync::Arc;
use tokio::sync::watch;

/// The lists of an upstream.
#[derive(Debug)]
pub(crate) struct OfferedLists {
    latest: ArcSwapOption<CachedLists>,
    /// The era of the latest start. It can be known without lists.
    era: Mutex<Option<Era>>,
    /// Held while lists are compared with the lock and replaced.
    review: Mutex<()>,
    /// Increases with each reading of the lists, also with one that failed.
    readings: watch::Sender<u64>,
    left_out: LeftOutTools,
    /// The groups of its tools in the first list, until the lists are read.
    first_lines: Vec<GroupLine>,
    /// The columns that results had.
    pub(crate) columns: ObservedColumns,
}

impl OfferedLists {
    /// Starts with what is known of an earlier run.
    pub(crate) fn new(
        known: Option<CachedLists>,
        era: Option<Era>,
        columns: ObservedColumns,
    ) -> Self {
        Self {
            latest: ArcSwapOption::new(known.map(Arc::new)),
            era: Mutex::new(era),
            review: Mutex::default(),
            readings: watch::Sender::new(0),
            left_out: LeftOutTools::default(),
            first_lines: Vec::new(),
            columns,
        }
    }

    /// Sets what the first list says.
    #[cfg(feature = "cli")]
    pub(crate) fn with_first_lines(self, first_lines: Vec<GroupLine>) -> Self {
        Self {
            first_lines,
            ..self
        }
    }

    /// Returns the paths and summaries of the groups of its tools in the first list. They hold
    /// until the lists are served.
    pub(crate) fn first_lines(&self) -> &[GroupLine] {
        &self.first_lines
    }

    /// Returns the latest lists, which may be from an earlier run.
    pub(crate) fn latest(&self) -> Option<Arc<CachedLists>> {
        self.latest.load_full()
    }

    /// Locks the lists for a review. No other review stores an older outcome meanwhile.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.review.lock()
    }

    /// Replaces the lists.
    pub(crate) fn store(&self, lists: CachedLists, _locked: &MutexGuard<'_, ()>) {
        // The guard proves that the lists were compared under the lock.
        self.latest.store(Some(Arc::new(lists)));
    }

    /// Returns a receiver of each reading that has ended.
    pub(crate) fn readings(&self) -> watch::Receiver<u64> {
        self.readings.subscribe()
    }

    /// Records that a reading has ended.
    pub(crate) fn finish_reading(&self) {
        self.readings.send_modify(|readings| *readings += 1);
    }

    /// Returns the era of the latest start in this run, or the one that was remembered apart from
    /// the lists.
    pub(crate) fn era(&self) -> Option<Era> {
        self.era.lock().clone()
    }

    /// Sets the era of the latest start.
    pub(crate) fn set_era(&self, era: Era) {
        *self.era.lock() = Some(era);
    }

    /// Replaces the tools that are left out, and logs them if they differ from the former ones.
    pub(crate) fn set_left_out(&self, server: &str, left_out: Vec<LeftOut>) {
        self.left_out.set(server, left_out);
    }

    /// Logs the tools that are left out, unless that was done.
    pub(crate) fn log_left_out(&self, server: &str) {
        self.left_out.log(server);
    }
}
