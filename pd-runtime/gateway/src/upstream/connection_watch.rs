//! A connection from its handshake to its end: it reads the lists, also after changes, and ends
//! when it is not used.

use crate::{
    config::IdleStop,
    connection::{
        Connection,
        era::ServerFacts,
        pool::{ConnectionOwner, ConnectionSlot},
    },
    failure::failure_text::FailureText,
    upstream::{Upstream, subscriptions::ChangeSubscription},
};
use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};
use tokio::time::sleep;

/// How long an upstream runs without a request, unless the entry sets a time.
const IDLE: Duration = Duration::from_secs(600);
/// An upstream that ends by itself within this time has failed.
const LIFE_MIN: Duration = Duration::from_secs(10);
/// How often an upstream is checked for being idle.
const IDLE_CHECK: Duration = Duration::from_secs(5);
/// How long changes are collected before the lists are read again.
const CHANGE_PAUSE: Duration = Duration::from_millis(200);

impl Upstream {
    /// Reads the lists of a new connection, and again after each change. Ends the connection when
    /// it was idle for long, or its session has ended.
    pub(crate) async fn watch(
        upstream: Weak<Self>,
        connection: Weak<Connection>,
        slot: Arc<ConnectionSlot>,
        facts: ServerFacts,
    ) {
        let Some(mut changes) = connection.upgrade().map(|connection| connection.changes()) else {
            return;
        };
        let mut is_outdated = true;
        let began = Instant::now();
        let mut listening = ChangeSubscription::default();
        let session = slot.session_ended();
        loop {
            let Some(upstream) = upstream.upgrade() else {
                return;
            };
            let Some(open) = connection.upgrade() else {
                return;
            };
            if let Some(reason) = open.closed() {
                upstream.ended(&slot.owner, &open, &reason, began.elapsed());
            }
            if !open.is_open() {
                return upstream.connections.remove(&slot);
            }
            // Not at the start, because a process that ends early would have no pause then.
            if began.elapsed() >= LIFE_MIN {
                upstream.health.recover(&slot.owner);
            }
            if std::mem::take(&mut is_outdated) {
                // Before the reading, so that a change that comes meanwhile is read, too.
                let known = *changes.borrow();
                upstream.refresh(&open, &facts).await;
                open.finish_reading(known);
                continue;
            }
            listening.renew(&open, &facts.capabilities);
            let is_closed = slot.close_if(&open, || {
                open.idle_since().is_some() && (slot.is_abandoned() || upstream.is_idle(&open))
            });
            if is_closed {
                tracing::debug!(
                    server = upstream.name(),
                    "ended a connection that is not in use"
                );
                return upstream.connections.remove(&slot);
            }
            // Not held while nothing happens, so that a removed upstream can end.
            drop(upstream);
            tokio::select! {
                changed = changes.changed() => {
                    if changed.is_err() { return }
                    // Not held during the pause, so that nothing keeps an unused connection alive.
                    drop(open);
                    sleep(CHANGE_PAUSE).await;
                    // After the pause, because the next reading has all changes until now.
                    changes.mark_unchanged();
                    is_outdated = true;
                }
                // What has changed meanwhile was not notified.
                () = listening.ended() => is_outdated = true,
                // A canceled token is always ready, so the loop would never pause without this.
                () = session.cancelled(), if !session.is_cancelled() => {}
                _ = open.until_closed() => {}
                () = sleep(IDLE_CHECK) => {}
            }
        }
    }

    fn ended(
        &self,
        owner: &ConnectionOwner,
        connection: &Connection,
        reason: &FailureText,
        life: Duration,
    ) {
        if connection.is_closing() {
            return;
        }
        if connection.has_expired() {
            tracing::debug!(server = self.name(), %reason, "an upstream has ended a session");
        } else if life < LIFE_MIN {
            // Without the pause, each call would start a process that crashes.
            self.failed(owner, &self.with_withheld_variables(reason), false);
        } else {
            let reason = reason.whole();
            tracing::info!(server = self.name(), reason, "an upstream ended");
        }
    }

    fn is_idle(&self, connection: &Connection) -> bool {
        let limit = match self.entry.settings.idle {
            Some(IdleStop::Never) => return false,
            Some(IdleStop::After(limit)) => limit,
            None => IDLE,
        };
        connection
            .idle_since()
            .is_some_and(|since| since.elapsed() >= limit)
    }
}
