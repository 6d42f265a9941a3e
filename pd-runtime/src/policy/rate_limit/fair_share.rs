//! Limits the concurrent calls of one principal. While few calls run, no principal is counted,
//! which costs nothing. A principal may therefore have the uncounted calls, and as many counted
//! ones as make up its share.

use super::concurrency::PermitPool;
use crate::policy::limits::PrincipalShare;

use parking_lot::Mutex;
use std::collections::HashMap;

/// The number of principals with permits at which unused pools are first removed.
const TIDIED_AT: usize = 64;

/// The permit pools of the principals.
#[derive(Debug)]
pub(super) struct FairShares {
    /// The number of running calls below which no principal is counted.
    open: usize,
    /// The number of counted calls that one principal may have.
    each: usize,
    taken: Mutex<ShareTable>,
}

#[derive(Debug)]
struct ShareTable {
    /// The pools by principal key. Unused pools are removed from time to time.
    by: HashMap<u64, PermitPool>,
    tidied_at: usize,
}

impl FairShares {
    /// Creates the pools, or returns `None` if one principal may have all calls.
    pub(super) fn new(calls: usize, share: PrincipalShare) -> Option<Self> {
        // Rounded up, and at least 1: a principal with a share of 0 could never call.
        let share = match share {
            PrincipalShare::All => return None,
            PrincipalShare::Half => calls.div_ceil(2),
            PrincipalShare::AtMost(calls) => calls.max(1),
        };
        // A principal may already have `open` uncounted calls when counting starts, so only the
        // rest of its share is counted.
        let open = share / 2;
        let taken = Mutex::new(ShareTable {
            by: HashMap::new(),
            tidied_at: TIDIED_AT,
        });
        (share < calls).then_some(Self {
            open,
            each: share - open,
            taken,
        })
    }

    /// Returns whether no principal is counted while this many calls run.
    pub(super) fn is_uncounted(&self, running: usize) -> bool {
        running < self.open
    }

    /// Returns the pool of one principal.
    pub(super) fn pool_of(&self, key: u64) -> PermitPool {
        let mut taken = self.taken.lock();
        // The pool is cloned under the lock, so a pool that is about to be used counts as in use
        // and is not removed by another thread.
        if taken.by.len() >= taken.tidied_at && !taken.by.contains_key(&key) {
            taken.by.retain(|_, slots| slots.is_in_use());
            // Twice the remaining number, so that the cost of the cleanup is constant per new
            // principal on average.
            taken.tidied_at = TIDIED_AT.max(2 * taken.by.len());
        }
        taken
            .by
            .entry(key)
            .or_insert_with(|| PermitPool::new(self.each))
            .clone()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn each(calls: usize, share: PrincipalShare) -> Option<(usize, usize)> {
        FairShares::new(calls, share).map(|shares| (shares.open, shares.each))
    }

    #[test]
    fn what_is_not_counted_and_what_is_are_the_share_together() {
        assert_eq!(each(10_000, PrincipalShare::Half), Some((2_500, 2_500)));
        assert_eq!(each(5, PrincipalShare::Half), Some((1, 2)));
        assert_eq!(each(2, PrincipalShare::Half), Some((0, 1)));
        assert_eq!(each(100, PrincipalShare::AtMost(7)), Some((3, 4)));
        assert_eq!(each(100, PrincipalShare::AtMost(0)), Some((0, 1)));
        for all in [
            each(1, PrincipalShare::Half),
            each(100, PrincipalShare::All),
            each(100, PrincipalShare::AtMost(100)),
        ] {
            assert_eq!(all, None);
        }
    }

    #[test]
    fn a_principal_has_its_places_and_leaves_the_others_theirs() {
        let shares = FairShares::new(8, PrincipalShare::Half).unwrap();
        let take = |key| shares.pool_of(key).take_free();
        let taken: Vec<_> = (0..4).filter_map(|_| take(1)).collect();
        assert_eq!(taken.len(), 2);
        assert!(take(2).is_some());
        drop(taken);
        assert!(take(1).is_some());
    }

    #[test]
    fn who_has_no_place_is_forgotten() {
        let shares = FairShares::new(8, PrincipalShare::Half).unwrap();
        let kept = shares.pool_of(0).take_free();
        for key in 1..10_000 {
            drop(shares.pool_of(key).take_free());
        }
        let taken = shares.taken.lock();
        assert!(
            taken.by.len() <= 2 * TIDIED_AT && taken.by.contains_key(&0),
            "{}",
            taken.by.len()
        );
        drop(kept);
    }
}
