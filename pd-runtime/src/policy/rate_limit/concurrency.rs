//! How many calls may run at once, of one tool or of all.

use super::retry_after::TryLater;
use std::{sync::Arc, time::Duration};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// A call's place among those that run; it is free again when this is dropped.
pub(crate) type Slot = OwnedSemaphorePermit;

/// Places for calls.
#[derive(Debug, Clone)]
pub(crate) struct Slots {
    free: Arc<Semaphore>,
    /// How many there are.
    pub(crate) count: usize,
}

impl Slots {
    /// So many, at least 1.
    pub(crate) fn new(count: usize) -> Self {
        let count = count.clamp(1, Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(count)), count }
    }

    /// How many are taken.
    pub(super) fn taken(&self) -> usize {
        self.count.saturating_sub(self.free.available_permits())
    }

    /// Whether a place of these is taken or waited for.
    pub(super) fn are_used(&self) -> bool {
        Arc::strong_count(&self.free) > 1
    }

    /// Takes a place that is free now, and that nobody waits for.
    pub(crate) fn take_free(&self) -> Option<Slot> {
        self.free.clone().try_acquire_owned().ok()
    }

    /// Waits for a place, behind those who came before.
    ///
    /// # Errors
    ///
    /// None was free in time, or the call was cancelled meanwhile.
    pub(crate) async fn wait(&self, patience: Duration, cancelled: &CancellationToken) -> Result<Slot, TryLater> {
        let waiting = tokio::time::timeout(patience, self.free.clone().acquire_owned());
        let taken = tokio::select! {
            taken = waiting => taken.ok(),
            () = cancelled.cancelled() => None,
        };
        taken.and_then(Result::ok).ok_or_else(|| TryLater::busy(self.count))
    }
}
