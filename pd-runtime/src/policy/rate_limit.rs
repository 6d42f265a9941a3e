//! What keeps callers to the server's `Limits`: how often, how large, how many at once. Who is refused hears when to come back.

pub(crate) mod arguments;
mod bucket_store;
pub(crate) mod concurrency;
mod fair_share;
#[cfg(feature = "http")]
pub(crate) mod opening_rate;
#[cfg(feature = "http")]
pub(crate) mod quota;
pub(crate) mod retry_after;
pub(crate) mod size;
mod token_bucket;

use crate::{
    policy::limits::{Limits, Rates, Share},
    quota_key::Payer,
};
use concurrency::{Slot, Slots};
use fair_share::Shares;
use governor::clock::{Clock, MonotonicClock};
use retry_after::TryLater;
use std::{
    hash::{BuildHasher, RandomState},
    num::NonZeroUsize,
    time::Duration,
};
use token_bucket::{Bucket, Meter};
use tokio_util::sync::CancellationToken;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Call,
    /// A search, or a look at a list.
    Find,
    /// A description, of one tool.
    Describe,
    /// A session over HTTP. It counts as a call.
    #[cfg(feature = "http")]
    Open,
}

impl Kind {
    /// For those who see what happens.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Call => "calls",
            Self::Find => "finds",
            Self::Describe => "describes",
            #[cfg(feature = "http")]
            Self::Open => "sessions",
        }
    }
}

/// What one session has used up; it is counted where it is kept, so that it ends with the session.
#[derive(Debug, Default)]
pub(crate) struct Used {
    calls: Bucket,
    finds: Bucket,
    describes: Bucket,
}

/// A server's limits at work.
#[derive(Debug)]
pub(crate) struct Limiter<C: Clock = MonotonicClock> {
    calls: Meter<C>,
    finds: Meter<C>,
    describes: Meter<C>,
    counts_owner: bool,
    /// Its keys are secret, so that nobody can choose an address or a name that shares another's bucket.
    hashing: RandomState,
    /// Those of all tools together.
    pub(crate) slots: Option<Slots>,
    shares: Option<Shares>,
    /// Arguments that are judged on the blocking pool.
    judged: Slots,
    judged_shares: Option<Shares>,
}

/// How many calls' arguments are judged on the blocking pool at once, for each core. Blocking tools need its threads, too.
const JUDGED_EACH_CORE: usize = 2;

impl Limiter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self::with_clock(limits, &MonotonicClock)
    }
}

impl<C: Clock + Clone> Limiter<C> {
    fn with_clock(limits: &Limits, clock: &C) -> Self {
        let meter =
            |of: fn(&Rates) -> _| Meter::new(of(&limits.principal), of(&limits.session), limits.principals, clock);
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let judged = Slots::new((JUDGED_EACH_CORE * cores).max(4));
        Self {
            judged_shares: Shares::new(judged.count, Share::Half),
            judged,
            calls: meter(|rates| rates.calls),
            finds: meter(|rates| rates.finds),
            describes: meter(|rates| rates.describes),
            counts_owner: limits.owner,
            hashing: RandomState::new(),
            slots: limits.concurrent_calls.map(Slots::new),
            shares: limits.concurrent_calls.and_then(|calls| Shares::new(calls, limits.concurrent_calls_each)),
        }
    }

    /// The places of this payer, where so many calls run that one more must have one of them.
    pub(crate) fn share(&self, payer: Payer<'_>) -> Option<Slots> {
        let (shares, slots) = (self.shares.as_ref()?, self.slots.as_ref()?);
        let is_counted = !shares.are_open(slots.taken()) && (payer != Payer::Owner || self.counts_owner);
        is_counted.then(|| shares.of(self.hashing.hash_one(payer.key())))
    }

    /// A place to judge arguments on the blocking pool: the payer's own, where it has many, and one of all.
    ///
    /// # Errors
    ///
    /// None was free in time.
    pub(crate) async fn judging(
        &self,
        payer: Payer<'_>,
        patience: Duration,
        cancelled: &CancellationToken,
    ) -> Result<(Option<Slot>, Slot), TryLater> {
        let shares = self.judged_shares.as_ref().filter(|shares| !shares.are_open(self.judged.taken()));
        let own = match shares.map(|shares| shares.of(self.hashing.hash_one(payer.key()))) {
            Some(own) => Some(own.wait(patience, cancelled).await?),
            None => None,
        };
        Ok((own, self.judged.wait(patience, cancelled).await?))
    }

    /// Counts so many of a kind, of which at least one; or none of them where they are too many.
    ///
    /// # Errors
    ///
    /// Says when to come back.
    pub(crate) fn charge(
        &self,
        kind: Kind,
        count: usize,
        payer: Payer<'_>,
        session: Option<&Used>,
    ) -> Result<(), TryLater> {
        if payer == Payer::Owner && !self.counts_owner {
            return Ok(());
        }
        let (meter, used): (_, fn(&Used) -> &Bucket) = match kind {
            Kind::Call => (&self.calls, |used| &used.calls),
            Kind::Find => (&self.finds, |used| &used.finds),
            Kind::Describe => (&self.describes, |used| &used.describes),
            #[cfg(feature = "http")]
            Kind::Open => (&self.calls, |used| &used.calls),
        };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let counted = meter.charge(count, || self.hashing.hash_one(payer.key()), session.map(used));
        counted.map_err(|wait| TryLater::rate_limited(kind, wait))
    }
}

#[cfg(test)]
mod tests;
