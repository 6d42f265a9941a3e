//! A row store in the memory of one process.

use super::store::{Body, BodyKey, BodyStore, BodyStoreError, Lease, Room, Step, Taken};
use crate::selective::table::Table;
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use tokio::{
    runtime::Handle,
    time::{Duration, Instant, sleep_until},
};

/// Stores bodies in memory, for one process. This is the default store.
///
/// A task removes expired bodies. It runs only while the store has any.
#[derive(Debug, Clone, Default)]
pub struct MemoryBodies(Arc<Mutex<Shelves>>);

#[derive(Debug, Default)]
struct Shelves {
    bodies: HashMap<BodyKey, Shelved>,
    /// The next time at which each body is examined: its expiry, or the end of a lease that
    /// outlives it.
    ends: BTreeSet<(Instant, BodyKey)>,
    used: Used,
    each: HashMap<[u8; 16], Used>,
    /// Whether a task removes expired bodies.
    has_sweeper: bool,
}

#[derive(Debug)]
struct Shelved {
    table: Arc<Table>,
    bytes: usize,
    payer: [u8; 16],
    /// The expiry of the body.
    until: Instant,
    /// The next time at which the body is examined. It is the body's key in `ends`.
    end: Instant,
    hold: Hold,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    Free,
    Leased { id: [u8; 16], until: Instant },
    Closed { id: [u8; 16] },
}

#[derive(Debug, Default, Clone, Copy)]
struct Used {
    bytes: usize,
    bodies: usize,
}

impl Used {
    fn fits(&self, more: usize, bytes: usize, bodies: usize) -> bool {
        self.bytes.saturating_add(more) <= bytes && self.bodies < bodies
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

impl Shelved {
    /// Returns whether this lease holds the body, open or closed.
    fn is_held_by(&self, lease: Lease) -> bool {
        matches!(self.hold, Hold::Leased { id, .. } | Hold::Closed { id } if id == lease.id)
    }
}

impl Shelves {
    fn keep(&mut self, key: BodyKey, body: Body, now: Instant) -> Result<(), BodyStoreError> {
        self.drop_expired(now);
        // The operation is idempotent: a second `keep` of the same key is a retry.
        if self.bodies.contains_key(&key) {
            return Ok(());
        }
        self.check_quota(&body, body.room)?;
        self.used.add(body.bytes);
        self.each.entry(body.payer).or_default().add(body.bytes);
        // An expiry beyond the clock's range is cut to a year.
        let until = now.checked_add(body.life).unwrap_or(now + Duration::from_secs(365 * 24 * 60 * 60));
        self.ends.insert((until, key));
        let Body { table, bytes, payer, .. } = body;
        self.bodies.insert(key, Shelved { table, bytes, payer, until, end: until, hold: Hold::Free });
        Ok(())
    }

    fn check_quota(&self, body: &Body, room: Room) -> Result<(), BodyStoreError> {
        if !self.used.fits(body.bytes, room.bytes, room.bodies) {
            return Err(BodyStoreError::Full);
        }
        let own = self.each.get(&body.payer).copied().unwrap_or_default();
        if !own.fits(body.bytes, room.bytes_each, room.bodies_each) {
            return Err(BodyStoreError::OwnShare);
        }
        Ok(())
    }

    fn take(&mut self, key: BodyKey, lease: Lease, now: Instant) -> Taken {
        let Some(body) = self.bodies.get_mut(&key) else { return Taken::Gone };
        // Another lease is checked before the expiry, because a lease may outlive the body. A retry
        // by the same lease succeeds.
        match body.hold {
            Hold::Closed { .. } => return Taken::Gone,
            Hold::Leased { id, until } if id != lease.id && until > now => return Taken::Busy,
            _ if body.until <= now => return Taken::Gone,
            _ => body.hold = Hold::Leased { id: lease.id, until: now + lease.life },
        }
        Taken::Yes(body.table.clone())
    }

    fn step(&mut self, key: BodyKey, lease: Lease, step: Step, now: Instant) -> bool {
        let Some(body) = self.bodies.get_mut(&key).filter(|body| body.is_held_by(lease)) else { return false };
        match (step, body.hold) {
            // A slow reader may exceed the body's expiry, but only by `Lease::BEYOND`.
            (Step::Renew, Hold::Leased { .. }) if now < body.until + Lease::BEYOND => {
                body.hold = Hold::Leased { id: lease.id, until: now + lease.life };
            }
            (Step::Renew, _) => return false,
            (Step::Close, _) => body.hold = Hold::Closed { id: lease.id },
            (Step::GiveBack, _) => body.hold = Hold::Free,
            (Step::Forget, _) => self.remove(key),
        }
        true
    }

    fn remove(&mut self, key: BodyKey) {
        let Some(body) = self.bodies.remove(&key) else { return };
        self.ends.remove(&(body.end, key));
        self.used.remove(body.bytes);
        if let Some(own) = self.each.get_mut(&body.payer) {
            own.remove(body.bytes);
            if own.bodies == 0 {
                self.each.remove(&body.payer);
            }
        }
    }

    fn drop_expired(&mut self, now: Instant) {
        while let Some((end, key)) = self.ends.first().copied().filter(|(end, _)| *end <= now) {
            let Some(body) = self.bodies.get_mut(&key) else { return };
            match body.hold {
                // The body was taken in time and is still being written, so it is examined again
                // when the lease ends.
                Hold::Leased { until, .. } if until > now => {
                    body.end = until;
                    self.ends.remove(&(end, key));
                    self.ends.insert((until, key));
                }
                _ => self.remove(key),
            }
        }
    }
}

impl MemoryBodies {
    fn table(&self) -> MutexGuard<'_, Shelves> {
        lock(&self.0)
    }

    /// Starts the task that removes expired bodies, unless it runs.
    fn sweep(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        if !std::mem::replace(&mut self.table().has_sweeper, true) {
            runtime.spawn(Sweeping { table: Arc::downgrade(&self.0), is_over: false }.run());
        }
    }
}

/// The task that removes expired bodies. However it ends, the drop handler allows a new task to
/// start.
struct Sweeping {
    table: Weak<Mutex<Shelves>>,
    is_over: bool,
}

impl Drop for Sweeping {
    fn drop(&mut self) {
        if let Some(table) = self.table.upgrade().filter(|_| !self.is_over) {
            lock(&table).has_sweeper = false;
        }
    }
}

impl Sweeping {
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

fn lock(table: &Mutex<Shelves>) -> MutexGuard<'_, Shelves> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BodyStore for MemoryBodies {
    fn keep(&self, key: BodyKey, body: Body) -> BoxFuture<'_, Result<(), BodyStoreError>> {
        let kept = self.table().keep(key, body, Instant::now());
        self.sweep();
        ready(kept).boxed()
    }

    fn take(&self, key: BodyKey, lease: Lease) -> BoxFuture<'_, Result<Taken, BodyStoreError>> {
        ready(Ok(self.table().take(key, lease, Instant::now()))).boxed()
    }

    fn step(&self, key: BodyKey, lease: Lease, step: Step) -> BoxFuture<'_, Result<bool, BodyStoreError>> {
        ready(Ok(self.table().step(key, lease, step, Instant::now()))).boxed()
    }
}
