//! Who has asked how much lately, in bounded memory.

use governor::{
    nanos::Nanos,
    state::{StateStore, keyed::ShrinkableKeyedStateStore},
};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// In how many groups those are counted for whom there is no room.
const GROUPS: usize = 256;

/// The state of everyone who is counted, by key.
#[derive(Debug)]
pub(super) struct Book {
    pages: Mutex<Pages>,
    room: usize,
}

#[derive(Debug)]
struct Pages {
    known: HashMap<u64, Nanos>,
    /// Once the book is full, newcomers are counted together with some others. Who is in the book already loses nothing by it.
    crowded: Box<[Option<Nanos>]>,
}

impl Book {
    /// A book with room for so many.
    pub(super) fn new(room: usize) -> Self {
        let pages = Pages { known: HashMap::new(), crowded: vec![None; GROUPS].into() };
        Self { pages: Mutex::new(pages), room }
    }

    fn open(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateStore for Book {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, judge: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut pages = self.open();
        if let Some(state) = pages.known.get_mut(key) {
            let (verdict, after) = judge(Some(*state))?;
            *state = after;
            return Ok(verdict);
        }
        let group = usize::try_from(key % GROUPS as u64).unwrap_or_default();
        if pages.known.len() >= self.room
            && let Some(state) = pages.crowded.get_mut(group)
        {
            let (verdict, after) = judge(*state)?;
            *state = Some(after);
            return Ok(verdict);
        }
        let (verdict, after) = judge(None)?;
        pages.known.insert(*key, after);
        Ok(verdict)
    }
}

impl ShrinkableKeyedStateStore<u64> for Book {
    fn retain_recent(&self, drop_below: Nanos) {
        self.open().known.retain(|_, state| *state > drop_below);
    }

    fn shrink_to_fit(&self) {
        self.open().known.shrink_to_fit();
    }

    fn len(&self) -> usize {
        self.open().known.len()
    }

    fn is_empty(&self) -> bool {
        self.open().known.is_empty()
    }
}
