//! Descriptions that were fetched once: by server, principal and name, bounded by count and bytes.

use super::{
    cache_scope::Owner,
    description::{Description, Given},
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Fetched descriptions, for one client or shared by many.
///
/// What one principal was given is never shown to another: an entry belongs to a server's name and a principal
/// ([`ClientBuilder::principal`](super::ClientBuilder::principal)); where a client names no principal, to that client alone.
/// Share one only among clients that mean the same servers by the same names.
///
/// What is cached is forgotten when a client hears that the tools changed, or fetches a list other than the one it was fetched
/// under. A change that no client heard, and that no list tells of, is noticed when the server refuses a call for it.
///
/// It holds 1,024 descriptions and 4 MiB of them by default; those not used for longest make room.
#[derive(Clone)]
pub struct Cache(Arc<Mutex<Kept>>);

/// Whose descriptions of which server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Shelf {
    server: Arc<str>,
    owner: Owner,
}

impl Shelf {
    pub(super) fn new(server: &str, owner: &Owner) -> Self {
        Self { server: server.into(), owner: owner.clone() }
    }
}

/// One entry, as it is handed out.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) description: Arc<Description>,
    pub(super) ticket: Option<String>,
}

impl From<Given> for Entry {
    fn from(given: Given) -> Self {
        Self { description: Arc::new(given.description), ticket: given.ticket }
    }
}

#[derive(Debug)]
struct Kept {
    shelves: HashMap<Shelf, HashMap<Box<str>, (Entry, u64)>>,
    /// Who was used when, the longest ago first.
    uses: BTreeMap<u64, (Shelf, Box<str>)>,
    /// When a shelf was cleared last, and of which list it is.
    states: HashMap<Shelf, State>,
    /// When the states of unused shelves were forgotten last: what was asked for before may be of any of them.
    forgotten: u64,
    clock: u64,
    bytes: usize,
    count_max: usize,
    bytes_max: usize,
}

#[derive(Debug)]
struct State {
    cleared: u64,
    list: u64,
}

/// A moment of a cache: what is asked for afterwards is newer than all that was cleared before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment(u64);

impl Cache {
    /// With the default bounds.
    pub fn new() -> Self {
        Self::bounded(1_024, 4 << 20)
    }

    /// Of at most so many descriptions, and so many bytes of their text.
    pub fn bounded(count: usize, bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(Kept {
            shelves: HashMap::new(),
            uses: BTreeMap::new(),
            states: HashMap::new(),
            forgotten: 0,
            clock: 0,
            bytes: 0,
            count_max: count,
            bytes_max: bytes,
        })))
    }

    /// How many descriptions are in it.
    pub fn len(&self) -> usize {
        self.lock().uses.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn get(&self, shelf: &Shelf, name: &str) -> Option<Entry> {
        self.lock().take_down(shelf, name)
    }

    /// Before something is asked for.
    pub(super) fn now(&self) -> Moment {
        Moment(self.lock().clock)
    }

    /// Keeps what was asked for at a moment, unless its shelf was cleared since: it may be older than that.
    pub(super) fn put(&self, shelf: &Shelf, entry: &Entry, asked: Moment) {
        let mut kept = self.lock();
        if kept.cleared(shelf) <= asked.0 {
            kept.put(shelf, entry.clone());
        }
    }

    /// Says which list the shelf's server has now. What was fetched under another is forgotten.
    pub(super) fn listed(&self, shelf: &Shelf, list: u64) {
        let mut kept = self.lock();
        if kept.states.get(shelf).is_none_or(|state| state.list != list) {
            kept.clear(shelf);
            let cleared = kept.clock;
            kept.states.insert(shelf.clone(), State { cleared, list });
            kept.forget();
        }
    }

    /// Another ticket for what is there.
    pub(super) fn renew(&self, shelf: &Shelf, name: &str, ticket: &str) {
        let mut kept = self.lock();
        if let Some(entry) = kept.take_down(shelf, name) {
            kept.put(shelf, Entry { ticket: Some(ticket.to_owned()), ..entry });
        }
    }

    /// Forgets all that stands on a shelf.
    pub(super) fn clear(&self, shelf: &Shelf) {
        self.lock().clear(shelf);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // No step of it leaves it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl Kept {
    fn take_down(&mut self, shelf: &Shelf, name: &str) -> Option<Entry> {
        let (entry, used) = self.shelves.get_mut(shelf)?.get_mut(name)?;
        self.clock += 1;
        if let Some(place) = self.uses.remove(used) {
            self.uses.insert(self.clock, place);
        }
        *used = self.clock;
        Some(entry.clone())
    }

    /// What is larger than all that may be kept is not.
    fn put(&mut self, shelf: &Shelf, entry: Entry) {
        let name: Box<str> = entry.description.name().into();
        self.remove(shelf, &name);
        let size = size(&entry);
        if self.count_max == 0 || size > self.bytes_max {
            return;
        }
        self.clock += 1;
        self.bytes += size;
        self.uses.insert(self.clock, (shelf.clone(), name.clone()));
        self.shelves.entry(shelf.clone()).or_default().insert(name, (entry, self.clock));
        while self.uses.len() > self.count_max || self.bytes > self.bytes_max {
            let Some((_, (shelf, name))) = self.uses.pop_first() else { return };
            self.remove(&shelf, &name);
        }
    }

    fn remove(&mut self, shelf: &Shelf, name: &str) {
        let Some(entries) = self.shelves.get_mut(shelf) else { return };
        if let Some((entry, used)) = entries.remove(name) {
            self.uses.remove(&used);
            self.bytes -= size(&entry);
        }
        if entries.is_empty() {
            self.shelves.remove(shelf);
        }
    }

    fn cleared(&self, shelf: &Shelf) -> u64 {
        self.states.get(shelf).map_or(self.forgotten, |state| state.cleared)
    }

    /// States of shelves that hold nothing are bounded like what is held.
    fn forget(&mut self) {
        if self.states.len() > self.count_max.saturating_mul(2) {
            self.states.retain(|shelf, _| self.shelves.contains_key(shelf));
            self.forgotten = self.clock;
        }
    }

    fn clear(&mut self, shelf: &Shelf) {
        self.clock += 1;
        match self.states.get_mut(shelf) {
            Some(state) => state.cleared = self.clock,
            None => self.forgotten = self.clock,
        }
        for (entry, used) in self.shelves.remove(shelf).into_iter().flat_map(HashMap::into_values) {
            self.uses.remove(&used);
            self.bytes -= size(&entry);
        }
    }
}

fn size(entry: &Entry) -> usize {
    let told = &entry.description;
    told.text().len() + told.name().len() + told.digest().len() + entry.ticket.as_ref().map_or(0, String::len)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn given(name: &str, text: &str) -> Given {
        Given::read(name, json!({ "description": text, "inputSchema": {} })).unwrap()
    }

    fn shelf(server: &str, principal: &str) -> Shelf {
        Shelf::new(server, &Owner::new(Some(principal.into())))
    }

    fn put(cache: &Cache, shelf: &Shelf, given: Given) {
        cache.put(shelf, &given.into(), cache.now());
    }

    #[test]
    fn what_was_asked_for_before_a_shelf_was_cleared_is_not_kept() {
        let (cache, shelf) = (Cache::new(), shelf("git", "alice"));
        for known in [false, true] {
            if known {
                cache.listed(&shelf, 1);
            }
            let asked = cache.now();
            cache.clear(&shelf);
            cache.put(&shelf, &given("log", "old").into(), asked);
            assert!(cache.get(&shelf, "log").is_none());
            put(&cache, &shelf, given("log", "new"));
            assert!(cache.get(&shelf, "log").is_some());
        }
    }

    #[test]
    fn another_list_clears_the_shelf_and_the_same_does_not() {
        let (cache, shelf) = (Cache::new(), shelf("git", "alice"));
        cache.listed(&shelf, 1);
        let asked = cache.now();
        put(&cache, &shelf, given("log", "a"));
        cache.listed(&shelf, 1);
        assert!(cache.get(&shelf, "log").is_some());
        cache.listed(&shelf, 2);
        assert!(cache.get(&shelf, "log").is_none());
        cache.put(&shelf, &given("log", "a").into(), asked);
        assert!(cache.get(&shelf, "log").is_none(), "it was asked for under the other list");
    }

    #[test]
    fn shelves_that_hold_nothing_are_forgotten() {
        let cache = Cache::bounded(4, 1 << 20);
        let kept = shelf("git", "kept");
        cache.listed(&kept, 1);
        put(&cache, &kept, given("log", "a"));
        for round in 0..50 {
            cache.listed(&shelf("git", &round.to_string()), 1);
        }
        assert!(cache.lock().states.len() <= 9);
        cache.listed(&kept, 1);
        assert!(cache.get(&kept, "log").is_some());
    }

    #[test]
    fn what_one_principal_was_given_no_other_finds() {
        let cache = Cache::new();
        put(&cache, &shelf("git", "alice"), given("log", "a"));
        assert!(cache.get(&shelf("git", "alice"), "log").is_some());
        assert!(cache.get(&shelf("git", "bob"), "log").is_none());
        assert!(cache.get(&shelf("svn", "alice"), "log").is_none());
        assert!(cache.get(&Shelf::new("git", &Owner::new(None)), "log").is_none());
    }

    #[test]
    fn a_client_without_a_principal_shares_with_nobody() {
        let cache = Cache::new();
        let [one, other] = [Owner::new(None), Owner::new(None)].map(|owner| Shelf::new("git", &owner));
        put(&cache, &one, given("log", "a"));
        assert!(cache.get(&one, "log").is_some());
        assert!(cache.get(&other, "log").is_none());
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let (cache, shelf) = (Cache::bounded(2, 1 << 20), shelf("git", "alice"));
        put(&cache, &shelf, given("a", "a"));
        put(&cache, &shelf, given("b", "b"));
        cache.get(&shelf, "a");
        put(&cache, &shelf, given("c", "c"));
        assert_eq!(cache.len(), 2);
        assert!(cache.get(&shelf, "b").is_none() && cache.get(&shelf, "a").is_some());
    }

    #[test]
    fn bytes_are_bounded_whatever_is_put_replaced_and_cleared() {
        let cache = Cache::bounded(1_000, 4_000);
        for round in 0..500_usize {
            let shelf = shelf("git", if round % 3 == 0 { "alice" } else { "bob" });
            put(&cache, &shelf, given(&format!("tool_{}", round % 40), &"x".repeat(round * 7 % 900)));
            if round % 50 == 0 {
                cache.clear(&shelf);
            }
            let kept = cache.lock();
            let entries = kept.shelves.values().flat_map(HashMap::values);
            assert_eq!(kept.bytes, entries.map(|(entry, _)| size(entry)).sum::<usize>());
            assert!(kept.bytes <= 4_000);
            assert_eq!(kept.uses.len(), kept.shelves.values().map(HashMap::len).sum::<usize>());
        }
        put(&cache, &shelf("git", "alice"), given("huge", &"x".repeat(5_000)));
        assert!(cache.get(&shelf("git", "alice"), "huge").is_none());
    }
}
