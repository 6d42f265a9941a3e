//! Concurrency limits: how many calls may run at once, for one tool or in total.

use super::retry_after::TryLater;
use std::{sync::Arc, time::Duration};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The permit of a running call. Dropping it frees the permit.
pub(crate) type PoolPermit = OwnedSemaphorePermit;

/// A pool of permits for calls.
#[derive(Debug, Clone)]
pub(crate) struct PermitPool {
    free: Arc<Semaphore>,
    /// The size of the pool.
    pub(crate) count: usize,
}

impl PermitPool {
    /// Creates a pool of this size, at least 1.
    pub(crate) fn new(count: usize) -> Self {
        // `Semaphore::new` panics above its maximum, and a pool of size 0 would let nothing run.
        let count = count.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(count)),
            count,
        }
    }

    /// Returns the number of permits in use.
    pub(super) fn taken(&self) -> usize {
        self.count.saturating_sub(self.free.available_permits())
    }

    /// Returns whether a call holds or waits for a permit of this pool.
    pub(super) fn is_in_use(&self) -> bool {
        // Each held permit and each waiter has a clone of the `Arc`, so counting references covers
        // both without a lock.
        Arc::strong_count(&self.free) > 1
    }

    /// Acquires a permit if one is free and no call waits for one.
    pub(crate) fn take_free(&self) -> Option<PoolPermit> {
        self.free.clone().try_acquire_owned().ok()
    }

    /// Waits for a permit, in the order of arrival.
    ///
    /// # Errors
    ///
    /// Returns an error if no permit became free in time, or if the call was cancelled.
    pub(crate) async fn wait(
        &self,
        patience: Duration,
        cancelled: &CancellationToken,
    ) -> Result<PoolPermit, TryLater> {
        // tokio's semaphore is fair: it serves waiters first in, first out.
        let waiting = tokio::time::timeout(patience, self.free.clone().acquire_owned());
        // Dropping the future leaves the queue, so a cancelled call does not delay calls behind it.
        let taken = tokio::select! {
            taken = waiting => taken.ok(),
            () = cancelled.cancelled() => None,
        };
        taken
            .and_then(Result::ok)
            .ok_or_else(|| TryLater::busy(self.count))
    }
}
