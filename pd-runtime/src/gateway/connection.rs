//! One connection to an upstream: requests and their responses, whatever the transport.

use super::{
    client_requests::{self, UpstreamRequest},
    era::Era,
    link::{Link, LinkError, LinkEvent, ParamHeaders},
    message::{self, Message, RpcError},
    token_error::TokenError,
};
use parking_lot::Mutex;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Instant,
};
use tokio::sync::{mpsc, oneshot, watch};

/// The most requests that wait for one connection's responses.
const PENDING_MAX: usize = 1_024;
/// The characters of an upstream's log message that are logged.
const LOG_TEXT_MAX: usize = 2_000;
/// The events of a call that wait to be handled. Further progress reports are dropped, as MCP
/// allows, and further requests are refused.
const EVENT_QUEUE: usize = 64;

/// A connection that is open, or was.
pub(super) struct Connection {
    link: Arc<dyn Link>,
    shared: Arc<Shared>,
    era: Era,
    is_closing: AtomicBool,
    /// How many changes of lists are part of the lists that were read. `None` before the first
    /// reading.
    changes_read: watch::Sender<Option<u64>>,
}

#[derive(Debug)]
struct Shared {
    pending: Mutex<HashMap<u64, Pending>>,
    next_id: AtomicU64,
    last_used: Mutex<Instant>,
    /// Why the connection has ended.
    closed: watch::Sender<Option<Arc<str>>>,
    /// Whether it has ended because the upstream no longer knows the session.
    has_expired: AtomicBool,
    /// Increases with each notification that a list has changed.
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct Pending {
    reply: oneshot::Sender<Result<Value, RequestError>>,
    /// Set for the requests of a client.
    events: Option<mpsc::Sender<CallEvent>>,
}

/// The client's side of a request.
pub(super) struct CallSide {
    pub(super) events: mpsc::Sender<CallEvent>,
    pub(super) wants_progress: bool,
    /// What the client can do, for an upstream of 2026-07-28.
    pub(super) capabilities: JsonObject,
    pub(super) headers: ParamHeaders,
}

/// A message of the upstream that belongs to a request which is not answered yet.
#[derive(Debug)]
pub(super) enum CallEvent {
    Progress(JsonObject),
    Request(UpstreamRequest),
}

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum RequestError {
    /// The upstream answered with an error.
    #[error(transparent)]
    Refused(Box<RpcError>),
    #[error("the connection ended before the response: {0}")]
    Closed(Arc<str>),
    /// The upstream did not look at the request, because it no longer knows the session.
    #[error("its session has ended (HTTP 404)")]
    SessionEnded,
    /// The upstream did not run the request, because there is no access token that it takes.
    #[error(transparent)]
    Unauthorized(TokenError),
    #[error("the call was canceled")]
    Canceled,
    /// The upstream requires input that the client did not give.
    #[error("it requires input: {0}")]
    Input(Arc<str>),
    #[error("it required input {0} times, which is the limit")]
    Rounds(usize),
    /// The response cannot be read.
    #[error("the response was lost: {0}")]
    Lost(Arc<str>),
    #[error("it did not take the request: {0}")]
    Unsent(#[from] LinkError),
    #[error("{PENDING_MAX} requests are waiting for it; try again later")]
    Busy,
}

/// A request that was sent. Dropping it cancels the request.
pub(super) struct SentRequest<'a> {
    connection: &'a Connection,
    id: u64,
    reply: oneshot::Receiver<Result<Value, RequestError>>,
    state: RequestState,
}

/// What is left to do for a request that is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestState {
    /// Nothing: it was not sent, or it was answered.
    Ended,
    /// It waits. Clients must not cancel `initialize` (basic, cancellation).
    Handshake,
    /// It waits, and the upstream is notified that it is canceled.
    Open,
}

impl SentRequest<'_> {
    /// Waits for the response.
    pub(super) async fn response(&mut self) -> Result<Value, RequestError> {
        let reply = (&mut self.reply).await;
        self.state = RequestState::Ended;
        reply.unwrap_or_else(|_| Err(RequestError::Closed("it was stopped".into())))
    }
}

impl Drop for SentRequest<'_> {
    fn drop(&mut self) {
        self.connection.shared.pending.lock().remove(&self.id);
        if self.state != RequestState::Ended {
            self.connection.link.cancel(self.id, self.state == RequestState::Open);
        }
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("era", &self.era).finish_non_exhaustive()
    }
}

impl Connection {
    /// Handles a transport's events from now on.
    pub(super) fn new(link: Arc<dyn Link>, events: mpsc::Receiver<LinkEvent>) -> Self {
        let shared = Arc::new(Shared {
            pending: Mutex::default(),
            next_id: AtomicU64::new(1),
            last_used: Mutex::new(Instant::now()),
            closed: watch::Sender::new(None),
            has_expired: AtomicBool::new(false),
            changes: watch::Sender::new(0),
        });
        tokio::spawn(handle_events(events, link.clone(), shared.clone()));
        Self {
            link,
            shared,
            era: Era::Unknown,
            is_closing: AtomicBool::new(false),
            changes_read: watch::Sender::new(None),
        }
    }

    pub(super) const fn era(&self) -> &Era {
        &self.era
    }

    /// Sets the era that the handshake has found. Further requests have its metadata.
    pub(super) fn set_era(&mut self, era: Era) {
        self.link.negotiated(era.version());
        self.era = era;
    }

    /// Sends a request without waiting for the response.
    ///
    /// The metadata that belongs to one hop is made anew: the progress token, and the keys of
    /// `io.modelcontextprotocol/`. Other keys of `_meta` are sent as they are.
    pub(super) fn send(
        &self,
        method: &str,
        mut params: JsonObject,
        call: Option<CallSide>,
    ) -> Result<SentRequest<'_>, RequestError> {
        if let Some(reason) = self.closed() {
            return Err(RequestError::Closed(reason));
        }
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let wants_progress = call.as_ref().is_some_and(|call| call.wants_progress);
        let (events, capabilities, headers) = match call {
            Some(call) => (Some(call.events), call.capabilities, call.headers),
            None => Default::default(),
        };
        self.era.set_meta(&mut params, wants_progress.then_some(id), capabilities);
        let (sender, reply) = oneshot::channel();
        {
            let mut pending = self.shared.pending.lock();
            if pending.len() >= PENDING_MAX {
                return Err(RequestError::Busy);
            }
            pending.insert(id, Pending { reply: sender, events });
        }
        *self.shared.last_used.lock() = Instant::now();
        let mut sent = SentRequest { connection: self, id, reply, state: RequestState::Ended };
        self.link.send_with_headers(message::request(id, method, params), headers)?;
        let is_handshake = matches!(method, "initialize" | "server/discover");
        sent.state = if is_handshake { RequestState::Handshake } else { RequestState::Open };
        Ok(sent)
    }

    /// Sends a request and waits for the response.
    pub(super) async fn request(&self, method: &str, params: JsonObject) -> Result<Value, RequestError> {
        self.send(method, params, None)?.response().await
    }

    pub(super) fn notify(&self, method: &str, params: JsonObject) -> Result<(), LinkError> {
        self.link.send(message::notification(method, params))
    }

    /// Answers a request of the upstream.
    pub(super) fn respond(&self, id: Value, outcome: Result<Value, RpcError>) {
        respond(&*self.link, id, outcome);
    }

    /// Creates a channel for the events of one request.
    pub(super) fn event_channel() -> (mpsc::Sender<CallEvent>, mpsc::Receiver<CallEvent>) {
        mpsc::channel(EVENT_QUEUE)
    }

    /// Returns why the connection has ended, or `None` if it is open.
    pub(super) fn closed(&self) -> Option<Arc<str>> {
        self.shared.closed.borrow().clone()
    }

    /// Returns whether the connection has ended because the upstream no longer knows the session,
    /// which is no failure.
    pub(super) fn has_expired(&self) -> bool {
        self.shared.has_expired.load(Ordering::Relaxed)
    }

    /// Waits until the connection has ended, and returns why.
    pub(super) async fn until_closed(&self) -> Arc<str> {
        let mut closed = self.shared.closed.subscribe();
        let reason = closed.wait_for(Option::is_some).await;
        reason.ok().and_then(|reason| reason.clone()).unwrap_or_else(|| "it was stopped".into())
    }

    /// Returns a receiver that changes whenever the upstream notifies that a list has changed.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Records that the lists were read, or that this failed. `changes` is the number of changes
    /// before the reading began.
    pub(super) fn finish_reading(&self, changes: u64) {
        self.changes_read.send_replace(Some(changes));
    }

    /// Waits until the lists were read, with all changes that the upstream has notified so far.
    pub(super) async fn until_read(&self) {
        let (changes, mut read) = (*self.shared.changes.borrow(), self.changes_read.subscribe());
        tokio::select! {
            _ = read.wait_for(|read| read.is_some_and(|read| read >= changes)) => {}
            _ = self.until_closed() => {}
        }
    }

    /// Returns since when no request was sent, if none is waiting for its response.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        self.shared.pending.lock().is_empty().then(|| *self.shared.last_used.lock())
    }

    /// Ends the connection on purpose.
    pub(super) fn close(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
        self.link.close();
    }

    /// Returns whether the gateway itself has ended the connection.
    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.link.close();
    }
}

async fn handle_events(mut events: mpsc::Receiver<LinkEvent>, link: Arc<dyn Link>, shared: Arc<Shared>) {
    while let Some(event) = events.recv().await {
        match event {
            LinkEvent::Message { value, during } => match Message::parse(value) {
                Some(message) => handle(message, during, &*link, &shared),
                None => tracing::warn!("skipped JSON that is not a message of JSON-RPC"),
            },
            LinkEvent::Lost { id, reason } => fail(&shared, id, RequestError::Lost(reason)),
            LinkEvent::Unauthorized { id, error } => fail(&shared, id, RequestError::Unauthorized(error)),
            LinkEvent::SessionEnded => {
                shared.has_expired.store(true, Ordering::Relaxed);
                shared.closed.send_replace(Some("its session has ended".into()));
                fail_all(&shared, &RequestError::SessionEnded);
                return;
            }
            LinkEvent::Closed { reason } => {
                shared.closed.send_replace(Some(reason.clone()));
                fail_all(&shared, &RequestError::Closed(reason));
                return;
            }
        }
    }
    let reason: Arc<str> = "its transport ended".into();
    shared.closed.send_replace(Some(reason.clone()));
    fail_all(&shared, &RequestError::Closed(reason));
}

/// Fails one request or, without an id, all that are open.
fn fail(shared: &Shared, id: Option<u64>, error: RequestError) {
    let Some(id) = id else { return fail_all(shared, &error) };
    if let Some(pending) = shared.pending.lock().remove(&id) {
        let _ = pending.reply.send(Err(error));
    }
}

fn fail_all(shared: &Shared, error: &RequestError) {
    for (_, pending) in shared.pending.lock().drain() {
        let _ = pending.reply.send(Err(error.clone()));
    }
}

/// Handles a message. `during` is the request in whose response stream it came.
fn handle(message: Message, during: Option<u64>, link: &dyn Link, shared: &Shared) {
    match message {
        Message::Response { id, outcome } => match shared.pending.lock().remove(&id) {
            Some(pending) => drop(pending.reply.send(outcome.map_err(|error| RequestError::Refused(Box::new(error))))),
            // Also the late response to a request that was canceled.
            None => tracing::debug!(id, "a response to no open request"),
        },
        // Each request gets an answer: servers wait for it, some even after their input ended.
        Message::Request(request) if request.method == "ping" => respond(link, request.id, Ok(json!({}))),
        Message::Request(request) => match place_for(&request.method, during, shared) {
            Some(place) => drop(place.send(CallEvent::Request(request))),
            None => respond(link, request.id, Err(client_requests::without_call(&request.method))),
        },
        Message::Notification { method, params } => notified(&method, params, shared),
    }
}

/// Returns the place for a request in the queue of the call that it belongs to. A child's request
/// names no call, so it is that of the only one. Returns `None` if no call takes the request.
fn place_for(method: &str, during: Option<u64>, shared: &Shared) -> Option<mpsc::OwnedPermit<CallEvent>> {
    if !client_requests::is_for_client(method) {
        return None;
    }
    let pending = shared.pending.lock();
    let calls = pending.iter().filter(|(id, _)| during.is_none_or(|during| during == **id));
    let mut calls = calls.filter_map(|(_, pending)| pending.events.as_ref());
    match (calls.next(), calls.next()) {
        (Some(events), None) => events.clone().try_reserve_owned().ok(),
        _ => None,
    }
}

fn respond(link: &dyn Link, id: Value, outcome: Result<Value, RpcError>) {
    if let Err(error) = link.send(message::response(id, outcome)) {
        tracing::warn!(%error, "could not answer a request of the upstream");
    }
}

fn notified(method: &str, params: JsonObject, shared: &Shared) {
    match method {
        "notifications/progress" => {
            let token = params.get("progressToken").and_then(Value::as_u64);
            let pending = shared.pending.lock();
            let events = token.and_then(|token| pending.get(&token)).and_then(|pending| pending.events.as_ref());
            // A report for a request that has ended, or one too many at once.
            if let Some(Ok(place)) = events.map(mpsc::Sender::try_reserve) {
                place.send(CallEvent::Progress(params));
            }
        }
        "notifications/tools/list_changed"
        | "notifications/prompts/list_changed"
        | "notifications/resources/list_changed" => shared.changes.send_modify(|changes| *changes += 1),
        "notifications/message" => {
            let text = params.get("data").map(Value::to_string).unwrap_or_default();
            let text: String = text.chars().take(LOG_TEXT_MAX).collect();
            tracing::debug!(target: "pd_runtime::gateway::upstream", "{text}");
        }
        _ => {}
    }
}
