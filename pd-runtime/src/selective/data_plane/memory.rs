//! A result store in the memory of one process.

use super::store::{
    Lease, LeaseAction, ResultKey, ResultStore, ResultStoreError, StoreQuota, StoredBody,
    StoredResult, TakeOutcome,
};
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use parking_lot::{Mutex, MutexGuard};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Weak},
};
use tokio::{
    runtime::Handle,
    time::{Duration, Instant, sleep_until},
};

/// Stores bodies in memory, for one process. This is the default store.
///
/// A task removes expired bodies. It runs only while the store has any.
#[derive(Debug, Clone, Default)]
pub struct MemoryResultStore(Arc<Mutex<MemoryResultTable>>);

#[derive(Debug, Default)]
struct MemoryResultTable {
    bodies: HashMap<ResultKey, MemoryResultEntry>,
    /// The next time at which each body is examined: its expiry, or the end of a lease that
    /// outlives it.
    ends: BTreeSet<(Instant, ResultKey)>,
    used: StoreUsage,
    each: HashMap<[u8; 16], StoreUsage>,
    /// Whether a task removes expired bodies.
    has_sweeper: bool,
}

#[derive(Debug)]
struct MemoryResultEntry {
    body: StoredBody,
    bytes: usize,
    payer: [u8; 16],
    /// The expiry of the body.
    until: Instant,
    /// The next time at which the body is examined. It is the body's key in `ends`.
    end: Instant,
    hold: LeaseState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeaseState {
    Free,
    Leased { id: [u8; 16], until: Instant },
    Closed { id: [u8; 16] },
}

#[derive(Debug, Default, Clone, Copy)]
struct StoreUsage {
    bytes: usize,
    bodies: usize,
}

impl StoreUsage {
    fn fits(&self, more: usize, bytes: usize, bodies: usize) -> bool {
        self.bytes.saturating_add(more) <= bytes && self.bodies < bodies
    }

    /// Checks a body against a quota, beside this usage in total and of its payer.
    fn check(self, own: Self, more: usize, room: StoreQuota) -> Result<(), ResultStoreError> {
        if !self.fits(more, room.bytes, room.bodies) {
            return Err(ResultStoreError::Full);
        }
        if !own.fits(more, room.bytes_each, room.bodies_each) {
            return Err(ResultStoreError::OwnShare);
        }
        Ok(())
    }

    fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.bodies += 1;
    }

    fn remove(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.bodies -= 1;
    }
}

impl MemoryResultEntry {
    /// Returns whether this lease holds the body, open or closed.
    fn is_held_by(&self, lease: Lease) -> bool {
        matches!(self.hold, LeaseState::Leased { id, .. } | LeaseState::Closed { id } if id == lease.id)
    }
}

impl MemoryResultTable {
    fn keep(
        &mut self,
        key: ResultKey,
        body: StoredResult,
        now: Instant,
    ) -> Result<(), ResultStoreError> {
        self.drop_expired(now);
        // The operation is idempotent: a second `keep` of the same key is a retry.
        if self.bodies.contains_key(&key) {
            return Ok(());
        }
        self.make_room(&body)?;
        self.used.add(body.bytes);
        self.each.entry(body.payer).or_default().add(body.bytes);
        let until = after(now, body.ttl);
        self.ends.insert((until, key));
        let StoredResult {
            body, bytes, payer, ..
        } = body;
        self.bodies.insert(
            key,
            MemoryResultEntry {
                body,
                bytes,
                payer,
                until,
                end: until,
                hold: LeaseState::Free,
            },
        );
        Ok(())
    }

    /// Makes room for a body, by removing the oldest texts of its payer if it is a text. Removes
    /// nothing if that would not suffice.
    fn make_room(&mut self, body: &StoredResult) -> Result<(), ResultStoreError> {
        let (mut all, mut own) = (
            self.used,
            self.each.get(&body.payer).copied().unwrap_or_default(),
        );
        let mut replaced = Vec::new();
        let is_text = matches!(body.body, StoredBody::Text(_));
        let mut texts = self.texts(body.payer).filter(|_| is_text);
        while let Err(refusal) = all.check(own, body.bytes, body.quota) {
            let Some((key, bytes)) = texts.next() else {
                return Err(refusal);
            };
            all.remove(bytes);
            own.remove(bytes);
            replaced.push(key);
        }
        drop(texts);
        replaced.into_iter().for_each(|key| self.remove(key));
        Ok(())
    }

    /// Returns the keys and sizes of a payer's texts, those first that were read longest ago.
    fn texts(&self, payer: [u8; 16]) -> impl Iterator<Item = (ResultKey, usize)> {
        // Texts have no leases, so they end in the order in which they were read.
        self.ends.iter().filter_map(move |(_, key)| {
            let body = self.bodies.get(key)?;
            let is_own_text = body.payer == payer && matches!(body.body, StoredBody::Text(_));
            is_own_text.then_some((*key, body.bytes))
        })
    }

    fn read(&mut self, key: ResultKey, ttl: Duration, now: Instant) -> Option<Arc<str>> {
        let body = self.bodies.get_mut(&key).filter(|body| body.until > now)?;
        let StoredBody::Text(text) = &body.body else {
            return None;
        };
        let text = text.clone();
        self.ends.remove(&(body.end, key));
        body.until = after(now, ttl);
        body.end = body.until;
        self.ends.insert((body.end, key));
        Some(text)
    }

    fn take(&mut self, key: ResultKey, lease: Lease, now: Instant) -> TakeOutcome {
        let Some(body) = self.bodies.get_mut(&key) else {
            return TakeOutcome::Gone;
        };
        let StoredBody::Rows(table) = &body.body else {
            return TakeOutcome::Gone;
        };
        // Another lease is checked before the expiry, because a lease may outlive the body. A retry
        // by the same lease succeeds.
        match body.hold {
            LeaseState::Closed { .. } => return TakeOutcome::Gone,
            LeaseState::Leased { id, until } if id != lease.id && until > now => {
                return TakeOutcome::Busy;
            }
            _ if body.until <= now => return TakeOutcome::Gone,
            _ => {
                body.hold = LeaseState::Leased {
                    id: lease.id,
                    until: now + lease.ttl,
                }
            }
        }
        // The store keeps the body until the lease is settled, in case the reader fails.
        TakeOutcome::Yes(table.clone())
    }

    fn step(&mut self, key: ResultKey, lease: Lease, step: LeaseAction, now: Instant) -> bool {
        let Some(body) = self
            .bodies
            .get_mut(&key)
            .filter(|body| body.is_held_by(lease))
        else {
            return false;
        };
        match (step, body.hold) {
            // A slow reader may exceed the body's expiry, but only by `Lease::BEYOND`.
            (LeaseAction::Renew, LeaseState::Leased { .. }) if now < body.until + Lease::BEYOND => {
                body.hold = LeaseState::Leased {
                    id: lease.id,
                    until: now + lease.ttl,
                };
            }
            (LeaseAction::Renew, _) => return false,
            (LeaseAction::Close, _) => body.hold = LeaseState::Closed { id: lease.id },
            (LeaseAction::GiveBack, _) => body.hold = LeaseState::Free,
            (LeaseAction::Forget, _) => self.remove(key),
        }
        true
    }

    fn remove(&mut self, key: ResultKey) {
        let Some(body) = self.bodies.remove(&key) else {
            return;
        };
        self.ends.remove(&(body.end, key));
        self.used.remove(body.bytes);
        if let Some(own) = self.each.get_mut(&body.payer) {
            own.remove(body.bytes);
            // Otherwise each address that ever stored rows would keep an entry.
            if own.bodies == 0 {
                self.each.remove(&body.payer);
            }
        }
    }

    fn drop_expired(&mut self, now: Instant) {
        while let Some((end, key)) = self.ends.first().copied().filter(|(end, _)| *end <= now) {
            let Some(body) = self.bodies.get_mut(&key) else {
                return;
            };
            match body.hold {
                // The body was taken in time and is still being written, so it is examined again
                // when the lease ends.
                LeaseState::Leased { until, .. } if until > now => {
                    body.end = until;
                    self.ends.remove(&(end, key));
                    self.ends.insert((until, key));
                }
                _ => self.remove(key),
            }
        }
    }
}

impl MemoryResultStore {
    fn table(&self) -> MutexGuard<'_, MemoryResultTable> {
        lock(&self.0)
    }

    /// Starts the task that removes expired bodies, unless it runs.
    fn sweep(&self) {
        // Without a runtime no task can run, and the next `keep` removes expired bodies.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if !std::mem::replace(&mut self.table().has_sweeper, true) {
            runtime.spawn(
                ExpirySweep {
                    table: Arc::downgrade(&self.0),
                    is_over: false,
                }
                .run(),
            );
        }
    }
}

/// The task that removes expired bodies. However it ends, the drop handler allows a new task to
/// start.
struct ExpirySweep {
    table: Weak<Mutex<MemoryResultTable>>,
    is_over: bool,
}

impl Drop for ExpirySweep {
    fn drop(&mut self) {
        // After an orderly end the flag may already belong to a newer task.
        if let Some(table) = self.table.upgrade().filter(|_| !self.is_over) {
            lock(&table).has_sweeper = false;
        }
    }
}

impl ExpirySweep {
    async fn run(mut self) {
        while let Some(next) = self.next_end() {
            sleep_until(next).await;
        }
    }

    fn next_end(&mut self) -> Option<Instant> {
        // A weak reference, so that the task does not keep a dropped store alive.
        let table = self.table.upgrade()?;
        let mut table = lock(&table);
        table.drop_expired(Instant::now());
        let next = table.ends.first().map(|(end, _)| *end);
        // Both flags change under the lock. Otherwise, a body stored between this check and the
        // task's end would never be removed.
        (table.has_sweeper, self.is_over) = (next.is_some(), next.is_none());
        next
    }
}

/// Returns the time so long after now. One beyond the clock's range is cut to a year.
fn after(now: Instant, ttl: Duration) -> Instant {
    now.checked_add(ttl)
        .unwrap_or(now + Duration::from_secs(365 * 24 * 60 * 60))
}

fn lock(table: &Mutex<MemoryResultTable>) -> MutexGuard<'_, MemoryResultTable> {
    table.lock()
}

impl ResultStore for MemoryResultStore {
    fn keep(
        &self,
        key: ResultKey,
        body: StoredResult,
    ) -> BoxFuture<'_, Result<(), ResultStoreError>> {
        let kept = self.table().keep(key, body, Instant::now());
        // After the guard is dropped, because `sweep` takes the same lock.
        self.sweep();
        ready(kept).boxed()
    }

    fn read(
        &self,
        key: ResultKey,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Option<Arc<str>>, ResultStoreError>> {
        ready(Ok(self.table().read(key, ttl, Instant::now()))).boxed()
    }

    fn take(
        &self,
        key: ResultKey,
        lease: Lease,
    ) -> BoxFuture<'_, Result<TakeOutcome, ResultStoreError>> {
        ready(Ok(self.table().take(key, lease, Instant::now()))).boxed()
    }

    fn step(
        &self,
        key: ResultKey,
        lease: Lease,
        step: LeaseAction,
    ) -> BoxFuture<'_, Result<bool, ResultStoreError>> {
        ready(Ok(self.table().step(key, lease, step, Instant::now()))).boxed()
    }
}
