//! Leases: a stored body is leased while a reader receives it, and is then removed or returned.

use super::{
    DataPlaneRuntime,
    store::{Lease, LeaseAction, ResultKey, ResultStore, ResultStoreError, TakeOutcome},
    token::RowToken,
};
use crate::{selective::table::Table, telemetry::metrics::Metrics};
use futures::{FutureExt, future::BoxFuture};
use std::{fmt, sync::Arc, time::Duration};
use tokio::{task::AbortHandle, time::sleep};

/// The number of renewals per lease lifetime. With 3, one renewal may fail without losing the
/// lease.
const RENEWALS: u32 = 3;
/// The number of attempts to report the end of a lease to a failing store, and the pause between
/// them.
const TRIES: usize = 10;
const PAUSE: Duration = Duration::from_secs(1);

/// A body that one reader receives. Dropping it returns the body to the store.
pub(crate) struct TakenRows {
    held: LeaseHandle,
    renewing: Option<AbortHandle>,
    metrics: Option<Metrics>,
    is_over: bool,
}

/// The lease of a body, and the store that has it.
#[derive(Clone)]
struct LeaseHandle {
    store: Arc<dyn ResultStore>,
    key: ResultKey,
    lease: Lease,
}

/// The reason why a body cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakeError {
    /// The body has expired, was read, or never existed.
    Unknown,
    /// Another reader has the body.
    Busy,
    /// The store failed.
    Failed,
}

impl fmt::Debug for TakenRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TakenRows")
    }
}

impl DataPlaneRuntime {
    /// Takes the body of a token.
    ///
    /// # Errors
    ///
    /// Returns an error if the body does not exist, another reader has it, or the store fails.
    pub(crate) async fn take(
        &self,
        token: &RowToken,
    ) -> Result<(Arc<Table>, TakenRows), TakeError> {
        let lease = Lease::random()
            .map_err(|error| self.report_failure(&ResultStoreError::Failed(error.to_string())))?;
        let held = LeaseHandle {
            store: self.store.clone(),
            key: token.key(),
            lease,
        };
        // Created before the store answers: if the reader disconnects meanwhile, dropping `taking`
        // returns a body that the store may have leased.
        let taking = TakenRows {
            held,
            renewing: None,
            metrics: self.metrics.clone(),
            is_over: false,
        };
        let taken = self.store.take(token.key(), lease).await;
        if taken.is_ok() {
            self.outage.record_success();
        }
        match taken {
            Ok(TakeOutcome::Yes(table)) => Ok((table, taking.with_renewal())),
            Ok(TakeOutcome::Busy) => Err(taking.disarmed(TakeError::Busy)),
            Ok(TakeOutcome::Gone) => Err(taking.disarmed(TakeError::Unknown)),
            // No retries here, because unknown clients can send any number of requests. If the
            // store leased the body anyway, the lease expires.
            Err(error) => Err(taking.disarmed(self.report_failure(&error))),
        }
    }

    fn report_failure(&self, error: &ResultStoreError) -> TakeError {
        if self.outage.record_failure() {
            tracing::warn!(%error, "the result store failed; rows cannot be fetched");
        }
        TakeError::Failed
    }

    /// Counts a refused fetch. `reason` is a fixed label, never client text.
    pub(crate) fn refused(&self, reason: &'static str) {
        if let Some(metrics) = &self.metrics {
            metrics.body_refused(reason);
        }
    }
}

impl LeaseHandle {
    /// Changes the lease, and returns whether it still held the body.
    async fn step(self, step: LeaseAction) -> bool {
        let outcome = self.store.step(self.key, self.lease, step).await;
        outcome
            .inspect_err(
                |error| tracing::warn!(%error, ?step, "the result store failed to change a lease"),
            )
            .unwrap_or(false)
    }

    /// Renews the lease until it no longer holds the body. Store errors are ignored, because the
    /// store may recover before the lease expires.
    async fn renew(self) {
        let mut is_held = Ok(true);
        while is_held != Ok(false) {
            sleep(self.lease.ttl / RENEWALS).await;
            is_held = self
                .store
                .step(self.key, self.lease, LeaseAction::Renew)
                .await;
        }
    }

    /// Ends the lease, with retries if the store fails: a closed body does not become free when the
    /// lease expires.
    async fn settle(self, step: LeaseAction) {
        for _ in 0..TRIES {
            if self.store.step(self.key, self.lease, step).await.is_ok() {
                return;
            }
            sleep(PAUSE).await;
        }
        tracing::warn!(
            ?step,
            "the result store failed; the end of a lease is not recorded"
        );
    }

    /// Returns a body that may have been leased for a reader that disconnected early. The body is
    /// not closed, so one attempt is enough: the lease expires otherwise.
    async fn give_up(self) {
        // A failed step leaves the lease to its expiry, and `step` is not repeated.
        drop(
            self.store
                .step(self.key, self.lease, LeaseAction::GiveBack)
                .await,
        );
    }
}

/// Runs a future without waiting for it. Without a runtime it is dropped, and leases expire
/// instead.
fn run_detached(stepping: impl Future<Output = ()> + Send + 'static) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return;
    };
    let mut stepping = stepping.boxed();
    // A store in memory finishes at the first poll, so the next request already sees the result.
    // Only other stores need a task.
    if stepping.as_mut().now_or_never().is_none() {
        runtime.spawn(stepping);
    }
}

impl TakenRows {
    fn with_renewal(mut self) -> Self {
        // Only now, because `renewing` also records that the store has confirmed the lease.
        self.renewing = Some(tokio::spawn(self.held.clone().renew()).abort_handle());
        self
    }

    /// Disarms the drop handler: without a body there is nothing to return.
    fn disarmed(mut self, why: TakeError) -> TakeError {
        self.is_over = true;
        why
    }

    fn stop_renewing(&self) {
        if let Some(renewing) = &self.renewing {
            renewing.abort();
        }
    }

    /// Returns the operation that closes the lease before the last piece is sent. It resolves to
    /// whether the lease still held the body. After it, no other reader can get the body.
    pub(crate) fn close_later(&self) -> BoxFuture<'static, bool> {
        self.held.clone().step(LeaseAction::Close).boxed()
    }

    /// Removes the body after all of it was written.
    pub(crate) fn finish(mut self, bytes: u64) {
        // Set before `self` is dropped, which would otherwise give the body back.
        self.is_over = true;
        if let Some(metrics) = &self.metrics {
            metrics.body_taken(bytes);
        }
        run_detached(self.held.clone().settle(LeaseAction::Forget));
    }
}

impl Drop for TakenRows {
    fn drop(&mut self) {
        // Without a renewal task the store never confirmed the lease, so a single attempt is
        // enough.
        self.stop_renewing();
        match &self.renewing {
            _ if self.is_over => {}
            Some(_) => run_detached(self.held.clone().settle(LeaseAction::GiveBack)),
            None => run_detached(self.held.clone().give_up()),
        }
    }
}
