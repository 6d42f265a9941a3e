//! One connection to an upstream: requests and their responses, whatever the transport.
//!
//! `request` is a request that was sent, and `events` handles the messages that arrive. `era` is
//! the handshake, and the metadata of each hop, and `named_versions` the versions that a server
//! names. `pool` has the connections to one upstream, by the clients that they belong to.
//! `client_requests` sends requests of the server to a client, `questions` bounds and prepares them,
//! `form_texts` makes their texts safe to show, and `question_state` carries their number over
//! several rounds. `client_events` sends changes at upstreams to clients. `notification_answers`
//! finds the errors that answer notifications. `open_question` tells a client that nobody waits for
//! its answer.

pub(crate) mod client_events;
pub(crate) mod client_requests;
pub(crate) mod era;
mod events;
mod form_texts;
mod named_versions;
mod notification_answers;
mod open_question;
pub(crate) mod pool;
pub(crate) mod question_state;
pub(crate) mod questions;
mod request;
pub(crate) mod start_error;

pub(crate) use request::{Answer, SentRequest};

use request::{Reply, RequestState};

pub(crate) use crate::transport::request_error::RequestError;
use crate::{
    connection::{
        client_events::EventTarget, era::Era, notification_answers::NotificationAnswers,
        questions::QuestionBudget,
    },
    failure::failure_text::FailureText,
    message::{
        self, ErrorObject, client_request::UpstreamRequest, log_level::LogLevel,
        wire::MessageReservation,
    },
    transport::PENDING_MAX,
    transport::link::{Link, LinkEvent, ParamHeaders},
};
use parking_lot::{Mutex, MutexGuard};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    sync::{Semaphore, mpsc, oneshot, watch},
    time::timeout,
};

/// The events of a call that wait to be handled. Further progress reports are dropped, as MCP
/// allows, and further requests are refused.
const EVENT_QUEUE: usize = 64;

/// The requests to the client of a session that wait at once, outside of calls.
const SESSION_REQUESTS_MAX: usize = 8;
/// How long to wait for the reason why a connection has ended.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection that is open, or was.
pub(crate) struct Connection {
    link: Arc<dyn Link>,
    shared: Arc<Shared>,
    era: Era,
    /// Whether the upstream declares log messages.
    has_logs: bool,
    /// The lowest level of the log messages that were asked for.
    log_level: Mutex<Option<LogLevel>>,
    /// How often clients are subscribed to each resource.
    subscribed: Mutex<HashMap<Arc<str>, usize>>,
    is_closing: AtomicBool,
    /// How many changes of lists are part of the lists that were read. `None` before the first
    /// reading.
    changes_read: watch::Sender<Option<u64>>,
}

#[derive(Debug)]
struct Shared {
    /// Where messages go that belong to no call.
    target: EventTarget,
    /// A permit for each request to the client of the session.
    asking: Arc<Semaphore>,
    /// The requests to the client of the session since its latest request, outside of calls.
    questions: QuestionBudget,
    pending: Mutex<HashMap<u64, Pending>>,
    next_id: AtomicU64,
    /// The notifications that can still be answered.
    notifications: NotificationAnswers,
    last_used: Mutex<Instant>,
    /// Why the connection has ended.
    closed: watch::Sender<Option<FailureText>>,
    /// Whether it has ended because the upstream no longer knows the session, or its process has
    /// exited after it had answered everything.
    has_expired: AtomicBool,
    /// Whether a request of a client has had a response.
    has_served: AtomicBool,
    /// Increases with each notification that a list has changed.
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct Pending {
    reply: oneshot::Sender<Reply>,
    /// Set for the requests of a client.
    events: Option<mpsc::Sender<CallEvent>>,
    /// The client's session, if it has one.
    session: Option<u64>,
    /// Whether the gateway itself waits, so that the connection counts as idle all the same.
    is_background: bool,
}

/// The client's side of a request.
pub(crate) struct CallSide {
    pub(crate) events: mpsc::Sender<CallEvent>,
    pub(crate) wants_progress: bool,
    /// What the client can do, for an upstream of 2026-07-28.
    pub(crate) capabilities: JsonObject,
    pub(crate) headers: ParamHeaders,
    /// The number of the client's session, if it has one.
    pub(crate) session: Option<u64>,
    /// The lowest level of the log messages that the client reads.
    pub(crate) log_level: Option<LogLevel>,
}

/// A message of the upstream that belongs to a request which is not answered yet.
#[derive(Debug)]
pub(crate) enum CallEvent {
    Progress(JsonObject),
    Log(JsonObject),
    Request(UpstreamRequest),
    /// The upstream no longer waits for the answer to its request with this id.
    RequestCanceled(Value),
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("era", &self.era)
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// Records that a notification is sent. Called before, so that its answer cannot come first.
    fn note_notification(&self) {
        self.notifications
            .note_sent(self.next_id.load(Ordering::Relaxed));
    }
}

impl Connection {
    /// Handles a transport's events from now on.
    pub(crate) fn new(
        link: Arc<dyn Link>,
        events: mpsc::Receiver<LinkEvent>,
        target: EventTarget,
    ) -> Self {
        let shared = Arc::new(Shared {
            target,
            asking: Arc::new(Semaphore::new(SESSION_REQUESTS_MAX)),
            questions: QuestionBudget::default(),
            pending: Mutex::default(),
            next_id: AtomicU64::new(1),
            notifications: NotificationAnswers::default(),
            last_used: Mutex::new(Instant::now()),
            closed: watch::Sender::new(None),
            has_expired: AtomicBool::new(false),
            has_served: AtomicBool::new(false),
            changes: watch::Sender::new(0),
        });
        tokio::spawn(events::handle_events(events, link.clone(), shared.clone()));
        Self {
            link,
            shared,
            era: Era::Unknown,
            has_logs: false,
            log_level: Mutex::default(),
            subscribed: Mutex::default(),
            is_closing: AtomicBool::new(false),
            changes_read: watch::Sender::new(None),
        }
    }

    pub(crate) const fn era(&self) -> &Era {
        &self.era
    }

    /// Returns whether the connection belongs to one session.
    pub(crate) fn is_of_session(&self) -> bool {
        self.shared.target.session.is_some()
    }

    /// Returns whether the connection has the rights of the user who runs the gateway.
    pub(crate) fn is_of_owner(&self) -> bool {
        self.shared.target.is_of_owner
    }

    /// Sets the era that the handshake has found. Further requests have its metadata.
    pub(crate) fn set_era(&mut self, era: Era) {
        self.link.negotiated(era.version());
        self.era = era;
    }

    /// Sets what the upstream has declared.
    pub(crate) fn set_capabilities(&mut self, capabilities: &Value) {
        self.has_logs = capabilities.get("logging").is_some_and(Value::is_object);
    }

    /// Sends a request without waiting for the response.
    ///
    /// The metadata that belongs to one hop is made anew: the progress token, and the keys of
    /// `io.modelcontextprotocol/`. Other keys of `_meta` are sent as they are.
    pub(crate) fn send(
        &self,
        method: &str,
        params: JsonObject,
        call: Option<CallSide>,
    ) -> Result<SentRequest<'_>, RequestError> {
        self.send_pending(method, params, call, false)
    }

    /// Sends a request that the gateway itself waits for, also while the connection is idle.
    pub(crate) fn send_in_background(
        &self,
        method: &str,
        params: JsonObject,
    ) -> Result<SentRequest<'_>, RequestError> {
        self.send_pending(method, params, None, true)
    }

    fn send_pending(
        &self,
        method: &str,
        mut params: JsonObject,
        call: Option<CallSide>,
        is_background: bool,
    ) -> Result<SentRequest<'_>, RequestError> {
        // The request has not run, so `forward` sends it once more.
        if let Some(reason) = self.closed() {
            return Err(RequestError::Ended(reason));
        }
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let wants_progress = call.as_ref().is_some_and(|call| call.wants_progress);
        if call.is_some() {
            // A request of a client begins a new budget for questions outside of calls.
            self.shared.questions.reset();
        }
        let (events, session, capabilities, headers, log_level) = match call {
            Some(call) => (
                Some(call.events),
                call.session,
                call.capabilities,
                call.headers,
                call.log_level,
            ),
            None => (
                None,
                None,
                client_requests::list_capabilities(),
                ParamHeaders::new(),
                None,
            ),
        };
        // The token is the id, so that a progress report finds its request without another table.
        self.era.set_meta(
            &mut params,
            wants_progress.then_some(id),
            capabilities,
            log_level,
        );
        let (sender, reply) = oneshot::channel();
        {
            // Before the request is sent, so that its response finds it. The lock ends here,
            // because a request that cannot be sent takes it again when it is dropped.
            let mut pending = self.shared.pending.lock();
            if pending.len() >= PENDING_MAX {
                return Err(RequestError::Busy);
            }
            pending.insert(
                id,
                Pending {
                    reply: sender,
                    events,
                    session,
                    is_background,
                },
            );
        }
        self.touch();
        let mut sent = SentRequest {
            connection: self,
            id,
            reply,
            // Until the request is sent, there is nothing to cancel.
            state: RequestState::Ended,
            memory: MessageReservation::default(),
        };
        self.link
            .send_with_headers(message::request(id, method, params), headers)?;
        let is_handshake = matches!(method, "initialize" | "server/discover");
        sent.state = if is_handshake {
            RequestState::Handshake
        } else {
            RequestState::Open
        };
        Ok(sent)
    }

    /// Sends a request and waits for the response.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: JsonObject,
    ) -> Result<Value, RequestError> {
        self.send(method, params, None)?.response().await
    }

    pub(crate) fn notify(&self, method: &str, params: JsonObject) -> Result<(), RequestError> {
        self.shared.note_notification();
        self.link.send(message::notification(method, params))
    }

    /// Returns what a person should know of the lists, where the transport itself makes them.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.link.notes()
    }

    /// Answers a request of the upstream.
    pub(crate) fn respond(&self, id: Value, outcome: Result<Value, ErrorObject>) {
        events::respond(&*self.link, id, outcome);
    }

    /// Creates a channel for the events of one request.
    pub(crate) fn event_channel() -> (mpsc::Sender<CallEvent>, mpsc::Receiver<CallEvent>) {
        mpsc::channel(EVENT_QUEUE)
    }

    /// Returns whether the connection takes requests.
    pub(crate) fn is_open(&self) -> bool {
        self.closed().is_none() && !self.is_closing()
    }

    /// Counts the connection as used now.
    pub(crate) fn touch(&self) {
        *self.shared.last_used.lock() = Instant::now();
    }

    /// Returns why the connection has ended, or `None` if it is open.
    pub(crate) fn closed(&self) -> Option<FailureText> {
        self.shared.closed.borrow().clone()
    }

    /// Returns whether the connection has ended because the upstream no longer knows the session,
    /// or because its process is done. Neither is a failure.
    pub(crate) fn has_expired(&self) -> bool {
        self.shared.has_expired.load(Ordering::Relaxed)
    }

    /// Waits until the connection has ended, and returns why.
    pub(crate) async fn until_closed(&self) -> FailureText {
        let mut closed = self.shared.closed.subscribe();
        let reason = closed.wait_for(Option::is_some).await;
        reason
            .ok()
            .and_then(|reason| reason.clone())
            .unwrap_or_else(|| "it was stopped".into())
    }

    /// Waits a moment for the end of a connection that takes no more input, and returns why it has
    /// ended. The end is noticed after the input was closed, and decides whether it is a failure.
    pub(crate) async fn noticed_end(&self) -> Option<FailureText> {
        timeout(END_TIMEOUT, self.until_closed()).await.ok()
    }

    /// Returns a receiver that changes whenever the upstream notifies that a list has changed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Records that the lists were read, or that this failed. `changes` is the number of changes
    /// before the reading began.
    pub(crate) fn finish_reading(&self, changes: u64) {
        // Not `send`, which drops the value while no call waits for it.
        self.changes_read.send_replace(Some(changes));
    }

    /// Returns whether the lists were read, with all changes that the upstream has notified so far.
    pub(crate) fn is_read(&self) -> bool {
        let changes = *self.shared.changes.borrow();
        self.changes_read
            .borrow()
            .is_some_and(|read| read >= changes)
    }

    /// Waits until the lists were read, with all changes that the upstream has notified so far.
    pub(crate) async fn until_read(&self) {
        let changes = *self.shared.changes.borrow();
        let mut read = self.changes_read.subscribe();
        tokio::select! {
            _ = read.wait_for(|read| read.is_some_and(|read| read >= changes)) => {}
            // A connection that has ended reads nothing more.
            _ = self.until_closed() => {}
        }
    }

    /// Returns since when no request was sent, if no client waits for a response or is subscribed.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let is_idle = self.subscribed.lock().is_empty()
            && self
                .shared
                .pending
                .lock()
                .values()
                .all(|pending| pending.is_background);
        is_idle.then(|| *self.shared.last_used.lock())
    }

    /// Returns how often clients are subscribed to each resource.
    pub(crate) fn subscribed(&self) -> MutexGuard<'_, HashMap<Arc<str>, usize>> {
        self.subscribed.lock()
    }

    /// Asks for the log messages that a client reads, if the upstream has some.
    pub(crate) fn request_logs(&self, level: LogLevel) {
        // Since 2026-07-28 each request has the level in its metadata (`Era::set_meta`).
        let Era::Legacy(_) = self.era else { return };
        let mut current = self.log_level.lock();
        if !self.has_logs || current.is_some_and(|current| current <= level) {
            return;
        }
        // Only ever lowered, because clients share the level. The gateway leaves out what a client
        // does not read (`LogLevel::reads`).
        *current = Some(level);
        let params = JsonObject::from_iter([("level".to_owned(), level.as_str().into())]);
        if let Ok(sent) = self.send_in_background("logging/setLevel", params) {
            sent.forget();
        }
    }

    /// Ends the connection on purpose.
    pub(crate) fn close(&self) {
        // Before the link ends, so that its end does not count as a failure of the upstream.
        self.is_closing.store(true, Ordering::Relaxed);
        self.link.close();
    }

    /// Returns whether the gateway itself has ended the connection.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.link.close();
    }
}
