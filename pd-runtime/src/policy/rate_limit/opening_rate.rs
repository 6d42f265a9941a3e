//! Limits how often one payer may open an HTTP session.

use super::{rate_meter::RateMeter, retry_after::rounded_up};
use crate::{policy::limits::Rate, protocol::quota_key::QuotaKey};

use governor::clock::MonotonicClock;
use std::hash::{BuildHasher, RandomState};

/// The number of payers that are counted at a time.
/// [`Limits::max_tracked_principals`](crate::Limits::max_tracked_principals) has the same default.
const PAYERS_MAX: usize = 10_000;

/// Counts the `initialize` requests of each payer.
#[derive(Debug)]
pub(crate) struct OpeningRate {
    meter: RateMeter<MonotonicClock>,
    /// The hash keys are secret, so that a caller cannot choose an address that shares another
    /// caller's bucket.
    hashing: RandomState,
}

impl OpeningRate {
    /// Creates the limit. `None` means no limit.
    pub(crate) fn new(rate: Option<Rate>) -> Self {
        Self {
            // An `initialize` has no session yet, so only the payer is charged.
            meter: RateMeter::new(rate, None, PAYERS_MAX, &MonotonicClock),
            hashing: RandomState::new(),
        }
    }

    /// Counts one `initialize` request. Callers without a known address cannot be distinguished,
    /// and are not counted.
    ///
    /// # Errors
    ///
    /// Returns the time to wait, in whole seconds.
    pub(crate) fn charge(&self, payer: QuotaKey<'_>) -> Result<(), u64> {
        if payer == QuotaKey::Anonymous(None) {
            return Ok(());
        }
        self.meter
            .charge(1, || self.hashing.hash_one(payer.key()), None)
            .map_err(rounded_up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    #[test]
    fn each_payer_has_a_rate_of_its_own() {
        let rate = OpeningRate::new(Some(Rate::per_minute(2)));
        let v4 = |last| QuotaKey::Anonymous(Some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))));
        let v6 = |last| {
            QuotaKey::Anonymous(Some(IpAddr::V6(Ipv6Addr::new(
                0xfd00, 0, 0, 0, 0, 0, 0, last,
            ))))
        };
        for payer in [v4(1), v4(2), QuotaKey::Subject("alice"), v6(1)] {
            assert!(rate.charge(payer).is_ok() && rate.charge(payer).is_ok());
            assert!(
                rate.charge(payer)
                    .is_err_and(|seconds| (1..=30).contains(&seconds))
            );
        }
        assert!(rate.charge(v6(2)).is_err(), "one /64 is one payer");
        assert!((0..100).all(|_| rate.charge(QuotaKey::Anonymous(None)).is_ok()));
    }

    #[test]
    fn no_rate_limits_nobody() {
        let rate = OpeningRate::new(None);
        assert!((0..10_000).all(|_| rate.charge(QuotaKey::Subject("alice")).is_ok()));
    }
}
