//! Who is told when a list changes: the clients that have sessions. `subscriptions/listen` (MCP 2026-07-28) is `server`'s.
//!
//! A client is notified only if the tools that it sees changed: otherwise it would learn of changes to hidden tools.

use crate::{catalog::Catalogue, policy::access::Authority, protocol::negotiated::Terms};
use rmcp::{
    RoleServer,
    model::{CustomNotification, ServerNotification},
    service::Peer,
};
use serde_json::json;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::runtime::Handle;

/// The notifications that a client's wires have for a change of the catalogue, beside `tools/list_changed`.
pub(crate) type Notifications = fn(Terms) -> Vec<&'static str>;

/// All who hear of changes. Hearing costs no task while nothing changes: there may be very many.
pub(crate) struct Hub {
    seats: Mutex<Seats>,
    notifications: Notifications,
}

#[derive(Default)]
struct Seats {
    taken: HashMap<u64, Arc<Ear>>,
    next: u64,
}

/// One that hears.
struct Ear {
    peer: Peer<RoleServer>,
    /// Where it is told: what changes a catalogue may be no task.
    runtime: Handle,
    terms: Terms,
    telling: Mutex<Telling>,
    notifications: Notifications,
    list: Mutex<List>,
}

/// The tools that a client sees: whose they are, and their edition when the client last heard of them.
#[derive(Debug)]
pub(crate) struct List {
    authority: Authority,
    edition: u64,
}

impl List {
    pub(crate) fn new(authority: Authority, catalogue: &Catalogue) -> Self {
        Self { edition: catalogue.edition(&authority), authority }
    }

    /// Takes over the edition of this catalogue; returns whether it is another one.
    pub(crate) fn update(&mut self, catalogue: &Catalogue) -> bool {
        let edition = catalogue.edition(&self.authority);
        std::mem::replace(&mut self.edition, edition) != edition
    }
}

/// A client that does not read holds up nobody else, and changes that it slept through reach it as one.
enum Telling {
    Idle,
    Busy,
    /// Something changed again while it was being told.
    Again(Change),
}

/// What changed.
#[derive(Default)]
struct Change {
    /// The client's own list changed, though the catalogue did not.
    list: bool,
    /// The server's author announces a change that no comparison shows.
    is_announced: bool,
    /// The catalogue, to this one. Whoever sleeps through changes holds the latest.
    catalogue: Option<Arc<Catalogue>>,
}

impl Change {
    /// Both as one.
    fn and(self, later: Self) -> Self {
        Self {
            list: self.list || later.list,
            is_announced: self.is_announced || later.is_announced,
            catalogue: later.catalogue.or(self.catalogue),
        }
    }
}

/// A session's place among those that hear; it is given up when it is dropped.
pub(crate) struct Seat {
    hub: Arc<Hub>,
    number: u64,
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seat({})", self.number)
    }
}

impl Hub {
    pub(crate) fn new(notifications: Notifications) -> Arc<Self> {
        Arc::new(Self { seats: Mutex::default(), notifications })
    }

    /// A place for this client, whose wires ask this and who sees this list. To be called in a task.
    pub(crate) fn seat(self: &Arc<Self>, peer: Peer<RoleServer>, terms: Terms, list: List) -> Seat {
        let (runtime, telling, list) = (Handle::current(), Mutex::new(Telling::Idle), Mutex::new(list));
        let ear = Arc::new(Ear { peer, runtime, terms, telling, notifications: self.notifications, list });
        let mut seats = self.seats();
        let number = seats.next;
        seats.next += 1;
        seats.taken.insert(number, ear);
        Seat { hub: self.clone(), number }
    }

    /// Notifies all clients that see a change between the catalogue before and this one; if it is announced, all clients.
    pub(crate) fn tell(&self, catalogue: &Arc<Catalogue>, is_announced: bool) {
        let change = || Change { list: false, is_announced, catalogue: Some(catalogue.clone()) };
        self.seats().taken.values().for_each(|ear| ear.hear(change()));
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Tells this client that its own list changed.
    pub(crate) fn tell(&self) {
        if let Some(ear) = self.hub.seats().taken.get(&self.number) {
            ear.hear(Change { list: true, ..Change::default() });
        }
    }

    /// Compares with this authority's list from now on: a client may come with another token, and then asks for its list.
    pub(crate) fn follow(&self, authority: &Authority, catalogue: &Catalogue) {
        let ear = self.hub.seats().taken.get(&self.number).cloned();
        if let Some(ear) = ear {
            let mut list = ear.list();
            if list.authority != *authority {
                *list = List::new(authority.clone(), catalogue);
            }
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let left = self.hub.seats().taken.remove(&self.number);
        // Outside the lock: it takes the peer along.
        drop(left);
    }
}

impl Ear {
    fn hear(self: &Arc<Self>, change: Change) {
        let mut telling = self.telling();
        let next = match std::mem::replace(&mut *telling, Telling::Busy) {
            Telling::Idle => {
                self.runtime.spawn(self.clone().tell(change));
                Telling::Busy
            }
            Telling::Busy => Telling::Again(change),
            Telling::Again(known) => Telling::Again(known.and(change)),
        };
        *telling = next;
    }

    async fn tell(self: Arc<Self>, first: Change) {
        let mut change = Some(first);
        while let Some(now) = change {
            self.notify(now).await;
            change = self.rest();
        }
    }

    async fn notify(&self, change: Change) {
        let differs = change.catalogue.is_some_and(|catalogue| self.list().update(&catalogue));
        let sees_change = differs || change.is_announced;
        if !sees_change && !change.list {
            return;
        }
        // A peer that went away gives up its seat.
        let _ = self.peer.notify_tool_list_changed().await;
        let also = if sees_change { (self.notifications)(self.terms) } else { Vec::new() };
        for method in also {
            // rmcp writes `None` as `null`, which is no legal `params`.
            let notification = CustomNotification::new(method, Some(json!({})));
            let _ = self.peer.send_notification(ServerNotification::CustomNotification(notification)).await;
        }
    }

    /// What is still to be told.
    fn rest(&self) -> Option<Change> {
        let mut telling = self.telling();
        match std::mem::replace(&mut *telling, Telling::Idle) {
            Telling::Again(change) => {
                *telling = Telling::Busy;
                Some(change)
            }
            Telling::Busy | Telling::Idle => None,
        }
    }

    fn telling(&self) -> MutexGuard<'_, Telling> {
        self.telling.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
