//! Who is told when a list changes: the clients that have sessions. `subscriptions/listen` (MCP 2026-07-28) is `server`'s.

use crate::terms::Terms;
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
}

/// A client that does not read holds up nobody else, and changes that it slept through reach it as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    Idle,
    Busy,
    /// Something changed again while it was being told.
    Again(Change),
}

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// What its own list shows.
    List,
    /// The catalogue.
    Catalogue,
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

    /// A place for this client, whose wires ask this. To be called in a task.
    pub(crate) fn seat(self: &Arc<Self>, peer: Peer<RoleServer>, terms: Terms) -> Seat {
        let (runtime, telling) = (Handle::current(), Mutex::new(Telling::Idle));
        let ear = Arc::new(Ear { peer, runtime, terms, telling, notifications: self.notifications });
        let mut seats = self.seats();
        let number = seats.next;
        seats.next += 1;
        seats.taken.insert(number, ear);
        Seat { hub: self.clone(), number }
    }

    /// Tells all that the catalogue changed.
    pub(crate) fn tell(&self) {
        self.seats().taken.values().for_each(|ear| ear.hear(Change::Catalogue));
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Tells this client that its own list changed.
    pub(crate) fn tell(&self) {
        if let Some(ear) = self.hub.seats().taken.get(&self.number) {
            ear.hear(Change::List);
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
        *telling = match *telling {
            Telling::Idle => {
                self.runtime.spawn(self.clone().tell(change));
                Telling::Busy
            }
            Telling::Again(Change::Catalogue) => Telling::Again(Change::Catalogue),
            Telling::Busy | Telling::Again(Change::List) => Telling::Again(change),
        };
    }

    async fn tell(self: Arc<Self>, first: Change) {
        let mut change = Some(first);
        while let Some(now) = change {
            // A peer that went away gives up its seat.
            let _ = self.peer.notify_tool_list_changed().await;
            let also = if now == Change::Catalogue { (self.notifications)(self.terms) } else { Vec::new() };
            for method in also {
                // rmcp writes `None` as `null`, which is no legal `params`.
                let notification = CustomNotification::new(method, Some(json!({})));
                let _ = self.peer.send_notification(ServerNotification::CustomNotification(notification)).await;
            }
            change = self.rest();
        }
    }

    /// What is still to be told.
    fn rest(&self) -> Option<Change> {
        let mut telling = self.telling();
        let (next, rest) = match *telling {
            Telling::Again(change) => (Telling::Busy, Some(change)),
            Telling::Busy | Telling::Idle => (Telling::Idle, None),
        };
        *telling = next;
        rest
    }

    fn telling(&self) -> MutexGuard<'_, Telling> {
        self.telling.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
