//! A body that somebody reads: held while it is written, and then forgotten or given back.

use super::{
    Plane,
    store::{BodyKey, BodyStore, BodyStoreError, Lease, Step, Taken},
    token::Token,
};
use crate::{selective::table::Table, telemetry::metrics::Metrics};
use futures::{FutureExt, future::BoxFuture};
use std::{fmt, sync::Arc, time::Duration};
use tokio::{task::AbortHandle, time::sleep};

/// How often a lease is renewed in its life.
const RENEWALS: u32 = 3;
/// How often a store that fails is told what became of a body, and after which pauses.
const TRIES: usize = 10;
const PAUSE: Duration = Duration::from_secs(1);

/// A body in the hands of one reader. Dropped, it is given back.
pub(crate) struct Taking {
    held: Held,
    renewing: Option<AbortHandle>,
    metrics: Option<Metrics>,
    is_over: bool,
}

/// Where the body is, and by which lease it is held.
#[derive(Clone)]
struct Held {
    store: Arc<dyn BodyStore>,
    key: BodyKey,
    lease: Lease,
}

/// Why nothing can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untaken {
    /// It has expired, was read, or never was.
    Unknown,
    /// Somebody else reads it.
    Busy,
    /// The store failed.
    Failed,
}

impl fmt::Debug for Taking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Taking")
    }
}

impl Plane {
    /// Takes what a token stands for.
    ///
    /// # Errors
    ///
    /// There is nothing to be read, or not now.
    pub(crate) async fn take(&self, token: &Token) -> Result<(Arc<Table>, Taking), Untaken> {
        let lease = Lease::random().map_err(|error| self.failed(&BodyStoreError::Failed(error.to_string())))?;
        let held = Held { store: self.store.clone(), key: token.key(), lease };
        // Before it is known whether there is something: a reader may leave while the store is asked.
        let taking = Taking { held, renewing: None, metrics: self.metrics.clone(), is_over: false };
        let taken = self.store.take(token.key(), lease).await;
        if taken.is_ok() {
            self.outage.is_over();
        }
        match taken {
            Ok(Taken::Yes(table)) => Ok((table, taking.renewed())),
            Ok(Taken::Busy) => Err(taking.nothing(Untaken::Busy)),
            Ok(Taken::Gone) => Err(taking.nothing(Untaken::Unknown)),
            // Strangers can ask as often as they like: if it was leased all the same, the lease ends by itself.
            Err(error) => Err(taking.nothing(self.failed(&error))),
        }
    }

    fn failed(&self, error: &BodyStoreError) -> Untaken {
        if self.outage.begins() {
            tracing::warn!(%error, "bodies cannot be taken");
        }
        Untaken::Failed
    }

    /// A fetch was refused; it is called by a word of ours.
    pub(crate) fn refused(&self, reason: &'static str) {
        if let Some(metrics) = &self.metrics {
            metrics.body_refused(reason);
        }
    }
}

impl Held {
    /// Says whether the lease still held the body.
    async fn step(self, step: Step) -> bool {
        let outcome = self.store.step(self.key, self.lease, step).await;
        outcome.inspect_err(|error| tracing::warn!(%error, ?step, "a body's lease could not go on")).unwrap_or(false)
    }

    /// Until the body is no longer the lease's. A store that fails may know it again.
    async fn renew(self) {
        let mut is_held = Ok(true);
        while is_held != Ok(false) {
            sleep(self.lease.life / RENEWALS).await;
            is_held = self.store.step(self.key, self.lease, Step::Renew).await;
        }
    }

    /// Again, where the store fails: a body that was closed does not come free by itself.
    async fn settle(self, step: Step) {
        for _ in 0..TRIES {
            if self.store.step(self.key, self.lease, step).await.is_ok() {
                return;
            }
            sleep(PAUSE).await;
        }
        tracing::warn!(?step, "the store of bodies could not be told what became of one");
    }

    /// Of what may have been taken, by who did not wait for it: nothing is closed, and the lease ends by itself.
    async fn give_up(self) {
        drop(self.store.step(self.key, self.lease, Step::GiveBack).await);
    }
}

/// Without waiting. Where nothing runs any more, leases end by themselves.
fn aside(stepping: impl Future<Output = ()> + Send + 'static) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let mut stepping = stepping.boxed();
    // In memory it is done at once, and the next request finds it so.
    if stepping.as_mut().now_or_never().is_none() {
        runtime.spawn(stepping);
    }
}

impl Taking {
    fn renewed(mut self) -> Self {
        self.renewing = Some(tokio::spawn(self.held.clone().renew()).abort_handle());
        self
    }

    /// There was nothing to take, and so there is nothing to give back.
    fn nothing(mut self, why: Untaken) -> Untaken {
        self.is_over = true;
        why
    }

    fn stop_renewing(&self) {
        if let Some(renewing) = &self.renewing {
            renewing.abort();
        }
    }

    /// What takes it from everybody else for good, before the last of it is handed over; says whether it was still this reader's.
    pub(crate) fn close_later(&self) -> BoxFuture<'static, bool> {
        self.held.clone().step(Step::Close).boxed()
    }

    /// It was written.
    pub(crate) fn finish(mut self, bytes: u64) {
        self.is_over = true;
        if let Some(metrics) = &self.metrics {
            metrics.body_taken(bytes);
        }
        aside(self.held.clone().settle(Step::Forget));
    }
}

impl Drop for Taking {
    fn drop(&mut self) {
        self.stop_renewing();
        match &self.renewing {
            _ if self.is_over => {}
            Some(_) => aside(self.held.clone().settle(Step::GiveBack)),
            None => aside(self.held.clone().give_up()),
        }
    }
}
