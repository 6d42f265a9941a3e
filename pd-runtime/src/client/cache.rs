//! The cache of fetched descriptions, keyed by server, principal and tool name, and bounded by
//! count and bytes.

use super::{
    cache_scope::CacheScope,
    description::{Description, FetchedDescription},
};
use parking_lot::{Mutex, MutexGuard};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
};

/// A cache of fetched descriptions, for one client or shared by several.
///
/// An entry belongs to a server's name and a principal
/// ([`ClientBuilder::principal`](super::ClientBuilder::principal)), and is never shown to another
/// principal. If a client has no principal, its entries belong to that client alone. Share a cache
/// only among clients that use the same names for the same servers.
///
/// A client clears a server's entries when the server reports a change of its tools, or when a
/// fetched list differs from the list that the entries were fetched under. A change that no client
/// was notified of, and that no list shows, is noticed when the server refuses a call because of
/// it.
///
/// By default the cache holds up to 1,024 descriptions and 4 MiB of text. The least recently used
/// descriptions are evicted first.
#[derive(Clone)]
pub struct Cache(Arc<Mutex<CacheInner>>);

/// The part of the cache that holds one owner's descriptions from one server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CachePartition {
    server: Arc<str>,
    owner: CacheScope,
}

impl CachePartition {
    pub(super) fn new(server: &str, owner: &CacheScope) -> Self {
        Self {
            server: server.into(),
            owner: owner.clone(),
        }
    }
}

/// A cached description and the ticket that came with it.
#[derive(Debug, Clone)]
pub(super) struct CacheEntry {
    pub(super) description: Arc<Description>,
    pub(super) ticket: Option<String>,
}

impl From<FetchedDescription> for CacheEntry {
    fn from(fetched: FetchedDescription) -> Self {
        Self {
            description: Arc::new(fetched.description),
            ticket: fetched.ticket,
        }
    }
}

#[derive(Debug)]
struct CacheInner {
    partitions: HashMap<CachePartition, HashMap<Box<str>, (CacheEntry, u64)>>,
    /// The last use of each entry, ordered from the least to the most recently used.
    uses: BTreeMap<u64, (CachePartition, Box<str>)>,
    /// When each partition was last cleared, and the list that it belongs to.
    states: HashMap<CachePartition, PartitionState>,
    /// When the states of unused partitions were last dropped. A request that started earlier may
    /// belong to any of them, so its result is not cached.
    forgotten: u64,
    clock: u64,
    bytes: usize,
    count_max: usize,
    bytes_max: usize,
}

#[derive(Debug)]
struct PartitionState {
    cleared: u64,
    list: u64,
}

/// A point in the cache's logical time. A request that starts at a moment is newer than every
/// clearing before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheInstant(u64);

impl Cache {
    /// Creates a cache with the default bounds.
    pub fn new() -> Self {
        Self::bounded(1_024, 4 << 20)
    }

    /// Creates a cache of at most `count` descriptions and `bytes` bytes of text.
    pub fn bounded(count: usize, bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(CacheInner {
            partitions: HashMap::new(),
            uses: BTreeMap::new(),
            states: HashMap::new(),
            forgotten: 0,
            clock: 0,
            bytes: 0,
            count_max: count,
            bytes_max: bytes,
        })))
    }

    /// Returns the number of cached descriptions.
    pub fn len(&self) -> usize {
        self.lock().uses.len()
    }

    /// Returns whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn get(&self, partition: &CachePartition, name: &str) -> Option<CacheEntry> {
        self.lock().touch(partition, name)
    }

    /// Returns the current moment, to be taken before a request is sent.
    pub(super) fn now(&self) -> CacheInstant {
        CacheInstant(self.lock().clock)
    }

    /// Caches the result of a request that began at `start`. If the partition was cleared since
    /// then, the result may be older than the change that cleared it, and is not cached.
    pub(super) fn put(&self, partition: &CachePartition, entry: &CacheEntry, start: CacheInstant) {
        let mut inner = self.lock();
        if inner.last_cleared(partition) <= start.0 {
            inner.put(partition, entry.clone());
        }
    }

    /// Sets the list that the partition's server has now, and clears what was fetched under another
    /// list.
    pub(super) fn set_list(&self, partition: &CachePartition, list: u64) {
        let mut inner = self.lock();
        if inner
            .states
            .get(partition)
            .is_none_or(|state| state.list != list)
        {
            inner.clear(partition);
            // After the clearing, so that the state records its moment.
            let cleared = inner.clock;
            inner
                .states
                .insert(partition.clone(), PartitionState { cleared, list });
            inner.forget_unused_states();
        }
    }

    /// Replaces the ticket of a cached description.
    pub(super) fn renew(&self, partition: &CachePartition, name: &str, ticket: &str) {
        let mut inner = self.lock();
        if let Some(entry) = inner.touch(partition, name) {
            inner.put(
                partition,
                CacheEntry {
                    ticket: Some(ticket.to_owned()),
                    ..entry
                },
            );
        }
    }

    /// Removes all entries of a partition.
    pub(super) fn clear(&self, partition: &CachePartition) {
        self.lock().clear(partition);
    }

    fn lock(&self) -> MutexGuard<'_, CacheInner> {
        self.0.lock()
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl CacheInner {
    fn touch(&mut self, partition: &CachePartition, name: &str) -> Option<CacheEntry> {
        let (entry, used) = self.partitions.get_mut(partition)?.get_mut(name)?;
        self.clock += 1;
        // A logical clock orders the uses. Unlike `Instant`, it has no equal values, so it can be a
        // map key.
        if let Some(use_key) = self.uses.remove(used) {
            self.uses.insert(self.clock, use_key);
        }
        *used = self.clock;
        Some(entry.clone())
    }

    /// Inserts an entry and evicts others until the bounds hold. An entry larger than the whole
    /// cache is not inserted.
    fn put(&mut self, partition: &CachePartition, entry: CacheEntry) {
        let name: Box<str> = entry.description.name().into();
        self.remove(partition, &name);
        let size = size(&entry);
        if self.count_max == 0 || size > self.bytes_max {
            return;
        }
        self.clock += 1;
        self.bytes += size;
        self.uses
            .insert(self.clock, (partition.clone(), name.clone()));
        self.partitions
            .entry(partition.clone())
            .or_default()
            .insert(name, (entry, self.clock));
        // The new entry has the highest clock value, so it is evicted last: it fits by itself, as
        // checked above.
        while self.uses.len() > self.count_max || self.bytes > self.bytes_max {
            let Some((_, (partition, name))) = self.uses.pop_first() else {
                return;
            };
            self.remove(&partition, &name);
        }
    }

    fn remove(&mut self, partition: &CachePartition, name: &str) {
        let Some(entries) = self.partitions.get_mut(partition) else {
            return;
        };
        if let Some((entry, used)) = entries.remove(name) {
            self.uses.remove(&used);
            self.bytes -= size(&entry);
        }
        if entries.is_empty() {
            self.partitions.remove(partition);
        }
    }

    fn last_cleared(&self, partition: &CachePartition) -> u64 {
        self.states
            .get(partition)
            .map_or(self.forgotten, |state| state.cleared)
    }

    /// Drops the states of empty partitions once they outnumber the entries that the cache may hold
    /// twice. Without this bound, every server and principal ever seen would leave a state behind.
    fn forget_unused_states(&mut self) {
        if self.states.len() > self.count_max.saturating_mul(2) {
            self.states
                .retain(|partition, _| self.partitions.contains_key(partition));
            self.forgotten = self.clock;
        }
    }

    fn clear(&mut self, partition: &CachePartition) {
        self.clock += 1;
        match self.states.get_mut(partition) {
            Some(state) => state.cleared = self.clock,
            // No other place records the clearing. Results for all partitions without a state,
            // which began before, are then not cached.
            None => self.forgotten = self.clock,
        }
        for (entry, used) in self
            .partitions
            .remove(partition)
            .into_iter()
            .flat_map(HashMap::into_values)
        {
            self.uses.remove(&used);
            self.bytes -= size(&entry);
        }
    }
}

fn size(entry: &CacheEntry) -> usize {
    let description = &entry.description;
    description.text().len()
        + description.name().len()
        + description.digest().len()
        + entry.ticket.as_ref().map_or(0, String::len)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn fetched(name: &str, text: &str) -> FetchedDescription {
        FetchedDescription::parse(name, json!({ "description": text, "inputSchema": {} })).unwrap()
    }

    fn partition(server: &str, principal: &str) -> CachePartition {
        CachePartition::new(server, &CacheScope::new(Some(principal.into())))
    }

    fn put(cache: &Cache, partition: &CachePartition, fetched: FetchedDescription) {
        cache.put(partition, &fetched.into(), cache.now());
    }

    #[test]
    fn what_was_asked_for_before_a_shelf_was_cleared_is_not_kept() {
        let cache = Cache::new();
        let partition = partition("git", "alice");
        for known in [false, true] {
            if known {
                cache.set_list(&partition, 1);
            }
            let start = cache.now();
            cache.clear(&partition);
            cache.put(&partition, &fetched("log", "old").into(), start);
            assert!(cache.get(&partition, "log").is_none());
            put(&cache, &partition, fetched("log", "new"));
            assert!(cache.get(&partition, "log").is_some());
        }
    }

    #[test]
    fn another_list_clears_the_shelf_and_the_same_does_not() {
        let cache = Cache::new();
        let partition = partition("git", "alice");
        cache.set_list(&partition, 1);
        let start = cache.now();
        put(&cache, &partition, fetched("log", "a"));
        cache.set_list(&partition, 1);
        assert!(cache.get(&partition, "log").is_some());
        cache.set_list(&partition, 2);
        assert!(cache.get(&partition, "log").is_none());
        cache.put(&partition, &fetched("log", "a").into(), start);
        assert!(
            cache.get(&partition, "log").is_none(),
            "it was asked for under the other list"
        );
    }

    #[test]
    fn shelves_that_hold_nothing_are_forgotten() {
        let cache = Cache::bounded(4, 1 << 20);
        let used = partition("git", "kept");
        cache.set_list(&used, 1);
        put(&cache, &used, fetched("log", "a"));
        for round in 0..50 {
            cache.set_list(&partition("git", &round.to_string()), 1);
        }
        assert!(cache.lock().states.len() <= 9);
        cache.set_list(&used, 1);
        assert!(cache.get(&used, "log").is_some());
    }

    #[test]
    fn what_one_principal_was_given_no_other_finds() {
        let cache = Cache::new();
        put(&cache, &partition("git", "alice"), fetched("log", "a"));
        assert!(cache.get(&partition("git", "alice"), "log").is_some());
        assert!(cache.get(&partition("git", "bob"), "log").is_none());
        assert!(cache.get(&partition("svn", "alice"), "log").is_none());
        assert!(
            cache
                .get(&CachePartition::new("git", &CacheScope::new(None)), "log")
                .is_none()
        );
    }

    #[test]
    fn a_client_without_a_principal_shares_with_nobody() {
        let cache = Cache::new();
        let [one, other] = [CacheScope::new(None), CacheScope::new(None)]
            .map(|owner| CachePartition::new("git", &owner));
        put(&cache, &one, fetched("log", "a"));
        assert!(cache.get(&one, "log").is_some());
        assert!(cache.get(&other, "log").is_none());
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let cache = Cache::bounded(2, 1 << 20);
        let partition = partition("git", "alice");
        put(&cache, &partition, fetched("a", "a"));
        put(&cache, &partition, fetched("b", "b"));
        cache.get(&partition, "a");
        put(&cache, &partition, fetched("c", "c"));
        assert_eq!(cache.len(), 2);
        assert!(cache.get(&partition, "b").is_none() && cache.get(&partition, "a").is_some());
    }

    #[test]
    fn bytes_are_bounded_whatever_is_put_replaced_and_cleared() {
        let cache = Cache::bounded(1_000, 4_000);
        for round in 0..500_usize {
            let partition = partition("git", if round % 3 == 0 { "alice" } else { "bob" });
            put(
                &cache,
                &partition,
                fetched(
                    &format!("tool_{}", round % 40),
                    &"x".repeat(round * 7 % 900),
                ),
            );
            if round % 50 == 0 {
                cache.clear(&partition);
            }
            let inner = cache.lock();
            let entries = inner.partitions.values().flat_map(HashMap::values);
            assert_eq!(
                inner.bytes,
                entries.map(|(entry, _)| size(entry)).sum::<usize>()
            );
            assert!(inner.bytes <= 4_000);
            assert_eq!(
                inner.uses.len(),
                inner.partitions.values().map(HashMap::len).sum::<usize>()
            );
        }
        put(
            &cache,
            &partition("git", "alice"),
            fetched("huge", &"x".repeat(5_000)),
        );
        assert!(cache.get(&partition("git", "alice"), "huge").is_none());
    }
}
