//! One upstream: it starts when a request needs it, and stops when it was idle for long.

use super::{
    cached_lists::CachedLists,
    client_events::{ClientEvent, EventKind, EventTarget},
    config::{ConnectionSharing, IdleStop, ServerEntry, ServerTransport},
    connection::{Connection, RequestError},
    connection_pool::{ConnectionClient, ConnectionPool, ConnectionSlot, PoolError},
    era::{HandshakeError, ServerFacts, shake_hands},
    http::{HttpLink, HttpLinkError},
    link::{Link, QUEUE},
    list, names,
    oauth::AccessTokens,
    rates::{CallRates, RateError},
    resources::IssuedUris,
    rows::ObservedColumns,
    shared_parts::SharedParts,
    stdio::{ChildLink, StderrTail},
    subscriptions::ChangeSubscription,
    tasks::IssuedTasks,
    token_error::TokenError,
};
use crate::digest::Digest;
use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use std::{
    io,
    sync::{Arc, Weak},
    time::{Duration, Instant, SystemTime},
};
use tokio::{
    sync::{mpsc, watch},
    time::{sleep, timeout},
};

/// How long a start may take, unless the entry sets a time. Package runners download first.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How long an upstream runs without a request, unless the entry sets a time.
const IDLE: Duration = Duration::from_secs(600);
/// The pause before the next start after one that failed. It doubles with each failure.
const BACKOFF_MIN: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_secs(60);
/// The failures in a row after which an upstream counts as failing.
const FAILING: u32 = 5;
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
    fingerprint: String,
    pub(super) shared: Arc<SharedParts>,
    pub(super) lists: ArcSwapOption<CachedLists>,
    /// Held while lists are compared with the lock and replaced.
    pub(super) review: Mutex<()>,
    pub(super) pool: ConnectionPool,
    pub(super) health: Mutex<Health>,
    rates: CallRates,
    pub(super) issued: IssuedUris,
    pub(super) tasks: IssuedTasks,
    pub(super) observed: ObservedColumns,
    /// Increases with each reading of the lists, also with one that failed.
    readings: watch::Sender<u64>,
}

/// The outcome of the latest starts.
#[derive(Debug, Clone, Default)]
pub(super) struct Health {
    pub(super) failures: u32,
    pub(super) last_error: Option<Arc<str>>,
    retry: Option<Instant>,
    /// How long the latest start took.
    pub(super) started_in: Option<Duration>,
    /// Since when a person must log in.
    pub(super) needs_login: Option<SystemTime>,
}

impl Health {
    pub(super) const fn is_failing(&self) -> bool {
        self.failures >= FAILING
    }

    /// Records that a person must log in. This is no failure: the next call after the login must not
    /// wait.
    pub(super) fn require_login(&mut self, reason: Arc<str>) {
        let needs_login = Some(SystemTime::now());
        *self = Self { failures: self.failures, last_error: Some(reason), needs_login, ..Self::default() };
    }
}

/// Why an upstream cannot answer.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum UpstreamError {
    #[error("`{server}` is not available: {reason}; the next try is in {seconds} s")]
    Waiting { server: String, reason: Arc<str>, seconds: u64 },
    #[error("`{server}` could not be started: {reason}")]
    Start { server: String, reason: Arc<str> },
    /// The text names the server, and the command for a login.
    #[error("{reason}")]
    LoginRequired { reason: Arc<str> },
    #[error("`{server}` is not called: {error}")]
    Rate { server: String, error: RateError },
    #[error("`{server}` is not called: {error}")]
    Pool { server: String, error: PoolError },
    #[error("held: {reason}")]
    Held { reason: String },
    #[error(
        "the tool of `{server}` has changed since its description was read, and did not run; read the description again"
    )]
    Changed { server: String },
    #[error("`{server}` gave no result: {error}")]
    Request { server: String, error: RequestError },
}

#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("`{0}` cannot be run: {1}; check `command` and PATH")]
    Spawn(String, io::Error),
    #[error(transparent)]
    Http(#[from] HttpLinkError),
    #[error(
        "it speaks the transport SSE of MCP 2024-11-05, which this gateway does not; ask for its streamable HTTP URL"
    )]
    Sse,
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    #[error("no answer to the handshake in {} s{}", .0.as_secs_f32(), written(.1))]
    Timeout(Duration, String),
}

impl StartError {
    /// Returns the text of an error that a login ends.
    fn login_reason(&self) -> Option<Arc<str>> {
        match self {
            Self::Token(TokenError::LoginRequired(reason))
            | Self::Handshake(HandshakeError::Initialize(RequestError::Unauthorized(TokenError::LoginRequired(
                reason,
            )))) => Some(reason.clone()),
            _ => None,
        }
    }
}

fn written(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; its standard error ends with:\n{stderr}") }
}

impl Upstream {
    pub(super) fn new(entry: ServerEntry, shared: Arc<SharedParts>) -> Arc<Self> {
        let fingerprint = Digest::from_bytes(entry.fingerprint_source().to_string().as_bytes()).to_string();
        let lists = shared.cache.as_ref().and_then(|cache| cache.read(&entry.name, &fingerprint)).map(Arc::new);
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
            rates,
            issued: IssuedUris::default(),
            tasks: IssuedTasks::default(),
            observed,
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
        self.check_backoff()?;
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
                Err(UpstreamError::Start { server: self.name().to_owned(), reason })
            }
        }
    }

    fn check_backoff(&self) -> Result<(), UpstreamError> {
        let health = self.health.lock();
        let (Some(retry), Some(reason)) = (health.retry, &health.last_error) else { return Ok(()) };
        let wait = retry.saturating_duration_since(Instant::now());
        if wait.is_zero() {
            return Ok(());
        }
        let (server, reason) = (self.name().to_owned(), reason.clone());
        Err(UpstreamError::Waiting { server, reason, seconds: wait.as_secs() + 1 })
    }

    /// Waits for the next start after the first failure. Later pauses are too long for a caller.
    pub(super) async fn wait_for_restart(&self) {
        let retry = self.health.lock().retry;
        let pause = retry.map(|retry| retry.saturating_duration_since(Instant::now())).unwrap_or_default();
        if pause <= BACKOFF_MIN {
            sleep(pause).await;
        }
    }

    fn failed(&self, reason: &Arc<str>) {
        let mut health = self.health.lock();
        health.failures += 1;
        let pause = BACKOFF_MIN.saturating_mul(1 << (health.failures - 1).min(6)).min(BACKOFF_MAX);
        health.retry = Some(Instant::now() + pause);
        health.last_error = Some(reason.clone());
        tracing::warn!(server = self.name(), %reason, failures = health.failures, "an upstream failed");
    }

    async fn start(&self, client: &ConnectionClient) -> Result<(Connection, ServerFacts), StartError> {
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
            ServerTransport::Http(server) => {
                let tokens = AccessTokens::from_entry(&self.entry, client.subject(), &self.shared);
                if let Some(tokens) = &tokens {
                    // A renewal may take longer than a server has for the first answer of the handshake.
                    tokens.bearer().await?;
                }
                (Arc::new(HttpLink::new(server, tokens, events)?), StderrTail::default())
            }
            ServerTransport::Sse(_) => return Err(StartError::Sse),
        };
        let mut connection = Connection::new(link, queue, self.event_target(client));
        let remembered = self.lists().map(|lists| lists.era.clone());
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

    /// Starts the upstream if it is not running, and waits until its lists were read.
    pub(super) async fn read_lists(self: &Arc<Self>) -> Result<(), UpstreamError> {
        // Subscribed before the start, so that no reading is missed.
        let mut readings = self.readings.subscribe();
        let was_running = self.is_running();
        let connection = self.connection(&ConnectionClient::default()).await?;
        if was_running && self.lists().is_some() {
            // They are read again whenever the upstream notifies that they changed.
            return Ok(());
        }
        tokio::select! {
            _ = readings.changed() => {}
            _ = connection.until_closed() => {}
            () = sleep(self.start_timeout()) => {}
        }
        Ok(())
    }

    async fn refresh(&self, connection: &Connection, facts: &ServerFacts) {
        if let Err(reason) = self.read_from(connection, facts).await
            && !connection.is_closing()
        {
            tracing::warn!(server = self.name(), reason, "the former lists of an upstream stay");
            self.health.lock().last_error = Some(reason.into());
        }
        self.readings.send_modify(|readings| *readings += 1);
    }

    /// Reads the lists from the upstream. If that fails, or a list is empty that was not, the
    /// former lists stay.
    async fn read_from(&self, connection: &Connection, facts: &ServerFacts) -> Result<(), String> {
        let lists = timeout(self.start_timeout(), list::read_all(connection, facts)).await;
        let lists = lists.map_err(|_| "no answer in time".to_owned())?;
        let lists = lists.inspect_err(|error| self.end_without_login(error, connection));
        let mut lists = lists.map_err(|error| error.to_string())?;
        if lists.tools.is_empty() && self.lists().is_some_and(|former| !former.tools.is_empty()) {
            return Err("its list of tools is empty".to_owned());
        }
        if self.entry.settings.share == ConnectionSharing::Principal {
            self.lists().iter().for_each(|former| lists.keep_missing(former));
        }
        let era = connection.era().clone();
        let lists = CachedLists::new(self.name(), &self.fingerprint, era, facts.clone(), lists);
        if let Some(cache) = &self.shared.cache
            && let Err(error) = cache.write(&lists)
        {
            tracing::warn!(server = self.name(), %error, "could not write the cached lists");
        }
        let former = self.lists();
        let is_changed = self.store(lists).map_err(|error| error.to_string())?;
        self.health.lock().last_error = None;
        if is_changed {
            self.shared.changed.send_modify(|changes| *changes += 1);
            self.announce_changes(former.as_deref());
        }
        Ok(())
    }

    /// Notifies clients of changes to prompts and resources. The server itself notifies them of tools.
    fn announce_changes(&self, former: Option<&CachedLists>) {
        let Some(lists) = self.lists() else { return };
        let prompts = |lists: &CachedLists| lists.prompts.clone();
        let resources = |lists: &CachedLists| (lists.resources.clone(), lists.templates.clone());
        let is_changed = [
            (EventKind::PromptsChanged, former.map(prompts).unwrap_or_default() != prompts(&lists)),
            (EventKind::ResourcesChanged, former.map(resources).unwrap_or_default() != resources(&lists)),
        ];
        for (kind, _) in is_changed.into_iter().filter(|(_, is_changed)| *is_changed) {
            self.shared.events.send(ClientEvent { server: self.name().into(), session: None, kind });
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
            error => UpstreamError::Request { server: self.name().to_owned(), error },
        }
    }
}
