//! Caches of results for one set of visible tools. Callers that see the same tools share them.
//! Surfaces store their own results here, each under its own type.

use parking_lot::Mutex;
use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
};

/// The limit on cached sets.
const SETS_MAX: usize = 64;

/// The tools that exist for some callers, and the results computed for them.
#[derive(Debug)]
pub(crate) struct VisibleSet {
    /// One bit per tool, by its index.
    visible: Box<[u64]>,
    /// The cached results, by type and protocol generation.
    made: Mutex<HashMap<(TypeId, bool), Arc<dyn Any + Send + Sync>>>,
}

impl VisibleSet {
    /// Creates the set of those indexes below `places` that `sees` accepts.
    pub(crate) fn new(places: usize, sees: impl Fn(usize) -> bool) -> Self {
        Self {
            visible: (0..places.div_ceil(64))
                .map(|word| {
                    // Places beyond the last tool stay 0, so that equal sets have equal words.
                    let bits =
                        (0..64).filter(|bit| word * 64 + bit < places && sees(word * 64 + bit));
                    bits.fold(0_u64, |bits, bit| bits | 1 << bit)
                })
                .collect(),
            made: Mutex::default(),
        }
    }

    pub(crate) fn sees(&self, place: usize) -> bool {
        self.visible
            .get(place / 64)
            .is_some_and(|word| word & (1 << (place % 64)) != 0)
    }

    /// Returns the cached result of type `T`, or computes it.
    pub(crate) fn cached<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        self.cached_for(true, make)
    }

    /// Returns the cached result for a protocol generation, or computes it.
    pub(crate) fn cached_for<T: Any + Send + Sync>(
        &self,
        modern: bool,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        let key = (TypeId::of::<T>(), modern);
        let known = self.made.lock().get(&key).cloned();
        // The key contains the type, so the downcast succeeds for every cached value.
        if let Some(Ok(known)) = known.map(Arc::downcast) {
            return known;
        }
        // Computed outside the lock, because it may be slow. Two callers may compute it at once;
        // the last one wins, and both results are equal.
        let made = Arc::new(make());
        self.made.lock().insert(key, made.clone());
        made
    }
}

/// The recently used sets.
#[derive(Debug, Default)]
pub(crate) struct VisibleSetCache {
    known: Mutex<HashMap<Box<[u64]>, Arc<VisibleSet>>>,
}

impl VisibleSetCache {
    /// Returns the shared object for an equal set.
    pub(crate) fn intern(&self, sight: VisibleSet) -> Arc<VisibleSet> {
        let mut known = self.known.lock();
        if let Some(known) = known.get(&sight.visible) {
            return known.clone();
        }
        // Clearing is cheaper than tracking use. A server gains little from a cache anyway if its
        // callers have more distinct sets than this.
        if known.len() >= SETS_MAX {
            known.clear();
        }
        let sight = Arc::new(sight);
        known.insert(sight.visible.clone(), sight.clone());
        sight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_who_see_the_same_share_what_was_made() {
        let sights = VisibleSetCache::default();
        let odd = sights.intern(VisibleSet::new(130, |place| place % 2 == 1));
        assert!(odd.sees(129) && !odd.sees(128) && !odd.sees(131));
        assert_eq!(*odd.cached(|| "made".to_owned()), "made");
        let again = sights.intern(VisibleSet::new(130, |place| place % 2 == 1));
        assert_eq!(*again.cached(|| "made anew".to_owned()), "made");
        assert_eq!(
            *again.cached_for(false, || "for the older generation".to_owned()),
            "for the older generation"
        );
        let all = sights.intern(VisibleSet::new(130, |_| true));
        assert_eq!(*all.cached(|| "of all".to_owned()), "of all");
    }

    #[test]
    fn sets_do_not_pile_up() {
        let sights = VisibleSetCache::default();
        for seen in 0..1_000 {
            sights.intern(VisibleSet::new(1_000, |place| place == seen));
        }
        assert!(sights.known.lock().len() <= SETS_MAX);
    }
}
