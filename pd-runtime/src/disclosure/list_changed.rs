//! The notifications of list changes to clients that have sessions. `server` answers
//! `subscriptions/listen` (MCP 2026-07-28).
//!
//! A client is notified only if the tools that it sees have changed. Otherwise it would learn of
//! changes to hidden tools.

use crate::{catalog::Catalog, policy::access::CallerAuthority, protocol::negotiated::ClientTerms};
use parking_lot::{Mutex, MutexGuard};
use rmcp::{
    RoleServer,
    model::{CustomNotification, ServerNotification},
    service::Peer,
};
use serde_json::json;
use std::{collections::HashMap, fmt, sync::Arc};
use tokio::runtime::Handle;

/// Returns the notifications that a client's surfaces have for a change of the catalog, beside
/// `tools/list_changed`.
pub(crate) type ChangeNotifications = fn(ClientTerms) -> Vec<&'static str>;

/// All subscriptions to list changes. A subscription costs no task while nothing changes, because
/// there may be very many.
pub(crate) struct ListChangeHub {
    seats: Mutex<SubscriptionTable>,
    notifications: ChangeNotifications,
}

#[derive(Default)]
struct SubscriptionTable {
    clients: HashMap<u64, Arc<SubscribedClient>>,
    next: u64,
}

/// One client with a subscription.
struct SubscribedClient {
    peer: Peer<RoleServer>,
    /// The runtime on which the client is notified: the code that changes a catalog may run outside
    /// of any task.
    runtime: Handle,
    terms: ClientTerms,
    state: Mutex<NotifierState>,
    notifications: ChangeNotifications,
    list: Mutex<ToolListEdition>,
}

/// The tools that a client sees: its authority, and the edition of its list when the client was
/// last notified.
#[derive(Debug)]
pub(crate) struct ToolListEdition {
    authority: CallerAuthority,
    edition: u64,
}

impl ToolListEdition {
    pub(crate) fn new(authority: CallerAuthority, catalog: &Catalog) -> Self {
        Self {
            edition: catalog.edition(&authority),
            authority,
        }
    }

    /// Takes over the edition of this catalog. Returns whether it differs from the last one.
    pub(crate) fn update(&mut self, catalog: &Catalog) -> bool {
        let edition = catalog.edition(&self.authority);
        std::mem::replace(&mut self.edition, edition) != edition
    }
}

/// The state of a client's notifier. A client that does not read blocks no other client, and the
/// changes that it misses reach it as one.
enum NotifierState {
    Idle,
    Busy,
    /// Something changed again during a notification.
    Again(ListChange),
}

/// A change to announce.
#[derive(Default)]
struct ListChange {
    /// The client's own list changed, although the catalog did not.
    list: bool,
    /// The server's author announces a change that no comparison can detect.
    is_announced: bool,
    /// The new catalog, if the catalog changed. A client that misses several changes gets the
    /// latest.
    catalog: Option<Arc<Catalog>>,
}

impl ListChange {
    /// Merges both changes into one.
    fn merge(self, later: Self) -> Self {
        Self {
            list: self.list || later.list,
            is_announced: self.is_announced || later.is_announced,
            catalog: later.catalog.or(self.catalog),
        }
    }
}

/// A session's subscription, which ends when this is dropped.
pub(crate) struct SessionSubscription {
    hub: Arc<ListChangeHub>,
    number: u64,
}

impl fmt::Debug for SessionSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seat({})", self.number)
    }
}

impl ListChangeHub {
    pub(crate) fn new(notifications: ChangeNotifications) -> Arc<Self> {
        Arc::new(Self {
            seats: Mutex::default(),
            notifications,
        })
    }

    /// Subscribes a client with these terms and this list. It must be called in a task.
    pub(crate) fn subscribe(
        self: &Arc<Self>,
        peer: Peer<RoleServer>,
        terms: ClientTerms,
        list: ToolListEdition,
    ) -> SessionSubscription {
        let runtime = Handle::current();
        let state = Mutex::new(NotifierState::Idle);
        let list = Mutex::new(list);
        let client = Arc::new(SubscribedClient {
            peer,
            runtime,
            terms,
            state,
            notifications: self.notifications,
            list,
        });
        let mut seats = self.lock_seats();
        let number = seats.next;
        seats.next += 1;
        seats.clients.insert(number, client);
        SessionSubscription {
            hub: self.clone(),
            number,
        }
    }

    /// Notifies all clients that see a change between the catalog before and this one. Notifies
    /// every client if the change is announced.
    pub(crate) fn notify_all(&self, catalog: &Arc<Catalog>, is_announced: bool) {
        self.lock_seats().clients.values().for_each(|client| {
            client.enqueue(ListChange {
                list: false,
                is_announced,
                catalog: Some(catalog.clone()),
            })
        });
    }

    fn lock_seats(&self) -> MutexGuard<'_, SubscriptionTable> {
        self.seats.lock()
    }
}

impl SessionSubscription {
    /// Notifies this client that its own list changed.
    pub(crate) fn notify(&self) {
        if let Some(client) = self.hub.lock_seats().clients.get(&self.number) {
            client.enqueue(ListChange {
                list: true,
                ..ListChange::default()
            });
        }
    }

    /// Compares with this authority's list from now on: a client may return with another token, and
    /// then requests its list again.
    pub(crate) fn follow(&self, authority: &CallerAuthority, catalog: &Catalog) {
        // Cloned out of the lock, so that computing an edition below blocks no other client.
        let client = self.hub.lock_seats().clients.get(&self.number).cloned();
        if let Some(client) = client {
            let mut list = client.lock_list();
            // The edition is expensive, and most requests come with the same token.
            if list.authority != *authority {
                *list = ToolListEdition::new(authority.clone(), catalog);
            }
        }
    }
}

impl Drop for SessionSubscription {
    fn drop(&mut self) {
        let client = self.hub.lock_seats().clients.remove(&self.number);
        // Dropped outside the lock, because this may drop the peer and its channel.
        drop(client);
    }
}

impl SubscribedClient {
    fn enqueue(self: &Arc<Self>, change: ListChange) {
        let mut state = self.lock_state();
        // `Busy` is a placeholder that makes the old state movable; the match always stores the
        // next state.
        let next = match std::mem::replace(&mut *state, NotifierState::Busy) {
            NotifierState::Idle => {
                // At most one task a client: sending waits for a client that does not read.
                self.runtime.spawn(self.clone().run(change));
                NotifierState::Busy
            }
            NotifierState::Busy => NotifierState::Again(change),
            NotifierState::Again(known) => NotifierState::Again(known.merge(change)),
        };
        *state = next;
    }

    async fn run(self: Arc<Self>, first: ListChange) {
        let mut change = Some(first);
        while let Some(now) = change {
            self.announce(now).await;
            // `next_change` sets the state back to idle under the same lock that `enqueue` takes,
            // so no change is lost in between.
            change = self.next_change();
        }
    }

    async fn announce(&self, change: ListChange) {
        let differs = change
            .catalog
            .is_some_and(|catalog| self.lock_list().update(&catalog));
        let sees_change = differs || change.is_announced;
        if !sees_change && !change.list {
            return;
        }
        // An error means that the peer has left; its session then ends the subscription.
        let _ = self.peer.notify_tool_list_changed().await;
        let also = if sees_change {
            (self.notifications)(self.terms)
        } else {
            Vec::new()
        };
        for method in also {
            // rmcp serializes `None` as `null`, which is not a valid `params`.
            let notification = CustomNotification::new(method, Some(json!({})));
            let _ = self
                .peer
                .send_notification(ServerNotification::CustomNotification(notification))
                .await;
        }
    }

    /// Returns the change that is still to be announced.
    fn next_change(&self) -> Option<ListChange> {
        let mut state = self.lock_state();
        match std::mem::replace(&mut *state, NotifierState::Idle) {
            NotifierState::Again(change) => {
                *state = NotifierState::Busy;
                Some(change)
            }
            NotifierState::Busy | NotifierState::Idle => None,
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, NotifierState> {
        self.state.lock()
    }

    fn lock_list(&self) -> MutexGuard<'_, ToolListEdition> {
        self.list.lock()
    }
}
