//! One upstream: it starts when a request needs it, and stops when it was idle for long.

use super::{
    cached_lists::CachedLists,
    client_events::EventTarget,
    config::{IdleStop, ServerEntry, ServerTransport},
    connection::{Connection, RequestError},
    connection_pool::{ConnectionClient, ConnectionPool, ConnectionSlot},
    era::{FirstRequest, HandshakeError, ServerFacts, shake_hands},
    era_memory::EraMemory,
    health::{BACKOFF_MIN, Health},
    http::{HttpLink, SseLink},
    link::{Link, QUEUE},
    names,
    oauth::AccessTokens,
    rates::CallRates,
    resources::IssuedUris,
    rows::ObservedColumns,
    shared_parts::SharedParts,
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

/// How long a start may take, unless the entry sets a time. Package runners download first.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How long an upstream runs without a request, unless the entry sets a time.
const IDLE: Duration = Duration::from_secs(600);
/// An upstream that ends by itself within this time has failed.
const LIFE_MIN: Duration = Duration::from_secs(10);
/// How long to wait for the reason why a process has ended.
pub(super) const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
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
    pub(super) health: Mutex<Health>,
    /// The generation that it spoke last.
    era_memory: EraMemory,
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
        let era_file = shared.cache.as_ref().map(|cache| cache.era_path(&entry.name, &fingerprint));
        let era_memory = EraMemory::open(era_file, lists.as_deref().map(|lists| &lists.era));
        let cache = shared.cache.as_ref().filter(|_| entry.settings.has_selective_tools());
        let columns = cache.map(|cache| ObservedColumns::open(cache.columns_path(&entry.name, &fingerprint)));
        let (rates, observed) = (CallRates::new(&entry.settings), columns.unwrap_or_default());
        let pool = ConnectionPool::new(entry.settings.connections.map(|max| max.get() as usize));
        Arc::new(Self {
            entry,
            fingerprint,
            shared,
            lists: ArcSwapOption::new(lists),
            review: Mutex::default(),
            pool,
            health: Mutex::default(),
            era_memory,
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

    /// Returns the name of its entry in the configuration, as texts show it.
    pub(super) fn label(&self) -> String {
        self.entry.visible_label()
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
        let full = |error| UpstreamError::Pool { server: self.label(), error };
        let slot = self.pool.slot(client).map_err(full)?;
        let _starting = slot.starting.lock().await;
        if let Some(connection) = slot.for_request() {
            return Ok(connection);
        }
        self.wait_for_restart().await?;
        let began = Instant::now();
        match self.start(client).await {
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
                let (upstream, open) = (Arc::downgrade(self), Arc::downgrade(&connection));
                tokio::spawn(Self::watch(upstream, open, slot.clone(), facts));
                Ok(connection)
            }
            Err(error) => {
                if let Some(reason) = error.login_reason() {
                    // A principal who must log in says nothing about others.
                    if client.subject().is_none() {
                        self.health.lock().require_login(reason.clone());
                    }
                    return Err(UpstreamError::LoginRequired { reason });
                }
                let reason: Arc<str> = error.to_string().into();
                self.failed(&reason);
                Err(UpstreamError::Start { server: self.label(), reason })
            }
        }
    }

    /// Waits for the next start after the first failure. Later pauses are too long for a caller.
    async fn wait_for_restart(&self) -> Result<(), UpstreamError> {
        // A process whose end was noticed while this waited adds a pause.
        while let Some((reason, seconds)) = self.waiting() {
            let pause = self.health.lock().pause();
            if pause > BACKOFF_MIN {
                return Err(UpstreamError::Waiting { server: self.label(), reason, seconds });
            }
            sleep(pause).await;
        }
        Ok(())
    }

    fn waiting(&self) -> Option<(Arc<str>, u64)> {
        self.health.lock().waiting()
    }

    fn failed(&self, reason: &Arc<str>) {
        let failures = self.health.lock().fail(reason);
        tracing::warn!(server = self.name(), %reason, failures, "an upstream failed");
    }

    /// Starts the upstream. A process that ends at the first request of one generation, as all servers
    /// on rmcp 1 do, is started once more and gets that of the other.
    async fn start(&self, client: &ConnectionClient) -> Result<(Connection, ServerFacts), StartError> {
        let (began, limit) = (Instant::now(), self.start_timeout());
        let first = self.era_memory.first_request();
        let failed = match self.start_with(client, first, limit).await {
            Err(error) if self.is_process() && error.is_of_first_request() => error,
            outcome => return self.remember_era(outcome, first),
        };
        let rest = limit.saturating_sub(began.elapsed());
        tracing::debug!(server = self.name(), ?first, "a server ended in the handshake; it is started once more");
        match self.start_with(client, first.other(), rest).await {
            // `initialize` says more: a server that does not know `server/discover` ends there anyway.
            Err(_) if first == FirstRequest::Initialize => Err(failed),
            outcome => self.remember_era(outcome, first),
        }
    }

    /// Remembers the generation that the upstream speaks, for the next start.
    fn remember_era(
        &self,
        outcome: Result<(Connection, ServerFacts), StartError>,
        first: FirstRequest,
    ) -> Result<(Connection, ServerFacts), StartError> {
        match &outcome {
            Ok((connection, _)) => self.era_memory.remember(connection.era()),
            // A server can also wait for ever after a request that it does not know.
            Err(StartError::Timeout(..)) => self.era_memory.try_next(first.other()),
            Err(_) => {}
        }
        outcome
    }

    async fn start_with(
        &self,
        client: &ConnectionClient,
        first: FirstRequest,
        limit: Duration,
    ) -> Result<(Connection, ServerFacts), StartError> {
        let (events, queue) = mpsc::channel(QUEUE);
        let (link, stderr): (Arc<dyn Link>, _) = match &self.entry.transport {
            ServerTransport::Stdio(server) => {
                let child = ChildLink::start(
                    server,
                    &self.entry.settings.inherit_env,
                    events,
                    #[cfg(unix)]
                    self.shared.guard.clone(),
                );
                let child = child.map_err(|error| StartError::Spawn(server.command.clone(), error))?;
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
                    true => Arc::new(SseLink::start(server, tokens, events)?),
                    false => Arc::new(HttpLink::new(server, tokens, events)?),
                };
                (link, StderrTail::default())
            }
        };
        let mut connection = Connection::new(link, queue, self.event_target(client));
        // No version since 2025-03-26 has the transport HTTP+SSE.
        let first = if self.is_legacy_sse() { FirstRequest::Initialize } else { first };
        let shaken = timeout(limit, shake_hands(&mut connection, first)).await;
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
            Ok(Err(error)) => {
                if self.is_process() {
                    // It may hold a port or a file that the next process needs.
                    connection.close();
                    let _ = timeout(CLOSE_TIMEOUT, connection.until_closed()).await;
                }
                Err(error.into())
            }
            Err(_) => Err(StartError::Timeout(self.start_timeout(), stderr.text())),
        }
    }

    const fn is_process(&self) -> bool {
        matches!(self.entry.transport, ServerTransport::Stdio(_))
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
                upstream.ended(&open, &reason, began.elapsed());
            }
            if !open.is_open() {
                return upstream.pool.remove(&slot);
            }
            if began.elapsed() >= LIFE_MIN {
                upstream.health.lock().failures = 0;
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

    fn ended(&self, connection: &Connection, reason: &Arc<str>, life: Duration) {
        if connection.is_closing() {
            return;
        }
        if connection.has_expired() {
            tracing::debug!(server = self.name(), "the session of an upstream has ended");
        } else if life < LIFE_MIN {
            // Without the pause, each call would start a process that crashes.
            self.failed(reason);
        } else {
            tracing::info!(server = self.name(), %reason, "an upstream ended");
        }
    }

    /// Ends all connections, and waits until their processes have ended.
    pub(super) async fn stop(&self) {
        let connections = self.pool.take_all().await;
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
        let server = || self.label();
        self.rates.count(tool).map_err(|error| UpstreamError::Rate { server: server(), error })
    }

    pub(super) fn request_error(&self, error: RequestError) -> UpstreamError {
        match error {
            RequestError::Unauthorized(TokenError::LoginRequired(reason)) => UpstreamError::LoginRequired { reason },
            error => UpstreamError::Request { server: self.label(), error },
        }
    }
}
