//! One upstream: it starts when a request needs it, and stops when it was idle for long.

use super::{
    cached_lists::CachedLists,
    client_events::EventTarget,
    config::{IdleStop, ServerEntry, ServerTransport},
    connection::{Connection, RequestError},
    connection_pool::{ConnectionClient, ConnectionOwner, ConnectionPool, ConnectionSlot},
    era::{Era, HandshakeError, ServerFacts, shake_hands},
    failure_text::FailureText,
    health::{self, BACKOFF_MIN, ClientHealth, Health},
    http::{HttpLink, SseLink},
    link::{Link, QUEUE},
    names,
    oauth::AccessTokens,
    rates::CallRates,
    resources::IssuedUris,
    rows::ObservedColumns,
    secret_filter::SecretFilter,
    shared_parts::SharedParts,
    spawn_failure,
    stdio::{ChildLink, StderrTail},
    subscriptions::ChangeSubscription,
    tasks::IssuedTasks,
    token_error::TokenError,
    upstream_error::{StartError, UpstreamError},
};
use crate::digest::Digest;
use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use std::{
    sync::{Arc, OnceLock, Weak},
    time::{Duration, Instant},
};
use tokio::{
    sync::{mpsc, watch},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// How long a start may take, unless the entry sets a time. Package runners download first.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How long an upstream runs without a request, unless the entry sets a time.
const IDLE: Duration = Duration::from_secs(600);
/// An upstream that ends by itself within this time has failed.
const LIFE_MIN: Duration = Duration::from_secs(10);
/// How long to wait for the reason why a process has ended.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// How often an upstream is checked for being idle.
const IDLE_CHECK: Duration = Duration::from_secs(5);
/// How long changes are collected before the lists are read again.
const CHANGE_PAUSE: Duration = Duration::from_millis(200);

/// One upstream of a gateway.
#[derive(Debug)]
pub(super) struct Upstream {
    pub(super) entry: ServerEntry,
    pub(super) fingerprint: String,
    pub(super) shared: Arc<SharedParts>,
    pub(super) lists: ArcSwapOption<CachedLists>,
    /// Held while lists are compared with the lock and replaced.
    pub(super) review: Mutex<()>,
    pub(super) pool: ConnectionPool,
    /// The health of the connection that clients share.
    pub(super) health: Mutex<Health>,
    /// That of connections which clients have for themselves.
    client_health: ClientHealth,
    /// What nobody may read of its entry.
    pub(super) secrets: Arc<SecretFilter>,
    /// Canceled when it is stopped for good.
    stopping: CancellationToken,
    rates: CallRates,
    pub(super) issued: IssuedUris,
    pub(super) tasks: IssuedTasks,
    pub(super) observed: ObservedColumns,
    /// The tokens of the gateway's owner, if the upstream takes some.
    pub(super) owner_tokens: OnceLock<Option<Arc<AccessTokens>>>,
    /// Increases with each reading of the lists, also with one that failed.
    pub(super) readings: watch::Sender<u64>,
}

impl Upstream {
    pub(super) fn new(entry: ServerEntry, shared: Arc<SharedParts>) -> Arc<Self> {
        let fingerprint = Digest::from_bytes(entry.fingerprint_source().to_string().as_bytes()).to_string();
        let lists = shared.cache.as_ref().and_then(|cache| cache.read(&entry.name, &fingerprint)).map(Arc::new);
        let cache = shared.cache.as_ref().filter(|_| entry.settings.has_selective_tools());
        let columns = cache.map(|cache| ObservedColumns::open(cache.columns_path(&entry.name, &fingerprint)));
        let (rates, observed) = (CallRates::new(&entry.settings), columns.unwrap_or_default());
        let pool = ConnectionPool::new(entry.settings.connections.map(|max| max.get() as usize));
        let secrets = Arc::new(SecretFilter::new(&entry, |name| std::env::var(name).ok()));
        let stopping = shared.processes.ending().child_token();
        Arc::new(Self {
            entry,
            fingerprint,
            shared,
            lists: ArcSwapOption::new(lists),
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
            readings: watch::Sender::new(0),
        })
    }

    /// Returns how long a start may take, and how long the lists.
    pub(super) fn start_timeout(&self) -> Duration {
        self.entry.settings.start_timeout.unwrap_or(START_TIMEOUT)
    }

    fn is_idle(&self, connection: &Connection) -> bool {
        let limit = match self.entry.settings.idle {
            Some(IdleStop::Never) => return false,
            Some(IdleStop::After(limit)) => limit,
            None => IDLE,
        };
        connection.idle_since().is_some_and(|since| since.elapsed() >= limit)
    }

    pub(super) fn name(&self) -> &str {
        &self.entry.name
    }

    /// Returns the beginning of the names of its tools and prompts.
    pub(super) fn prefix(&self) -> String {
        self.entry.settings.prefix.clone().unwrap_or_else(|| names::default_prefix(self.name()))
    }

    /// Returns the latest lists, which may be from an earlier run.
    pub(super) fn lists(&self) -> Option<Arc<CachedLists>> {
        self.lists.load_full()
    }

    pub(super) fn health(&self) -> Health {
        self.health.lock().clone()
    }

    /// Returns whether a connection is open.
    pub(super) fn is_running(&self) -> bool {
        !self.pool.open().is_empty()
    }

    /// Returns the connection of a client, and starts the upstream if there is none.
    pub(super) async fn connection(
        self: &Arc<Self>,
        client: &ConnectionClient,
    ) -> Result<Arc<Connection>, UpstreamError> {
        let full = |error| UpstreamError::Pool { server: self.name().to_owned(), error };
        let slot = self.pool.slot(client).map_err(full)?;
        let _starting = slot.starting.lock().await;
        if let Some(connection) = slot.for_request() {
            return Ok(connection);
        }
        self.check_backoff(client.owner())?;
        let (began, mark) = (Instant::now(), StartMark::new(self, client.owner()));
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
                self.pool.keep(client, &slot);
                if self.stopping.is_cancelled() {
                    // It was stopped at this moment, and has not seen the connection.
                    connection.close();
                }
                let (upstream, open) = (Arc::downgrade(self), Arc::downgrade(&connection));
                tokio::spawn(Self::watch(upstream, open, slot.clone(), facts));
                Ok(connection)
            }
            Err(error) => {
                if let Some(reason) = error.login_reason() {
                    // A principal who must log in says nothing about others.
                    if client.subject().is_none() {
                        self.health.lock().require_login(reason.clone().into());
                    }
                    return Err(UpstreamError::LoginRequired { reason });
                }
                let reason = error.failure().without_secrets(&self.secrets);
                if !self.stopping.is_cancelled() {
                    self.failed(client.owner(), &reason, error.is_for_all());
                }
                Err(UpstreamError::Start { server: self.name().to_owned(), reason })
            }
        }
    }

    /// Returns the health that delays the next start of a connection.
    fn delaying(&self, owner: &ConnectionOwner) -> Health {
        health::delaying(owner, &self.health.lock(), &self.client_health)
    }

    fn check_backoff(&self, owner: &ConnectionOwner) -> Result<(), UpstreamError> {
        let waiting = self.delaying(owner).waiting();
        let waiting = waiting.map(|(reason, seconds)| (self.name().to_owned(), reason, seconds));
        waiting.map_or(Ok(()), |(server, reason, seconds)| Err(UpstreamError::Waiting { server, reason, seconds }))
    }

    /// Waits for the next start after the first failure. Later pauses are too long for a caller.
    pub(super) async fn wait_for_restart(&self, client: &ConnectionClient) {
        let pause = self.delaying(client.owner()).pause();
        if pause <= BACKOFF_MIN {
            sleep(pause).await;
        }
    }

    fn failed(&self, owner: &ConnectionOwner, reason: &FailureText, is_for_all: bool) {
        let failures = match owner.is_all_clients() {
            _ if is_for_all => self.health.lock().fail_for_all(reason),
            true => self.health.lock().fail(reason),
            false => self.client_health.fail(owner, reason),
        };
        let reason = reason.whole();
        tracing::warn!(server = self.name(), reason, failures, "an upstream failed");
    }

    /// Forgets the failures of a connection that has lasted.
    fn recovered(&self, owner: &ConnectionOwner) {
        match owner.is_all_clients() {
            true => self.health.lock().failures = 0,
            false => self.client_health.recover(owner),
        }
    }

    async fn start(&self, client: &ConnectionClient) -> Result<(Connection, ServerFacts), StartError> {
        let (events, queue) = mpsc::channel(QUEUE);
        let (link, stderr): (Arc<dyn Link>, _) = match &self.entry.transport {
            ServerTransport::Stdio(server) => {
                let child = ChildLink::start(
                    server,
                    &self.entry.settings.inherit_env,
                    self.secrets.clone(),
                    events,
                    self.shared.processes.clone(),
                );
                let child = child.map_err(|error| StartError::Spawn(spawn_failure::explain(server, &error)))?;
                let stderr = child.stderr().clone();
                (Arc::new(child), stderr)
            }
            ServerTransport::Http(server) | ServerTransport::Sse(server) => {
                let tokens = AccessTokens::from_entry(&self.entry, client.subject(), &self.shared);
                if let Some(tokens) = &tokens {
                    // A renewal may take longer than a server has for the first answer of the handshake.
                    tokens.bearer().await?;
                }
                let link: Arc<dyn Link> = match self.is_legacy_sse() {
                    true => Arc::new(SseLink::start(server, tokens, self.secrets.clone(), events)?),
                    false => Arc::new(HttpLink::new(server, tokens, self.secrets.clone(), events)?),
                };
                (link, StderrTail::default())
            }
        };
        let mut connection = Connection::new(link, queue, self.event_target(client));
        // No version since 2025-03-26 has the transport HTTP+SSE.
        let older = self.is_legacy_sse().then(|| Era::Legacy(String::new()));
        let remembered = older.or_else(|| self.lists().map(|lists| lists.era.clone()));
        let limit = self.start_timeout();
        let shaken = timeout(limit, shake_hands(&mut connection, remembered.as_ref())).await;
        match shaken {
            Ok(Ok(facts)) => {
                connection.set_capabilities(&facts.capabilities);
                Ok((connection, facts))
            }
            // The reason why a process ended is known a moment after its input was closed.
            Ok(Err(HandshakeError::Initialize(error @ RequestError::Unsent(_)))) => {
                let reason = timeout(CLOSE_TIMEOUT, connection.until_closed()).await;
                let error = reason.map_or(error, RequestError::Closed);
                Err(HandshakeError::Initialize(error).into())
            }
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(StartError::Timeout(limit, stderr.text())),
        }
    }

    const fn is_legacy_sse(&self) -> bool {
        matches!(self.entry.transport, ServerTransport::Sse(_))
    }

    fn event_target(&self, client: &ConnectionClient) -> EventTarget {
        let session = client.session().cloned();
        EventTarget {
            server: self.name().into(),
            session,
            is_of_owner: client.subject().is_none(),
            events: self.shared.events.clone(),
            secrets: self.secrets.clone(),
        }
    }

    /// Reads the lists of a new connection, and again after each change. Ends the connection when
    /// it was idle for long, or its session has ended.
    async fn watch(upstream: Weak<Self>, connection: Weak<Connection>, slot: Arc<ConnectionSlot>, facts: ServerFacts) {
        let Some(mut changes) = connection.upgrade().map(|connection| connection.changes()) else { return };
        let (mut is_outdated, began) = (true, Instant::now());
        let mut listening = ChangeSubscription::default();
        let session = slot.session_ended();
        loop {
            let (Some(upstream), Some(open)) = (upstream.upgrade(), connection.upgrade()) else { return };
            if let Some(reason) = open.closed() {
                upstream.ended(&slot.owner, &open, &reason, began.elapsed());
            }
            if !open.is_open() {
                return upstream.pool.remove(&slot);
            }
            if began.elapsed() >= LIFE_MIN {
                upstream.recovered(&slot.owner);
            }
            if std::mem::take(&mut is_outdated) {
                let known = *changes.borrow();
                upstream.refresh(&open, &facts).await;
                open.finish_reading(known);
                continue;
            }
            listening.renew(&open, &facts.capabilities);
            let is_unused = || open.idle_since().is_some() && (slot.is_abandoned() || upstream.is_idle(&open));
            if slot.close_if(&open, is_unused) {
                tracing::debug!(server = upstream.name(), "ended a connection that is not in use");
                return upstream.pool.remove(&slot);
            }
            drop(upstream);
            tokio::select! {
                changed = changes.changed() => {
                    if changed.is_err() { return }
                    drop(open);
                    sleep(CHANGE_PAUSE).await;
                    changes.mark_unchanged();
                    is_outdated = true;
                }
                // What has changed meanwhile was not notified.
                () = listening.ended() => is_outdated = true,
                () = session.cancelled(), if !session.is_cancelled() => {}
                _ = open.until_closed() => {}
                () = sleep(IDLE_CHECK) => {}
            }
        }
    }

    fn ended(&self, owner: &ConnectionOwner, connection: &Connection, reason: &FailureText, life: Duration) {
        if connection.is_closing() {
            return;
        }
        if connection.has_expired() {
            tracing::debug!(server = self.name(), "the session of an upstream has ended");
        } else if life < LIFE_MIN {
            // Without the pause, each call would start a process that crashes.
            self.failed(owner, reason, false);
        } else {
            let reason = reason.whole();
            tracing::info!(server = self.name(), reason, "an upstream ended");
        }
    }

    /// Ends all connections and starts, and waits until their processes have ended. It does not start
    /// again.
    pub(super) async fn stop(&self) {
        self.stopping.cancel();
        let connections = self.pool.take_all();
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
    pub(super) fn count_call(&self, tool: &str) -> Result<(), UpstreamError> {
        let server = || self.name().to_owned();
        self.rates.count(tool).map_err(|error| UpstreamError::Rate { server: server(), error })
    }

    pub(super) fn request_error(&self, error: RequestError) -> UpstreamError {
        match error {
            RequestError::Unauthorized(TokenError::LoginRequired(reason)) => UpstreamError::LoginRequired { reason },
            RequestError::Refused(mut refused) => {
                refused.message = self.secrets.hide(&refused.message).into_owned();
                refused.data.iter_mut().for_each(|data| self.secrets.hide_in(data));
                UpstreamError::Request { server: self.name().to_owned(), error: RequestError::Refused(refused) }
            }
            error => UpstreamError::Request { server: self.name().to_owned(), error },
        }
    }
}

/// Marks the upstream as starting, until this is dropped: a start that is canceled ends, too.
struct StartMark<'a>(Option<&'a Upstream>);

impl<'a> StartMark<'a> {
    fn new(upstream: &'a Upstream, owner: &ConnectionOwner) -> Self {
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
        self.0.iter().for_each(|upstream| upstream.health.lock().starting = None);
    }
}
