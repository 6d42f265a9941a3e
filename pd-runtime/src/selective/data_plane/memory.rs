//! Bodies in the process's memory.

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

/// Keeps bodies in memory, for one process: the default.
///
/// What has expired is dropped when its time comes, by a task that runs only while something is kept.
#[derive(Debug, Clone, Default)]
pub struct MemoryBodies(Arc<Mutex<Shelves>>);

#[derive(Debug, Default)]
struct Shelves {
    bodies: HashMap<BodyKey, Shelved>,
    /// When each is looked at next: its end, or that of a lease that outlives it.
    ends: BTreeSet<(Instant, BodyKey)>,
    used: Used,
    each: HashMap<[u8; 16], Used>,
    /// Whether a task drops what expires.
    is_swept: bool,
}

#[derive(Debug)]
struct Shelved {
    table: Arc<Table>,
    bytes: usize,
    payer: [u8; 16],
    /// When its time is over.
    until: Instant,
    /// When it is looked at next.
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
    fn has_room(&self, more: usize, bytes: usize, bodies: usize) -> bool {
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
    /// Whether it is this lease's, open or closed.
    fn is_held_by(&self, lease: Lease) -> bool {
        matches!(self.hold, Hold::Leased { id, .. } | Hold::Closed { id } if id == lease.id)
    }
}

impl Shelves {
    fn keep(&mut self, key: BodyKey, body: Body, now: Instant) -> Result<(), BodyStoreError> {
        self.drop_expired(now);
        if self.bodies.contains_key(&key) {
            return Ok(());
        }
        self.find_room(&body, body.room)?;
        self.used.add(body.bytes);
        self.each.entry(body.payer).or_default().add(body.bytes);
        let until = now.checked_add(body.life).unwrap_or(now + Duration::from_secs(365 * 24 * 60 * 60));
        self.ends.insert((until, key));
        let Body { table, bytes, payer, .. } = body;
        self.bodies.insert(key, Shelved { table, bytes, payer, until, end: until, hold: Hold::Free });
        Ok(())
    }

    fn find_room(&self, body: &Body, room: Room) -> Result<(), BodyStoreError> {
        if !self.used.has_room(body.bytes, room.bytes, room.bodies) {
            return Err(BodyStoreError::Full);
        }
        let own = self.each.get(&body.payer).copied().unwrap_or_default();
        if !own.has_room(body.bytes, room.bytes_each, room.bodies_each) {
            return Err(BodyStoreError::OwnShare);
        }
        Ok(())
    }

    fn take(&mut self, key: BodyKey, lease: Lease, now: Instant) -> Taken {
        let Some(body) = self.bodies.get_mut(&key) else { return Taken::Gone };
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
                // It was taken in time, and is being written.
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
    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        locked(&self.0)
    }

    /// Sees to it that what expires is dropped.
    fn sweep(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        if !std::mem::replace(&mut self.shelves().is_swept, true) {
            runtime.spawn(Sweeping { shelves: Arc::downgrade(&self.0), is_over: false }.run());
        }
    }
}

/// The task that drops what expires; when it ends, in whatever way, another one may begin.
struct Sweeping {
    shelves: Weak<Mutex<Shelves>>,
    is_over: bool,
}

impl Drop for Sweeping {
    fn drop(&mut self) {
        if let Some(shelves) = self.shelves.upgrade().filter(|_| !self.is_over) {
            locked(&shelves).is_swept = false;
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
        let shelves = self.shelves.upgrade()?;
        let mut shelves = locked(&shelves);
        shelves.drop_expired(Instant::now());
        let next = shelves.ends.first().map(|(end, _)| *end);
        // Said here, while nobody can keep another one that the task would not see.
        (shelves.is_swept, self.is_over) = (next.is_some(), next.is_none());
        next
    }
}

fn locked(shelves: &Mutex<Shelves>) -> MutexGuard<'_, Shelves> {
    shelves.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BodyStore for MemoryBodies {
    fn keep(&self, key: BodyKey, body: Body) -> BoxFuture<'_, Result<(), BodyStoreError>> {
        let kept = self.shelves().keep(key, body, Instant::now());
        self.sweep();
        ready(kept).boxed()
    }

    fn take(&self, key: BodyKey, lease: Lease) -> BoxFuture<'_, Result<Taken, BodyStoreError>> {
        ready(Ok(self.shelves().take(key, lease, Instant::now()))).boxed()
    }

    fn step(&self, key: BodyKey, lease: Lease, step: Step) -> BoxFuture<'_, Result<bool, BodyStoreError>> {
        ready(Ok(self.shelves().step(key, lease, step, Instant::now()))).boxed()
    }
}
