//! The rate-limit state of all principals, in bounded memory.

use governor::{
    nanos::Nanos,
    state::{StateStore, keyed::ShrinkableKeyedStateStore},
};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;

/// The number of groups for principals that do not fit into the table.
const GROUPS: usize = 256;

/// The rate-limit state by principal key.
#[derive(Debug)]
pub(super) struct BucketStore {
    pages: Mutex<BucketTable>,
    capacity: usize,
}

#[derive(Debug)]
struct BucketTable {
    known: HashMap<u64, Nanos>,
    /// The state of groups of principals. When the table is full, new principals share these.
    /// Principals that are already in the table are not affected.
    shared_groups: Box<[Option<Nanos>]>,
}

impl BucketStore {
    /// Creates a store for this number of principals.
    pub(super) fn new(capacity: usize) -> Self {
        let pages = BucketTable {
            known: HashMap::new(),
            shared_groups: vec![None; GROUPS].into(),
        };
        Self {
            pages: Mutex::new(pages),
            capacity,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BucketTable> {
        self.pages.lock()
    }
}

impl StateStore for BucketStore {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, judge: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        // The keyed stores of governor grow until `retain_recent` is called. In between, an
        // attacker with many addresses could fill the memory.
        let mut pages = self.lock();
        if let Some(state) = pages.known.get_mut(key) {
            let (verdict, after) = judge(Some(*state))?;
            *state = after;
            return Ok(verdict);
        }
        // Keys are hashes with secret keys, so an attacker cannot choose the group of a victim.
        let group = usize::try_from(key % GROUPS as u64).unwrap_or_default();
        if pages.known.len() >= self.capacity
            && let Some(state) = pages.shared_groups.get_mut(group)
        {
            let (verdict, after) = judge(*state)?;
            *state = Some(after);
            return Ok(verdict);
        }
        // A refused newcomer is not stored.
        let (verdict, after) = judge(None)?;
        pages.known.insert(*key, after);
        Ok(verdict)
    }
}

impl ShrinkableKeyedStateStore<u64> for BucketStore {
    fn retain_recent(&self, drop_below: Nanos) {
        self.lock().known.retain(|_, state| *state > drop_below);
    }

    fn shrink_to_fit(&self) {
        self.lock().known.shrink_to_fit();
    }

    fn len(&self) -> usize {
        self.lock().known.len()
    }

    fn is_empty(&self) -> bool {
        self.lock().known.is_empty()
    }
}
