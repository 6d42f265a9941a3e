//! Rate limits per principal and per session. The crate `governor` does the arithmetic.

use super::bucket_store::BucketStore;
use crate::policy::limits::Rate;

use governor::{
    Quota, RateLimiter,
    clock::Clock,
    middleware::NoOpMiddleware,
    nanos::Nanos,
    state::{StateStore, keyed::KeyedStateStore},
};
use std::{
    fmt,
    hash::{Hash, Hasher},
    num::NonZeroU32,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::Duration,
};

/// The number of checks after which idle principals are removed.
const TIDIED_EVERY: u32 = 4_096;

type KeyedLimiter<K, S, C> = RateLimiter<K, S, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// Counts one kind of request.
pub(super) struct RateMeter<C: Clock> {
    principals: Option<(KeyedLimiter<u64, BucketStore, C>, NonZeroU32)>,
    sessions: Option<(
        KeyedLimiter<SessionBucket, SessionBucketStore, C>,
        NonZeroU32,
    )>,
    clock: C,
    checks: AtomicU32,
}

impl<C: Clock> fmt::Debug for RateMeter<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateMeter").finish_non_exhaustive()
    }
}

impl<C: Clock + Clone> RateMeter<C> {
    pub(super) fn new(
        principal: Option<Rate>,
        session: Option<Rate>,
        principals: usize,
        clock: &C,
    ) -> Self {
        Self {
            principals: principal.map(quota).map(|quota| {
                (
                    RateLimiter::new(quota, BucketStore::new(principals), clock.clone()),
                    quota.burst_size(),
                )
            }),
            sessions: session.map(quota).map(|quota| {
                (
                    RateLimiter::new(quota, SessionBucketStore, clock.clone()),
                    quota.burst_size(),
                )
            }),
            clock: clock.clone(),
            checks: AtomicU32::new(0),
        }
    }

    /// Charges `count` units. A charge above the burst counts as the whole burst, because otherwise
    /// it could never succeed.
    ///
    /// The session is charged first, so that a session over its limit uses nothing of its
    /// principal's rate.
    ///
    /// # Errors
    ///
    /// Returns the time to wait.
    pub(super) fn charge(
        &self,
        count: u32,
        key: impl FnOnce() -> u64,
        session: Option<&SessionBucket>,
    ) -> Result<(), Duration> {
        let cost = |burst: NonZeroU32| NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN).min(burst);
        if let (Some((limiter, burst)), Some(bucket)) = (&self.sessions, session) {
            self.to_result(limiter.check_key_n(bucket, cost(*burst)))?;
        }
        if let Some((limiter, burst)) = &self.principals {
            // Removing idle entries locks the whole table, so it happens once in `TIDIED_EVERY`
            // checks, for all threads together.
            if self.checks.fetch_add(1, Ordering::Relaxed) % TIDIED_EVERY == TIDIED_EVERY - 1 {
                limiter.retain_recent();
            }
            self.to_result(limiter.check_key_n(&key(), cost(*burst)))?;
        }
        Ok(())
    }

    fn to_result(&self, decision: LimiterDecision<C>) -> Result<(), Duration> {
        match decision {
            Ok(Err(not_until)) => Err(not_until.wait_time_from(self.clock.now())),
            // `InsufficientCapacity` cannot occur: `charge` reduces each cost to the burst.
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }

    #[cfg(test)]
    pub(super) fn known(&self) -> usize {
        self.principals
            .as_ref()
            .map_or(0, |(limiter, _)| limiter.len())
    }
}

type LimiterDecision<C> =
    Result<Result<(), governor::NotUntil<<C as Clock>::Instant>>, governor::InsufficientCapacity>;

fn quota(rate: Rate) -> Quota {
    // Above a billion per second the interval rounds to 0, which governor refuses.
    let between = (rate.period / rate.times.get()).max(Duration::from_nanos(1));
    let each = Quota::with_period(between).unwrap_or(Quota::per_second(rate.times));
    each.allow_burst(rate.burst.min(max_burst(between)))
}

/// Returns the largest burst that governor can represent. It multiplies 64-bit nanoseconds and adds
/// the time since its clock started, so a quarter of the range is used.
fn max_burst(between: Duration) -> NonZeroU32 {
    let times = u128::from(u64::MAX / 4) / between.as_nanos().max(1);
    u32::try_from(times)
        .ok()
        .and_then(NonZeroU32::new)
        .unwrap_or(NonZeroU32::MAX)
}

/// The state of one limit in one session: the theoretical arrival time of the next unit, in
/// nanoseconds. 0 means that the bucket was never used.
#[derive(Debug, Default)]
pub(super) struct SessionBucket(AtomicU64);

/// Never called, because `SessionBucketStore` has no map. governor requires the trait of every key.
impl Hash for SessionBucket {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A state store without a map: the key is the bucket with the state, and its session owns it.
struct SessionBucketStore;

impl KeyedStateStore<SessionBucket> for SessionBucketStore {}

impl StateStore for SessionBucketStore {
    type Key = SessionBucket;

    fn measure_and_replace<T, F, E>(&self, bucket: &SessionBucket, judge: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        // The usual compare-and-swap loop: `judge` is pure, so it may run again after a lost race.
        let mut before = bucket.0.load(Ordering::Acquire);
        loop {
            // A refusal returns here and leaves the bucket as it is.
            let (verdict, after) = judge((before > 0).then(|| before.into()))?;
            match bucket.0.compare_exchange_weak(
                before,
                after.into(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Ok(verdict),
                Err(now) => before = now,
            }
        }
    }
}
