//! The sessions there are, by id and by whose they are.

use super::{refusal::Full, session::Session};
use crate::access::Person;
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
    /// Whether somebody ends idle ones.
    pub(super) watched: std::sync::Once,
}

#[derive(Debug, Default)]
struct Kept {
    by_id: HashMap<Arc<str>, Arc<Session>>,
    /// Of those that are known: others cannot be told apart.
    by_person: HashMap<Person, Vec<Arc<Session>>>,
}

impl Table {
    pub(super) fn new(max: usize, max_of_one: usize) -> Self {
        Self { kept: RwLock::default(), max, max_of_one: max_of_one.max(1), watched: std::sync::Once::new() }
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<Session>> {
        self.read().by_id.get(id).cloned()
    }

    /// Takes a session in, in place of the longest idle one of a person who has as many as one may have.
    ///
    /// # Errors
    ///
    /// There are as many sessions as there may be.
    pub(super) fn admit(&self, session: Arc<Session>) -> Result<Option<Arc<Session>>, Full> {
        let mut kept = self.write();
        let outlived = kept.outlived_by(&session, self.max_of_one);
        if outlived.is_none() && kept.by_id.len() >= self.max {
            return Err(Full);
        }
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

    /// How many there are, and of how many known people.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize) {
        let kept = self.read();
        (kept.by_id.len(), kept.by_person.len())
    }
}

impl Kept {
    fn outlived_by(&self, session: &Session, max_of_one: usize) -> Option<Arc<Session>> {
        let own = self.by_person.get(&session.owner).filter(|own| own.len() >= max_of_one)?;
        own.iter().min_by_key(|session| session.idleness()).cloned()
    }

    fn insert(&mut self, session: Arc<Session>) {
        if let Person::Known(_) = session.owner {
            self.by_person.entry(session.owner).or_default().push(session.clone());
        }
        self.by_id.insert(session.handle.id().clone(), session);
    }

    fn remove(&mut self, session: &Arc<Session>) {
        self.by_id.remove(session.id());
        let Entry::Occupied(mut own) = self.by_person.entry(session.owner) else { return };
        own.get_mut().retain(|one| !Arc::ptr_eq(one, session));
        if own.get().is_empty() {
            own.remove();
        }
    }
}
