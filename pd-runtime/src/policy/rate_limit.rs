//! Enforces the server's `Limits`: rates, sizes and concurrent calls. Each refusal contains the
//! time to wait.

pub(crate) mod arguments;
mod bucket_store;
pub(crate) mod concurrency;
mod fair_share;
#[cfg(feature = "http")]
pub(crate) mod opening_rate;
#[cfg(feature = "http")]
pub(crate) mod quota;
mod rate_meter;
pub(crate) mod retry_after;
pub mod size;

use crate::{
    policy::limits::{Limits, PrincipalShare, RateSet},
    protocol::quota_key::QuotaKey,
};
use concurrency::{PermitPool, PoolPermit};
use fair_share::FairShares;
use governor::clock::{Clock, MonotonicClock};
use rate_meter::{RateMeter, SessionBucket};
use retry_after::TryLater;
use std::{
    hash::{BuildHasher, RandomState},
    num::NonZeroUsize,
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// A kind of request that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChargeKind {
    Call,
    /// A search, or a request for a list.
    Find,
    /// The description of one tool.
    Describe,
    /// A session over HTTP. It counts as a call.
    #[cfg(feature = "http")]
    Open,
}

impl ChargeKind {
    /// Returns the label for telemetry.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Call => "calls",
            Self::Find => "searches",
            Self::Describe => "descriptions",
            #[cfg(feature = "http")]
            Self::Open => "sessions",
        }
    }
}

/// The usage of one session. The session owns it, so that it needs no cleanup.
#[derive(Debug, Default)]
pub(crate) struct SessionUsage {
    calls: SessionBucket,
    searches: SessionBucket,
    descriptions: SessionBucket,
}

/// Enforces the limits of a server.
#[derive(Debug)]
pub(crate) struct CallLimiter<C: Clock = MonotonicClock> {
    calls: RateMeter<C>,
    searches: RateMeter<C>,
    descriptions: RateMeter<C>,
    counts_owner: bool,
    /// The hash keys are secret, so that a caller cannot choose an address or a name that shares
    /// another caller's bucket.
    hashing: RandomState,
    /// The permits of all tools together.
    pub(crate) slots: Option<PermitPool>,
    shares: Option<FairShares>,
    /// The permits to validate arguments on the blocking pool.
    judged: PermitPool,
    judged_shares: Option<FairShares>,
    /// The permits of programs, if the server runs any.
    #[cfg(feature = "code")]
    runs: Option<(PermitPool, Option<FairShares>)>,
}

/// The number of calls per core that may validate arguments on the blocking pool at once. Blocking
/// tools need the pool's threads, too.
const JUDGED_EACH_CORE: usize = 2;

impl CallLimiter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self::with_clock(limits, &MonotonicClock)
    }
}

impl<C: Clock + Clone> CallLimiter<C> {
    fn with_clock(limits: &Limits, clock: &C) -> Self {
        let meter = |of: fn(&RateSet) -> _| {
            RateMeter::new(
                of(&limits.principal),
                of(&limits.session),
                limits.principals,
                clock,
            )
        };
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        // At least 4, so that one slow validation does not block a small machine.
        let judged = PermitPool::new((JUDGED_EACH_CORE * cores).max(4));
        Self {
            judged_shares: FairShares::new(judged.count, PrincipalShare::Half),
            judged,
            calls: meter(|rates| rates.calls),
            searches: meter(|rates| rates.searches),
            descriptions: meter(|rates| rates.descriptions),
            counts_owner: limits.owner,
            hashing: RandomState::new(),
            slots: limits.concurrent_calls.map(PermitPool::new),
            shares: limits
                .concurrent_calls
                .and_then(|calls| FairShares::new(calls, limits.concurrent_calls_each)),
            #[cfg(feature = "code")]
            runs: None,
        }
    }

    /// Sets how many programs run at a time, in all and of one payer.
    #[cfg(feature = "code")]
    pub(crate) fn with_runs(mut self, count: usize, each: usize) -> Self {
        self.runs = Some((
            PermitPool::new(count),
            FairShares::new(count, PrincipalShare::AtMost(each)),
        ));
        self
    }

    /// Waits for a permit to run a program: for one of the payer while many run, then for a shared
    /// one.
    ///
    /// # Errors
    ///
    /// Returns an error if no permit became free in time.
    #[cfg(feature = "code")]
    pub(crate) async fn run_permits(
        &self,
        payer: QuotaKey<'_>,
        patience: Duration,
        cancelled: &CancellationToken,
    ) -> Result<(Option<PoolPermit>, Option<PoolPermit>), TryLater> {
        let Some((pool, shares)) = &self.runs else {
            return Ok((None, None));
        };
        self.permits_of(pool, shares.as_ref(), payer, patience, cancelled)
            .await
    }

    /// Waits for a permit of the payer while the pool is busy, then for a shared one. The permit of
    /// the payer comes first, so that a payer at its limit queues without blocking others.
    async fn permits_of(
        &self,
        pool: &PermitPool,
        shares: Option<&FairShares>,
        payer: QuotaKey<'_>,
        patience: Duration,
        cancelled: &CancellationToken,
    ) -> Result<(Option<PoolPermit>, Option<PoolPermit>), TryLater> {
        // Few running calls are not counted, which saves the hash and the lock in the usual case.
        let shares =
            shares.filter(|shares| !shares.is_uncounted(pool.taken()) && self.counts(payer));
        let begun = tokio::time::Instant::now();
        let own = match shares.map(|shares| shares.pool_of(self.hashing.hash_one(payer.key()))) {
            Some(own) => Some(own.wait(patience, cancelled).await?),
            None => None,
        };
        // Both waits together are as long as the setting says.
        let patience = patience.saturating_sub(begun.elapsed());
        Ok((own, Some(pool.wait(patience, cancelled).await?)))
    }

    /// Returns the permits of this payer, or `None` while so few calls run that the payer's share
    /// does not matter.
    pub(crate) fn share(&self, payer: QuotaKey<'_>) -> Option<PermitPool> {
        let shares = self.shares.as_ref()?;
        let slots = self.slots.as_ref()?;
        let is_counted = !shares.is_uncounted(slots.taken()) && self.counts(payer);
        is_counted.then(|| shares.pool_of(self.hashing.hash_one(payer.key())))
    }

    fn counts(&self, payer: QuotaKey<'_>) -> bool {
        payer != QuotaKey::Owner || self.counts_owner
    }

    /// Waits for a permit to validate arguments on the blocking pool: for one of the payer while
    /// the pool is busy, then for a shared one.
    ///
    /// # Errors
    ///
    /// Returns an error if no permit became free in time.
    pub(crate) async fn judging(
        &self,
        payer: QuotaKey<'_>,
        patience: Duration,
        cancelled: &CancellationToken,
    ) -> Result<(Option<PoolPermit>, Option<PoolPermit>), TryLater> {
        self.permits_of(
            &self.judged,
            self.judged_shares.as_ref(),
            payer,
            patience,
            cancelled,
        )
        .await
    }

    /// Charges `count` units of a kind, at least one, or nothing if they exceed the rate.
    ///
    /// # Errors
    ///
    /// Returns the time to wait.
    pub(crate) fn charge(
        &self,
        kind: ChargeKind,
        count: usize,
        payer: QuotaKey<'_>,
        session: Option<&SessionUsage>,
    ) -> Result<(), TryLater> {
        if payer == QuotaKey::Owner && !self.counts_owner {
            return Ok(());
        }
        let (meter, used): (_, fn(&SessionUsage) -> &SessionBucket) = match kind {
            ChargeKind::Call => (&self.calls, |used| &used.calls),
            ChargeKind::Find => (&self.searches, |used| &used.searches),
            ChargeKind::Describe => (&self.descriptions, |used| &used.descriptions),
            // A client that opens sessions in a loop is charged like one that calls in a loop.
            #[cfg(feature = "http")]
            ChargeKind::Open => (&self.calls, |used| &used.calls),
        };
        // A charge above the burst costs the whole burst, so any large number has the same effect.
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        // The key is hashed lazily: without a limit per principal, it is never needed.
        let counted = meter.charge(
            count,
            || self.hashing.hash_one(payer.key()),
            session.map(used),
        );
        counted.map_err(|wait| TryLater::rate_limited(kind, wait))
    }
}

#[cfg(test)]
mod tests;
