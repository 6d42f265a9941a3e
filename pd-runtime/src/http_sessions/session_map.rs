//! The sessions there are, by id and by whose they are.

use super::{Caps, error::NoRoom, opener::Opener, session::Session, unasked::Unasked};
use crate::policy::access::Person;

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};

/// All sessions of an endpoint.
#[derive(Debug)]
pub(super) struct Table {
    kept: RwLock<Kept>,
    max: usize,
    max_of_one: usize,
    max_of_address: usize,
    /// Whether somebody ends idle ones.
    pub(super) watched: std::sync::Once,
}

#[derive(Debug, Default)]
struct Kept {
    by_id: HashMap<Arc<str>, Arc<Session>>,
    /// Of those that are known: others cannot be told apart.
    by_person: HashMap<Person, Vec<Arc<Session>>>,
    /// How many sessions anonymous callers opened, by their networks.
    by_address: HashMap<[u8; 16], usize>,
    unasked: Unasked,
}

impl Table {
    pub(super) fn new(caps: &Caps) -> Self {
        Self {
            kept: RwLock::default(),
            max: caps.sessions,
            max_of_one: caps.of_one.max(1),
            max_of_address: caps.of_address.max(1),
            watched: std::sync::Once::new(),
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<Session>> {
        self.read().by_id.get(id).cloned()
    }

    /// Takes a session in, in place of the longest idle one of a person who has as many as one may have, or else, where
    /// there are as many sessions as there may be, of the oldest one in which nothing was asked.
    ///
    /// # Errors
    ///
    /// There is no place for it.
    pub(super) fn admit(&self, session: Arc<Session>) -> Result<Option<Arc<Session>>, NoRoom> {
        let mut kept = self.write();
        if kept.count_at(session.opener) >= self.max_of_address {
            return Err(NoRoom::Address(self.max_of_address));
        }
        let outlived = match kept.outlived_by(&session, self.max_of_one) {
            None if kept.by_id.len() >= self.max => Some(kept.take_unasked().ok_or(NoRoom::Full)?),
            outlived => outlived,
        };
        if let Some(outlived) = &outlived {
            kept.remove(outlived);
        }
        kept.insert(session);
        Ok(outlived)
    }

    /// Takes a session out if it is one of these.
    pub(super) fn remove_if(&self, id: &str, fits: impl Fn(&Session) -> bool) -> Option<Arc<Session>> {
        let mut kept = self.write();
        let session = kept.by_id.get(id).filter(|session| fits(session)).cloned()?;
        kept.remove(&session);
        Some(session)
    }

    /// Takes out what has been idle for so long.
    pub(super) fn remove_idle(&self, idle: Duration) -> Vec<Arc<Session>> {
        let is_idle = |session: &&Arc<Session>| session.is_idle_since(idle);
        let expired: Vec<_> = self.read().by_id.values().filter(is_idle).cloned().collect();
        // Looked at again: one may have been used since.
        expired.iter().filter_map(|session| self.remove_if(session.id(), |one| one.is_idle_since(idle))).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Kept> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn unasked(&self) -> usize {
        self.read().unasked.len()
    }

    /// How many there are, and of how many known people.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize) {
        let kept = self.read();
        (kept.by_id.len(), kept.by_person.len())
    }
}

impl Kept {
    fn outlived_by(&self, session: &Session, max_of_one: usize) -> Option<Arc<Session>> {
        let own = self.by_person.get(&session.opener.person()).filter(|own| own.len() >= max_of_one)?;
        own.iter().min_by_key(|session| session.idleness()).cloned()
    }

    /// How many sessions the address of an anonymous opener has; none, where the opener or its address is otherwise known.
    fn count_at(&self, opener: Opener) -> usize {
        match opener {
            Opener::Address(address) => self.by_address.get(&address).copied().unwrap_or_default(),
            Opener::Person(_) => 0,
        }
    }

    /// The oldest session in which nothing was asked. One that was taken out a moment ago may not have ended yet.
    fn take_unasked(&mut self) -> Option<Arc<Session>> {
        loop {
            let session = self.unasked.take()?;
            if self.by_id.get(session.id()).is_some_and(|known| Arc::ptr_eq(known, &session)) {
                return Some(session);
            }
        }
    }

    fn insert(&mut self, session: Arc<Session>) {
        match session.opener {
            Opener::Address(address) => *self.by_address.entry(address).or_default() += 1,
            Opener::Person(person @ Person::Known(_)) => {
                self.by_person.entry(person).or_default().push(session.clone());
            }
            Opener::Person(_) => {}
        }
        self.unasked.add(&session, self.by_id.len());
        self.by_id.insert(session.handle.id().clone(), session);
    }

    fn remove(&mut self, session: &Arc<Session>) {
        self.by_id.remove(session.id());
        match session.opener {
            Opener::Address(address) => self.remove_at(address),
            Opener::Person(person) => self.remove_of(person, session),
        }
    }

    fn remove_at(&mut self, address: [u8; 16]) {
        let Entry::Occupied(mut count) = self.by_address.entry(address) else { return };
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }

    fn remove_of(&mut self, person: Person, session: &Arc<Session>) {
        let Entry::Occupied(mut own) = self.by_person.entry(person) else { return };
        own.get_mut().retain(|one| !Arc::ptr_eq(one, session));
        if own.get().is_empty() {
            own.remove();
        }
    }
}
