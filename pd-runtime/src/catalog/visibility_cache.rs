//! What one set of visible tools yields, kept: callers who see the same share it. Surfaces keep here what they make for a
//! set, each under a type of its own.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// How many sets are kept; the rest are made anew.
const SETS_MAX: usize = 64;

/// The tools that exist for some callers, and what was made of them.
#[derive(Debug)]
pub(crate) struct Sight {
    /// A bit for each tool, by its place.
    visible: Box<[u64]>,
    /// By its type, and by the protocol's generation that it was made for.
    made: Mutex<HashMap<(TypeId, bool), Arc<dyn Any + Send + Sync>>>,
}

impl Sight {
    /// The set of the places that `sees` admits, of this many.
    pub(crate) fn new(places: usize, sees: impl Fn(usize) -> bool) -> Self {
        let word = |word: usize| {
            let bits = (0..64).filter(|bit| word * 64 + bit < places && sees(word * 64 + bit));
            bits.fold(0_u64, |bits, bit| bits | 1 << bit)
        };
        Self { visible: (0..places.div_ceil(64)).map(word).collect(), made: Mutex::default() }
    }

    pub(crate) fn sees(&self, place: usize) -> bool {
        self.visible.get(place / 64).is_some_and(|word| word & (1 << (place % 64)) != 0)
    }

    /// What was made of this set before, or is made now.
    pub(crate) fn kept<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        self.kept_for(true, make)
    }

    /// The same of what depends on the protocol's generation, too.
    pub(crate) fn kept_for<T: Any + Send + Sync>(&self, modern: bool, make: impl FnOnce() -> T) -> Arc<T> {
        let key = (TypeId::of::<T>(), modern);
        let known = self.made.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(Ok(known)) = known.map(Arc::downcast) {
            return known;
        }
        // Made outside the lock: two callers may make it at once, and one of them wins.
        let made = Arc::new(make());
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        made
    }
}

/// The sets seen lately.
#[derive(Debug, Default)]
pub(crate) struct Sights {
    known: Mutex<HashMap<Box<[u64]>, Arc<Sight>>>,
}

impl Sights {
    /// The one that stands for this set.
    pub(crate) fn shared(&self, sight: Sight) -> Arc<Sight> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&sight.visible) {
            return known.clone();
        }
        if known.len() >= SETS_MAX {
            known.clear();
        }
        let sight = Arc::new(sight);
        known.insert(sight.visible.clone(), sight.clone());
        sight
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn callers_who_see_the_same_share_what_was_made() {
        let sights = Sights::default();
        let odd = sights.shared(Sight::new(130, |place| place % 2 == 1));
        assert!(odd.sees(129) && !odd.sees(128) && !odd.sees(131));
        assert_eq!(*odd.kept(|| "made".to_owned()), "made");
        let again = sights.shared(Sight::new(130, |place| place % 2 == 1));
        assert_eq!(*again.kept(|| "made anew".to_owned()), "made");
        assert_eq!(*again.kept_for(false, || "for the older generation".to_owned()), "for the older generation");
        let all = sights.shared(Sight::new(130, |_| true));
        assert_eq!(*all.kept(|| "of all".to_owned()), "of all");
    }

    #[test]
    fn sets_do_not_pile_up() {
        let sights = Sights::default();
        for seen in 0..1_000 {
            sights.shared(Sight::new(1_000, |place| place == seen));
        }
        assert!(sights.known.lock().unwrap().len() <= SETS_MAX);
    }
}
