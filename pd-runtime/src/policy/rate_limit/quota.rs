//! An amount that all payers share, with a smaller bound for each payer: bytes of request bodies
//! that are being read, or open streams.

use crate::protocol::quota_key::QuotaKey;
use parking_lot::{Mutex, MutexGuard};
use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

/// A shared amount. Payers without a claim use no memory.
#[derive(Debug)]
pub(crate) struct SharedQuota {
    total: usize,
    each: usize,
    taken: Mutex<QuotaUsage>,
    /// The hash keys are secret, so that a caller cannot choose an address that shares another
    /// caller's account.
    hashing: RandomState,
}

#[derive(Debug, Default)]
struct QuotaUsage {
    total: usize,
    by_payer: HashMap<u64, usize>,
}

/// The account of one payer. Callers without a known address have none, because one of them could
/// use up the share of the others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuotaAccount(Option<u64>);

/// The amount that one holder has taken. Dropping the claim returns it.
#[derive(Debug)]
pub(crate) struct QuotaClaim {
    quota: Arc<SharedQuota>,
    account: QuotaAccount,
    amount: usize,
}

/// The bound that prevents a claim from growing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuotaShortage {
    /// The payer has used its share.
    Payer,
    /// All payers together have used the total.
    Total,
}

impl SharedQuota {
    pub(crate) fn new(total: usize, each: usize) -> Arc<Self> {
        Arc::new(Self {
            total,
            each,
            taken: Mutex::default(),
            hashing: RandomState::new(),
        })
    }

    pub(crate) fn account(&self, payer: QuotaKey<'_>) -> QuotaAccount {
        let is_known = payer != QuotaKey::Anonymous(None);
        QuotaAccount(is_known.then(|| self.hashing.hash_one(payer.key())))
    }

    /// Creates an empty claim.
    pub(crate) fn claim(self: &Arc<Self>, account: QuotaAccount) -> QuotaClaim {
        QuotaClaim {
            quota: self.clone(),
            account,
            amount: 0,
        }
    }

    /// Returns the amount in use, and the number of payers.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> (usize, usize) {
        let taken = self.lock();
        (taken.total, taken.by_payer.len())
    }

    fn lock(&self) -> MutexGuard<'_, QuotaUsage> {
        self.taken.lock()
    }
}

impl QuotaClaim {
    /// Increases the claim to `amount`, without using the `reserve` of each bound.
    ///
    /// # Errors
    ///
    /// Returns an error if too little is left. The claim is then unchanged.
    pub(crate) fn grow_to(
        &mut self,
        amount: usize,
        reserve: QuotaReserve,
    ) -> Result<(), QuotaShortage> {
        // A claim never shrinks before it is dropped.
        let more = amount.saturating_sub(self.amount);
        let mut taken = self.quota.lock();
        // Both bounds are checked under one lock before anything is added, so a refused claim has
        // nothing to undo.
        let own = self.account.0.map_or(0, |key| {
            taken.by_payer.get(&key).copied().unwrap_or_default()
        });
        if self.account.0.is_some() && own.saturating_add(more) > reserve.leaves(self.quota.each) {
            return Err(QuotaShortage::Payer);
        }
        if taken.total.saturating_add(more) > reserve.leaves(self.quota.total) {
            return Err(QuotaShortage::Total);
        }
        taken.add(self.account, more);
        self.amount += more;
        Ok(())
    }

    /// Increases the claim by one, even above the bounds.
    pub(crate) fn count_one(&mut self) {
        self.quota.lock().add(self.account, 1);
        self.amount += 1;
    }
}

/// The part of each bound that a claim leaves to others.
#[derive(Debug, Clone, Copy)]
pub(crate) enum QuotaReserve {
    None,
    Quarter,
}

impl QuotaReserve {
    fn leaves(self, bound: usize) -> usize {
        match self {
            Self::None => bound,
            Self::Quarter => bound - bound / 4,
        }
    }
}

impl QuotaUsage {
    fn add(&mut self, account: QuotaAccount, more: usize) {
        self.total += more;
        // A claim that takes nothing creates no entry.
        if let Some(key) = account.0.filter(|_| more > 0) {
            *self.by_payer.entry(key).or_default() += more;
        }
    }

    fn give_back(&mut self, account: QuotaAccount, amount: usize) {
        self.total -= amount;
        let Some(Entry::Occupied(mut own)) = account.0.map(|key| self.by_payer.entry(key)) else {
            return;
        };
        *own.get_mut() -= amount;
        // Accounts at zero are removed, so that the map is as large as the number of active payers.
        if *own.get() == 0 {
            own.remove();
        }
    }
}

impl Drop for QuotaClaim {
    fn drop(&mut self) {
        self.quota.lock().give_back(self.account, self.amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(quota: &Arc<SharedQuota>, subject: &str) -> QuotaClaim {
        quota.claim(quota.account(QuotaKey::Subject(subject)))
    }

    #[test]
    fn a_payer_has_a_share_and_all_have_the_total() {
        let quota = SharedQuota::new(10, 6);
        let (mut alice, mut also_alice, mut bob) =
            (of(&quota, "alice"), of(&quota, "alice"), of(&quota, "bob"));
        assert_eq!(alice.grow_to(4, QuotaReserve::None), Ok(()));
        assert_eq!(
            also_alice.grow_to(3, QuotaReserve::None),
            Err(QuotaShortage::Payer)
        );
        assert_eq!(also_alice.grow_to(2, QuotaReserve::None), Ok(()));
        assert_eq!(
            bob.grow_to(5, QuotaReserve::None),
            Err(QuotaShortage::Total)
        );
        assert_eq!(bob.grow_to(4, QuotaReserve::None), Ok(()));
        assert_eq!(quota.taken(), (10, 2));
        drop(alice);
        assert_eq!(bob.grow_to(6, QuotaReserve::None), Ok(()));
        drop((also_alice, bob));
        assert_eq!(quota.taken(), (0, 0), "nothing is left behind");
    }

    #[test]
    fn a_reserve_is_left_to_others() {
        let quota = SharedQuota::new(16, 8);
        let mut large = of(&quota, "alice");
        assert_eq!(
            large.grow_to(7, QuotaReserve::Quarter),
            Err(QuotaShortage::Payer)
        );
        assert_eq!(large.grow_to(6, QuotaReserve::Quarter), Ok(()));
        assert_eq!(of(&quota, "alice").grow_to(2, QuotaReserve::None), Ok(()));
    }

    #[test]
    fn callers_who_are_not_known_share_the_total_alone() {
        let quota = SharedQuota::new(10, 2);
        let mut claim = quota.claim(quota.account(QuotaKey::Anonymous(None)));
        assert_eq!(claim.grow_to(9, QuotaReserve::None), Ok(()));
        claim.count_one();
        claim.count_one();
        assert_eq!(quota.taken(), (11, 0));
        assert_eq!(
            of(&quota, "bob").grow_to(1, QuotaReserve::None),
            Err(QuotaShortage::Total)
        );
    }
}
