//! One upstream: it starts when a request needs it, and stops when it was idle for long.

#[cfg(feature = "cli")]
mod approval;
#[cfg(not(feature = "cli"))]
#[path = "upstream/no_approval.rs"]
mod approval;
pub(crate) mod connection_watch;
pub(crate) mod health;
pub(crate) mod issued_tasks;
pub(crate) mod issued_uris;
pub(crate) mod list_reading;
pub(crate) mod rates;
pub(crate) mod reviewed_lists;
pub(crate) mod rows;
pub(crate) mod server_state;
pub(crate) mod shared_parts;
pub(crate) mod sharing;
pub(crate) mod start;
pub(crate) mod start_places;
pub(crate) mod subscriptions;
pub(crate) mod upstream_error;
mod withheld_variables;

use crate::{
    config::{ServerEntry, names},
    connection::{
        Connection, RequestError,
        client_events::EventTarget,
        era::Era,
        pool::{ConnectionClient, ConnectionOwner, ConnectionPool},
    },
    failure::{
        failure_text::FailureText, limited_log::LimitedLog, secret_filter::SecretFilter,
        token_error::TokenError,
    },
    lists::{cached_lists::CachedLists, left_out_tools::LeftOutTools},
    message::wire::MessageBounds,
    oauth::AccessTokens,
    upstream::{
        approval::UpstreamApproval,
        health::{BACKOFF_MIN, ClientHealth, Health},
        issued_tasks::IssuedTasks,
        issued_uris::IssuedUris,
        rates::CallRates,
        rows::ObservedColumns,
        shared_parts::SharedParts,
        upstream_error::{StartError, UpstreamError},
    },
};
use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use pd_runtime::store::Digest;
use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;

/// How long a start may take, unless the entry sets a time. Package runners download first.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How long to wait for the reason why a process has ended.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// One upstream of a gateway.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) entry: ServerEntry,
    pub(crate) fingerprint: String,
    pub(crate) shared: Arc<SharedParts>,
    pub(crate) lists: ArcSwapOption<CachedLists>,
    /// The era of the latest start. It can be known without lists.
    pub(crate) era: Mutex<Option<Era>>,
    /// Held while lists are compared with the lock and replaced.
    pub(crate) review: Mutex<()>,
    pub(crate) pool: ConnectionPool,
    /// The health of the connection that clients share.
    pub(crate) health: Mutex<Health>,
    /// The health of the connections that belong to one client each.
    client_health: ClientHealth,
    /// What nobody may read of its entry.
    pub(crate) secrets: Arc<SecretFilter>,
    /// Canceled when it is stopped for good.
    stopping: CancellationToken,
    rates: CallRates,
    pub(crate) issued: IssuedUris,
    pub(crate) tasks: IssuedTasks,
    pub(crate) observed: ObservedColumns,
    /// The tokens of the gateway's owner, if the upstream takes some.
    pub(crate) owner_tokens: OnceLock<Option<Arc<AccessTokens>>>,
    /// The lines about messages that cannot be handled.
    log: Arc<LimitedLog>,
    pub(crate) left_out_tools: LeftOutTools,
    /// Increases with each reading of the lists, also with one that failed.
    pub(crate) readings: watch::Sender<u64>,
    pub(crate) approval: UpstreamApproval,
}

impl Upstream {
    pub(crate) fn new(entry: ServerEntry, shared: Arc<SharedParts>) -> Arc<Self> {
        let fingerprint =
            Digest::from_bytes(entry.fingerprint_source().to_string().as_bytes()).to_string();
        let lists = shared
            .cache
            .as_ref()
            .and_then(|cache| cache.read(&entry.name, &fingerprint))
            .map(Arc::new);
        let era = shared
            .cache
            .as_ref()
            .and_then(|cache| cache.read_era(&entry.name, &fingerprint));
        let cache = shared
            .cache
            .as_ref()
            .filter(|_| entry.settings.has_selective_tools());
        let columns =
            cache.map(|cache| ObservedColumns::open(cache.columns_path(&entry.name, &fingerprint)));
        let rates = CallRates::new(&entry.settings);
        let observed = columns.unwrap_or_default();
        let pool = ConnectionPool::new(entry.settings.connections.map(|max| max.get() as usize));
        let secrets = Arc::new(SecretFilter::new(&entry, |name| std::env::var(name).ok()));
        // A child token: the end of the gateway ends each upstream, and one upstream ends alone.
        let stopping = shared.processes.ending().child_token();
        Arc::new(Self {
            entry,
            fingerprint,
            shared,
            lists: ArcSwapOption::new(lists),
            era: Mutex::new(era),
            review: Mutex::default(),
            pool,
            health: Mutex::default(),
            client_health: ClientHealth::default(),
            secrets,
            stopping,
            rates,
            issued: IssuedUris::default(),
            tasks: IssuedTasks::default(),
            observed,
            owner_tokens: OnceLock::new(),
            log: Arc::default(),
            left_out_tools: LeftOutTools::default(),
            readings: watch::Sender::new(0),
            approval: UpstreamApproval::default(),
        })
    }

    /// Returns how long a start may take, and how long the lists.
    pub(crate) fn start_timeout(&self) -> Duration {
        self.entry.settings.start_timeout.unwrap_or(START_TIMEOUT)
    }

    pub(crate) fn name(&self) -> &str {
        &self.entry.name
    }

    /// Returns the name of its entry in the configuration, as texts show it.
    pub(crate) fn label(&self) -> String {
        self.entry.visible_label()
    }

    /// Returns the beginning of the names of its tools and prompts.
    pub(crate) fn prefix(&self) -> String {
        self.entry
            .settings
            .prefix
            .clone()
            .unwrap_or_else(|| names::default_prefix(self.name()))
    }

    /// Returns the latest lists, which may be from an earlier run. An entry that waits for approval
    /// has none.
    pub(crate) fn lists(&self) -> Option<Arc<CachedLists>> {
        if self.awaits_approval() {
            None
        } else {
            self.lists.load_full()
        }
    }

    pub(crate) fn health(&self) -> Health {
        self.health.lock().clone()
    }

    /// Returns whether a connection is open.
    pub(crate) fn is_running(&self) -> bool {
        !self.pool.open().is_empty()
    }

    /// Returns the connection of a client, and starts the upstream if there is none.
    pub(crate) async fn connection(
        self: &Arc<Self>,
        client: &ConnectionClient,
    ) -> Result<Arc<Connection>, UpstreamError> {
        // Here, because nothing else starts a server or leads to a request.
        self.check_approval()?;
        let slot = self
            .pool
            .slot(client)
            .map_err(|error| UpstreamError::Pool {
                server: self.label(),
                error,
            })?;
        // Held until the start has ended, so that callers that come meanwhile find its connection.
        let _starting = slot.starting.lock().await;
        if let Some(connection) = slot.for_request() {
            return Ok(connection);
        }
        self.wait_for_restart(client.owner()).await?;
        let began = Instant::now();
        let mark = StartMark::new(self, client.owner());
        // Nobody waits for a start when the gateway ends.
        let started = self.stopping.run_until_cancelled(self.start(client)).await;
        drop(mark);
        match started.unwrap_or_else(|| Err(StartError::Stopped)) {
            Ok((connection, facts)) => {
                let connection = Arc::new(connection);
                {
                    let mut health = self.health.lock();
                    health.started_in = Some(began.elapsed());
                    if client.subject().is_none() {
                        health.needs_login = None;
                    }
                }
                slot.set(connection.clone());
                // The slot may have left the pool during the start, because it looked unused
                // between two locks.
                self.pool.keep(client, &slot);
                if self.stopping.is_cancelled() {
                    // `stop` has emptied the pool before, so it does not end this connection.
                    connection.close();
                }
                // Weak, so that the task keeps alive neither a removed upstream nor its connection.
                let upstream = Arc::downgrade(self);
                let open = Arc::downgrade(&connection);
                tokio::spawn(Self::watch(upstream, open, slot.clone(), facts));
                Ok(connection)
            }
            Err(error) => {
                if let Some(reason) = error.login_reason() {
                    // Whether a principal has a login says nothing about other clients.
                    if client.subject().is_none() {
                        self.health.lock().require_login(reason.clone().into());
                    }
                    return Err(UpstreamError::LoginRequired { reason });
                }
                let reason = self.start_reason(&error).without_secrets(&self.secrets);
                // A start that the gateway has canceled is not a failure of the server.
                if !self.stopping.is_cancelled() {
                    self.failed(client.owner(), &reason, error.is_for_all());
                }
                Err(UpstreamError::Start {
                    server: self.label(),
                    reason,
                })
            }
        }
    }

    /// Returns the health that delays the next start of a connection.
    fn delaying(&self, owner: &ConnectionOwner) -> Health {
        health::delaying(owner, &self.health.lock(), &self.client_health)
    }

    /// Waits for the next start after the first failure. Later pauses are too long for a caller.
    async fn wait_for_restart(&self, owner: &ConnectionOwner) -> Result<(), UpstreamError> {
        // The end of a process that is noticed during this wait adds a pause.
        while let Some((reason, seconds)) = self.delaying(owner).waiting() {
            let pause = self.delaying(owner).pause();
            if pause > BACKOFF_MIN {
                return Err(UpstreamError::Waiting {
                    server: self.label(),
                    reason,
                    seconds,
                });
            }
            if self
                .stopping
                .run_until_cancelled(sleep(pause))
                .await
                .is_none()
            {
                return Err(UpstreamError::Waiting {
                    server: self.label(),
                    reason,
                    seconds,
                });
            }
        }
        Ok(())
    }

    pub(crate) fn failed(&self, owner: &ConnectionOwner, reason: &FailureText, is_for_all: bool) {
        let failures = match owner.is_all_clients() {
            // First, because a program that cannot be run delays each owner in the same way.
            _ if is_for_all => self.health.lock().fail_for_all(reason),
            true => self.health.lock().fail(reason),
            false => self.client_health.fail(owner, reason),
        };
        let reason = reason.whole();
        tracing::warn!(server = self.name(), reason, failures, "an upstream failed");
    }

    /// Forgets the failures of a connection that has lasted.
    pub(crate) fn recovered(&self, owner: &ConnectionOwner) {
        match owner.is_all_clients() {
            true => self.health.lock().failures = 0,
            false => self.client_health.recover(owner),
        }
    }

    /// Returns the bounds of the messages that the upstream sends.
    pub(crate) fn bounds(&self) -> MessageBounds {
        MessageBounds::new(
            self.entry.settings.response_bytes,
            self.shared.memory.clone(),
        )
    }

    pub(crate) fn event_target(&self, client: &ConnectionClient) -> EventTarget {
        let session = client.session().cloned();
        EventTarget {
            server: self.name().into(),
            session,
            is_of_owner: client.subject().is_none(),
            events: self.shared.events.clone(),
            log: self.log.clone(),
            secrets: self.secrets.clone(),
        }
    }

    /// Ends all connections and starts, and waits until their processes have ended. The upstream
    /// does not start again.
    pub(crate) async fn stop(&self) {
        self.stopping.cancel();
        let connections = self.pool.take_all();
        // All at once, because each process gets its own time to exit.
        connections.iter().for_each(|connection| connection.close());
        for connection in connections {
            connection.until_closed().await;
        }
    }

    /// Counts a call of this tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the server or the tool is at its limit.
    pub(crate) fn count_call(&self, tool: &str) -> Result<(), UpstreamError> {
        self.rates.count(tool).map_err(|error| UpstreamError::Rate {
            server: self.label(),
            error,
        })
    }

    pub(crate) fn request_error(&self, error: RequestError) -> UpstreamError {
        match error {
            RequestError::Unauthorized(TokenError::LoginRequired(reason)) => {
                UpstreamError::LoginRequired { reason }
            }
            RequestError::Refused(mut refused) => {
                refused.message = self.secrets.hide(&refused.message).into_owned();
                refused
                    .data
                    .iter_mut()
                    .for_each(|data| self.secrets.hide_in(data));
                UpstreamError::Request {
                    server: self.label(),
                    error: RequestError::Refused(refused),
                }
            }
            error => UpstreamError::Request {
                server: self.label(),
                error,
            },
        }
    }
}

/// Marks the upstream as starting, until this is dropped: a start that is canceled ends, too.
struct StartMark<'a>(Option<&'a Upstream>);

impl<'a> StartMark<'a> {
    fn new(upstream: &'a Upstream, owner: &ConnectionOwner) -> Self {
        // The state that callers read is the one of this connection, because it reads the lists.
        let marked = owner.is_all_clients().then_some(upstream);
        if let Some(upstream) = marked {
            let mut health = upstream.health.lock();
            health.starting = Some(Instant::now());
            health.started = health.starting;
        }
        Self(marked)
    }
}

impl Drop for StartMark<'_> {
    fn drop(&mut self) {
        self.0
            .iter()
            .for_each(|upstream| upstream.health.lock().starting = None);
    }
}
