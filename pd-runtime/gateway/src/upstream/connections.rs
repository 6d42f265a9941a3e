//! The connections of an upstream, from their start to their end.

use crate::{
    connection::{
        Connection,
        pool::{ConnectionClient, ConnectionPool, ConnectionSlot},
    },
    oauth::AccessTokens,
};
use pd_runtime::upstream::ClientSession;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// The connections of an upstream.
#[derive(Debug)]
pub(crate) struct UpstreamConnections {
    pool: ConnectionPool,
    /// Canceled when the upstream is stopped for good.
    stopping: CancellationToken,
    /// The tokens of the gateway's owner, if the upstream takes some.
    owner_tokens: OnceLock<Option<Arc<AccessTokens>>>,
}

impl UpstreamConnections {
    /// Creates the pool. `max` is the setting of the entry.
    pub(crate) fn new(max: Option<usize>, stopping: CancellationToken) -> Self {
        Self {
            pool: ConnectionPool::new(max),
            stopping,
            owner_tokens: OnceLock::new(),
        }
    }

    /// Returns whether a connection is open.
    pub(crate) fn is_any_open(&self) -> bool {
        !self.pool.open().is_empty()
    }

    /// Returns whether no request waits for its response.
    pub(crate) fn are_unused(&self) -> bool {
        self.pool
            .open()
            .iter()
            .all(|connection| connection.idle_since().is_some())
    }

    /// Returns the place of a client's connection.
    ///
    /// # Errors
    ///
    /// Returns the limit that is reached if all connections are in use.
    pub(crate) fn slot(&self, client: &ConnectionClient) -> Result<Arc<ConnectionSlot>, String> {
        self.pool.slot(client)
    }

    /// Keeps a connection that was just opened.
    pub(crate) fn keep(
        &self,
        client: &ConnectionClient,
        slot: &Arc<ConnectionSlot>,
        connection: &Arc<Connection>,
    ) {
        slot.set(connection.clone());
        // The slot may have left the pool during the start, because it looked unused between two
        // locks.
        self.pool.keep(client, slot);
        if self.is_stopping() {
            // `stop` has emptied the pool before, so it does not end this connection.
            connection.close();
        }
    }

    /// Removes a slot that has no connection any more.
    pub(crate) fn remove(&self, slot: &Arc<ConnectionSlot>) {
        self.pool.remove(slot);
    }

    /// Returns the connection of a session, if it is open.
    pub(crate) fn of_session(&self, session: &ClientSession) -> Option<Arc<Connection>> {
        self.pool.session_connection(session)
    }

    /// Returns whether the upstream is stopped for good.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Runs a future, and drops it when the upstream is stopped.
    pub(crate) async fn run_until_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.stopping.run_until_cancelled(work).await
    }

    /// Returns the tokens of the gateway's owner. They are kept, because each call looks at them.
    pub(crate) fn owner_tokens(
        &self,
        open: impl FnOnce() -> Option<Arc<AccessTokens>>,
    ) -> Option<&Arc<AccessTokens>> {
        self.owner_tokens.get_or_init(open).as_ref()
    }

    /// Ends all connections and starts, and waits until their processes have ended.
    pub(crate) async fn stop(&self) {
        self.stopping.cancel();
        let connections = self.pool.take_all();
        // All at once, because each process gets its own time to exit.
        for connection in &connections {
            connection.close();
        }
        // Waits for each, so that no process outlives its upstream.
        for connection in connections {
            connection.until_closed().await;
        }
    }
}
