//! How many of the calls that run are one principal's. While few run nobody is counted, which costs nothing; so what a principal
//! may have is what it can have got by then, and as much again that is counted.

use super::concurrency::Slots;
use crate::policy::limits::Share;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// How many principals may have places before those without are looked for.
const TIDIED_AT: usize = 64;

/// Each principal's places.
#[derive(Debug)]
pub(super) struct Shares {
    /// While fewer calls run than this, nobody is counted.
    open: usize,
    /// How many more one principal may have.
    each: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug)]
struct Taken {
    /// By a principal's key; of those who have none now, not for long.
    by: HashMap<u64, Slots>,
    tidied_at: usize,
}

impl Shares {
    /// None, where one principal may have all of so many.
    pub(super) fn new(calls: usize, share: Share) -> Option<Self> {
        let share = match share {
            Share::All => return None,
            Share::Half => calls.div_ceil(2),
            Share::So(calls) => calls.max(1),
        };
        let open = share / 2;
        let taken = Mutex::new(Taken { by: HashMap::new(), tidied_at: TIDIED_AT });
        (share < calls).then_some(Self { open, each: share - open, taken })
    }

    /// Whether nobody is counted while so many calls run.
    pub(super) fn are_open(&self, running: usize) -> bool {
        running < self.open
    }

    /// One principal's places.
    pub(super) fn of(&self, key: u64) -> Slots {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.by.len() >= taken.tidied_at && !taken.by.contains_key(&key) {
            taken.by.retain(|_, slots| slots.are_used());
            // As many again, so that tidying costs each newcomer little.
            taken.tidied_at = TIDIED_AT.max(2 * taken.by.len());
        }
        taken.by.entry(key).or_insert_with(|| Slots::new(self.each)).clone()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn each(calls: usize, share: Share) -> Option<(usize, usize)> {
        Shares::new(calls, share).map(|shares| (shares.open, shares.each))
    }

    #[test]
    fn what_is_not_counted_and_what_is_are_the_share_together() {
        assert_eq!(each(10_000, Share::Half), Some((2_500, 2_500)));
        assert_eq!(each(5, Share::Half), Some((1, 2)));
        assert_eq!(each(2, Share::Half), Some((0, 1)));
        assert_eq!(each(100, Share::So(7)), Some((3, 4)));
        assert_eq!(each(100, Share::So(0)), Some((0, 1)));
        for all in [each(1, Share::Half), each(100, Share::All), each(100, Share::So(100))] {
            assert_eq!(all, None);
        }
    }

    #[test]
    fn a_principal_has_its_places_and_leaves_the_others_theirs() {
        let shares = Shares::new(8, Share::Half).unwrap();
        let take = |key| shares.of(key).take_free();
        let taken: Vec<_> = (0..4).filter_map(|_| take(1)).collect();
        assert_eq!(taken.len(), 2);
        assert!(take(2).is_some());
        drop(taken);
        assert!(take(1).is_some());
    }

    #[test]
    fn who_has_no_place_is_forgotten() {
        let shares = Shares::new(8, Share::Half).unwrap();
        let kept = shares.of(0).take_free();
        for key in 1..10_000 {
            drop(shares.of(key).take_free());
        }
        let taken = shares.taken.lock().unwrap();
        assert!(taken.by.len() <= 2 * TIDIED_AT && taken.by.contains_key(&0), "{}", taken.by.len());
        drop(kept);
    }
}
