//! The sessions of an endpoint, by id and by owner.

use super::{
    SessionLimits, error::SessionRefusal, opener::SessionOpener, session::HttpSession,
    unasked::UnaskedSessions,
};
use crate::policy::access::CallerIdentity;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
    time::Duration,
};

/// The sessions of an endpoint and their limits.
#[derive(Debug)]
pub(super) struct SessionMap {
    index: RwLock<SessionIndex>,
    max: usize,
    max_of_one: usize,
    max_of_address: usize,
    /// Set once the task that ends idle sessions has started.
    pub(super) watched: std::sync::Once,
}

#[derive(Debug, Default)]
struct SessionIndex {
    by_id: HashMap<Arc<str>, Arc<HttpSession>>,
    /// The sessions of known persons. Anonymous callers cannot be distinguished.
    by_person: HashMap<CallerIdentity, Vec<Arc<HttpSession>>>,
    /// The number of sessions that anonymous callers opened, by their network.
    by_address: HashMap<[u8; 16], usize>,
    unasked: UnaskedSessions,
}

impl SessionMap {
    pub(super) fn new(caps: &SessionLimits) -> Self {
        Self {
            index: RwLock::default(),
            max: caps.sessions,
            // A limit of 0 counts as 1: otherwise no anonymous caller could open a session at all.
            max_of_one: caps.of_one.max(1),
            max_of_address: caps.of_address.max(1),
            watched: std::sync::Once::new(),
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<HttpSession>> {
        self.read().by_id.get(id).cloned()
    }

    /// Adds a session. A person at the limit loses their longest idle session. Otherwise, at the
    /// limit of the endpoint, the oldest session without any request makes room. Returns the
    /// session that was removed.
    ///
    /// # Errors
    ///
    /// Returns an error if no session can make room.
    pub(super) fn admit(
        &self,
        session: Arc<HttpSession>,
    ) -> Result<Option<Arc<HttpSession>>, SessionRefusal> {
        let mut index = self.write();
        // Anonymous callers at one address are refused instead of evicting each other: they may be
        // different people.
        if index.count_at(session.opener) >= self.max_of_address {
            return Err(SessionRefusal::Address(self.max_of_address));
        }
        let evicted = match index.evicted_by(&session, self.max_of_one) {
            None if index.by_id.len() >= self.max => {
                Some(index.take_unasked().ok_or(SessionRefusal::Full)?)
            }
            evicted => evicted,
        };
        if let Some(evicted) = &evicted {
            index.remove(evicted);
        }
        index.insert(session);
        Ok(evicted)
    }

    /// Removes the session with this id if the predicate holds for it.
    pub(super) fn remove_if(
        &self,
        id: &str,
        fits: impl Fn(&HttpSession) -> bool,
    ) -> Option<Arc<HttpSession>> {
        let mut index = self.write();
        let session = index
            .by_id
            .get(id)
            .filter(|session| fits(session))
            .cloned()?;
        index.remove(&session);
        Some(session)
    }

    /// Removes and returns the sessions that have been idle for this long.
    pub(super) fn remove_idle(&self, idle: Duration) -> Vec<Arc<HttpSession>> {
        let expired: Vec<_> = self
            .read()
            .by_id
            .values()
            .filter(|session| session.is_idle_since(idle))
            .cloned()
            .collect();
        // Collected under the read lock, so that requests go on meanwhile. A session may have been
        // used since, so the write lock checks again.
        expired
            .iter()
            .filter_map(|session| self.remove_if(session.id(), |one| one.is_idle_since(idle)))
            .collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, SessionIndex> {
        self.index.read()
    }

    fn write(&self) -> RwLockWriteGuard<'_, SessionIndex> {
        self.index.write()
    }

    #[cfg(test)]
    pub(super) fn unasked(&self) -> usize {
        self.read().unasked.len()
    }

    /// Returns the number of sessions, and of known persons that own one.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize) {
        let index = self.read();
        (index.by_id.len(), index.by_person.len())
    }
}

impl SessionIndex {
    /// Returns the session that makes room for a new one of the same person, if that person is at
    /// the limit.
    fn evicted_by(&self, session: &HttpSession, max_of_one: usize) -> Option<Arc<HttpSession>> {
        let own = self
            .by_person
            .get(&session.opener.person())
            .filter(|own| own.len() >= max_of_one)?;
        own.iter().min_by_key(|session| session.idleness()).cloned()
    }

    /// Returns how many sessions the opener's address has, or 0 unless the opener is anonymous with
    /// a known address.
    fn count_at(&self, opener: SessionOpener) -> usize {
        match opener {
            SessionOpener::Address(address) => {
                self.by_address.get(&address).copied().unwrap_or_default()
            }
            SessionOpener::Person(_) => 0,
        }
    }

    /// Returns the oldest session without any request. Entries of sessions that were removed
    /// already are skipped.
    fn take_unasked(&mut self) -> Option<Arc<HttpSession>> {
        loop {
            let session = self.unasked.take()?;
            if self
                .by_id
                .get(session.id())
                .is_some_and(|known| Arc::ptr_eq(known, &session))
            {
                return Some(session);
            }
        }
    }

    fn insert(&mut self, session: Arc<HttpSession>) {
        match session.opener {
            SessionOpener::Address(address) => *self.by_address.entry(address).or_default() += 1,
            SessionOpener::Person(person @ CallerIdentity::Known(_)) => {
                self.by_person
                    .entry(person)
                    .or_default()
                    .push(session.clone());
            }
            SessionOpener::Person(_) => {}
        }
        self.unasked.add(&session, self.by_id.len());
        self.by_id.insert(session.handle.id().clone(), session);
    }

    fn remove(&mut self, session: &Arc<HttpSession>) {
        self.by_id.remove(session.id());
        match session.opener {
            SessionOpener::Address(address) => self.remove_at(address),
            SessionOpener::Person(person) => self.remove_of(person, session),
        }
    }

    fn remove_at(&mut self, address: [u8; 16]) {
        let Entry::Occupied(mut count) = self.by_address.entry(address) else {
            return;
        };
        // At least 1 before, because an entry goes with its last session.
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }

    fn remove_of(&mut self, person: CallerIdentity, session: &Arc<HttpSession>) {
        let Entry::Occupied(mut own) = self.by_person.entry(person) else {
            return;
        };
        own.get_mut().retain(|one| !Arc::ptr_eq(one, session));
        if own.get().is_empty() {
            own.remove();
        }
    }
}
