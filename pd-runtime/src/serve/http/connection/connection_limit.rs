//! The limit on connections. At the limit, a client that waits takes the place of one that is
//! silent.

use super::connection_state::ConnectionState;
use parking_lot::Mutex;
use std::{collections::BTreeMap, mem::replace, sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// How long a client must have been silent before it makes room. A request follows its connection
/// within one round trip, which this covers.
const SILENCE: Duration = Duration::from_millis(500);
/// The share of the connections that may make room at one time, as a divisor. One at a time would
/// let a flood of clients that reconnect hold up everybody behind them.
const SHARE: usize = 8;

/// The connections in the order of their age.
type OpenConnections = Arc<Mutex<BTreeMap<u64, Arc<ConnectionState>>>>;

/// The limit on connections. Where all of them are in use, clients wait in the operating system's
/// queue, which holds a few bytes for each. Most are served a moment later, while a refusal would
/// be an error to every one.
pub(super) struct ConnectionLimit {
    permits: Arc<Semaphore>,
    open: OpenConnections,
    max: usize,
    admitted: u64,
    is_full: bool,
}

/// A place among the connections. It is free again when this value is dropped.
pub(super) struct AdmittedConnection {
    state: Arc<ConnectionState>,
    open: OpenConnections,
    id: u64,
    _permit: OwnedSemaphorePermit,
}

impl ConnectionLimit {
    pub(super) fn new(max: usize) -> Self {
        // tokio's semaphore panics above its maximum, and with a limit of 0 nobody would be served.
        let max = max.clamp(1, Semaphore::MAX_PERMITS);
        let permits = Arc::new(Semaphore::new(max));
        Self {
            permits,
            open: OpenConnections::default(),
            max,
            admitted: 0,
            is_full: false,
        }
    }

    /// Waits for a place. At the limit, the connections that have been silent for a while are
    /// closed, the oldest first.
    pub(super) async fn admit(&mut self) -> AdmittedConnection {
        let permit = self.permit().await;
        let state = Arc::<ConnectionState>::default();
        let open = self.open.clone();
        let id = self.admitted;
        self.admitted += 1;
        open.lock().insert(id, state.clone());
        AdmittedConnection {
            state,
            open,
            id,
            _permit: permit,
        }
    }

    async fn permit(&mut self) -> OwnedSemaphorePermit {
        if let Ok(permit) = self.permits.clone().try_acquire_owned() {
            self.is_full = false;
            return permit;
        }
        if !replace(&mut self.is_full, true) {
            // Logged once per time that the limit is reached, not for each client that waits.
            tracing::warn!(
                "connection limit reached; new connections wait, and silent ones are closed"
            );
        }
        loop {
            // Recorded before the wait, because the wait is what measures the silence.
            let silent = self.silent();
            if let Ok(Ok(permit)) = timeout(SILENCE, self.permits.clone().acquire_owned()).await {
                return permit;
            }
            // The number differs for a client that has sent a request meanwhile, even if it is
            // silent again.
            let still_silent = silent
                .iter()
                .filter(|(state, silence)| state.silence() == Some(*silence));
            for (state, _) in still_silent.take(self.max.div_ceil(SHARE)) {
                state.displace();
            }
        }
    }

    /// Returns the connections on which the client sends nothing now, the oldest first.
    fn silent(&self) -> Vec<(Arc<ConnectionState>, u32)> {
        let open = self.open.lock();
        open.values()
            .filter_map(|state| Some((state.clone(), state.silence()?)))
            .collect()
    }
}

impl AdmittedConnection {
    pub(super) fn state(&self) -> &Arc<ConnectionState> {
        &self.state
    }
}

impl Drop for AdmittedConnection {
    fn drop(&mut self) {
        self.open.lock().remove(&self.id);
    }
}
