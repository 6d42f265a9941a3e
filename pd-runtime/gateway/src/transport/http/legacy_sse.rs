//! The transport HTTP+SSE of MCP 2024-11-05. The server sends all messages on one stream. The
//! stream names the URL that takes the client's messages.

#[cfg(test)]
mod tests;

use super::{
    client::{EVENT_STREAM, HttpClient, lost, pause_of},
    event_stream::{EventReader, body_parts, collect, content_type},
    foreign_answer,
    session_check::{CHECK_ID, is_suspicious, session_ended},
    shared_clients::SharedClients,
};
use crate::transport::{QUEUE, request_error::RequestError};
use crate::{
    config::HttpServer,
    failure::{failure_text::FailureText, limited_log::LimitedLog, secret_filter::SecretFilter},
    message::{
        self,
        wire::{MessageBounds, ReceivedMessage},
    },
    oauth::AccessTokens,
    transport::link::{Link, LinkEvent, LinkEvents, MessageStream},
};
use futures::Stream;
use parking_lot::Mutex;
use reqwest::{Method, StatusCode, Url, header::CONTENT_TYPE};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{
        OwnedSemaphorePermit, Semaphore,
        mpsc::{self, error::TrySendError},
        watch,
    },
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// How long a message waits for the one before it to be taken.
const ORDER_TIMEOUT: Duration = Duration::from_secs(2);
/// The most POSTs in flight to one upstream.
///
/// A server that takes each message at once needs one. A server that holds each POST until its
/// call has ended gets one more per `ORDER_TIMEOUT`, so 64 suffice for calls of two minutes. Each
/// POST is an open file of the gateway, and a process often has 1,024.
const IN_FLIGHT_MAX: usize = 64;
/// How long a POST may last after its message is settled. The renewal of an access token may take
/// 45 seconds of it.
const SETTLED_TIMEOUT: Duration = Duration::from_secs(60);

/// How long the check of a session may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection over HTTP+SSE.
pub(crate) struct SseLink {
    outbox: mpsc::Sender<OutgoingMessage>,
    shared: Arc<Shared>,
}

/// A message that waits for its POST.
struct OutgoingMessage {
    value: Value,
    /// The id of a request.
    id: Option<u64>,
    /// Canceled when nobody waits for a response: it came, or the request was canceled. A
    /// notification or a response is settled from the beginning.
    settled: CancellationToken,
}

struct Shared {
    http: HttpClient,
    events: LinkEvents,
    /// The URL that takes messages, once the stream has named it.
    endpoint: watch::Sender<Option<Url>>,
    /// The requests that are not settled while their POST goes on, by id.
    requests: Mutex<HashMap<u64, CancellationToken>>,
    /// Whether the server has taken a message.
    took_messages: AtomicBool,
    closing: CancellationToken,
    bounds: MessageBounds,
    log: LimitedLog,
}

impl SseLink {
    /// Opens the stream. Messages wait until it is open.
    pub(crate) fn start(
        clients: &SharedClients,
        server: &HttpServer,
        tokens: Option<Arc<AccessTokens>>,
        secrets: Arc<SecretFilter>,
        events: LinkEvents,
        bounds: MessageBounds,
    ) -> Result<Self, FailureText> {
        let (outbox, queue) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared {
            http: HttpClient::new(clients, server, tokens, secrets)?,
            events,
            endpoint: watch::Sender::new(None),
            requests: Mutex::default(),
            took_messages: AtomicBool::new(false),
            closing: CancellationToken::new(),
            bounds: bounds.for_shared_stream(),
            log: LimitedLog::default(),
        });
        tokio::spawn(shared.clone().read_until_closed());
        tokio::spawn(shared.clone().write_until_closed(queue));
        Ok(Self { outbox, shared })
    }
}

impl Link for SseLink {
    fn send(&self, message: Value) -> Result<(), RequestError> {
        if self.shared.closing.is_cancelled() {
            return Err(RequestError::InputClosed);
        }
        let outgoing = OutgoingMessage::new(message);
        let request = outgoing.id.map(|id| (id, outgoing.settled.clone()));
        // The lock is held while the message is queued, so that its POST cannot end before it is
        // registered.
        let mut requests = self.shared.requests.lock();
        self.outbox
            .try_send(outgoing)
            .map_err(|error| match error {
                TrySendError::Full(_) => RequestError::InputFull,
                TrySendError::Closed(_) => RequestError::InputClosed,
            })?;
        requests.extend(request);
        Ok(())
    }

    fn cancel(&self, id: u64, notify: bool) {
        self.shared.settle(id);
        if notify {
            let params = JsonObject::from_iter([("requestId".to_owned(), id.into())]);
            let _ = self.send(message::notification("notifications/cancelled", params));
        }
    }

    // The headers of later versions mean nothing to a server of this transport.
    fn negotiated(&self, _: &str) {}

    fn close(&self) {
        self.shared.closing.cancel();
    }
}

impl OutgoingMessage {
    fn new(value: Value) -> Self {
        let id = value
            .get("method")
            .and_then(|_| value.get("id"))
            .and_then(Value::as_u64);
        let settled = CancellationToken::new();
        if id.is_none() {
            settled.cancel();
        }
        Self { value, id, settled }
    }

    /// Returns whether the message is a request that was canceled while it waited.
    fn is_canceled(&self) -> bool {
        self.id.is_some() && self.settled.is_cancelled()
    }
}

impl Shared {
    async fn read_until_closed(self: Arc<Self>) {
        let reason = match self.closing.clone().run_until_cancelled(self.read()).await {
            Some(Err(LinkEvent::Closed { reason })) => reason,
            Some(Err(event)) => {
                // The event says more than the end, such as that a login is missing.
                let _ = self.events.send(event).await;
                "its stream cannot be opened".into()
            }
            Some(Ok(())) => "its stream has ended".into(),
            None => "it was stopped".into(),
        };
        self.closing.cancel();
        let _ = self.events.send(LinkEvent::Closed { reason }).await;
    }

    /// Posts the messages in their order: a server refuses requests that come before
    /// `notifications/initialized`.
    async fn write_until_closed(self: Arc<Self>, mut queue: mpsc::Receiver<OutgoingMessage>) {
        let places = Arc::new(Semaphore::new(IN_FLIGHT_MAX));
        while let Some(Some((place, message))) = self
            .closing
            .run_until_cancelled(next_message(&places, &mut queue))
            .await
        {
            if message.is_canceled() {
                continue;
            }
            let shared = self.clone();
            let posting = async move {
                shared
                    .closing
                    .run_until_cancelled(shared.post_and_report(message))
                    .await;
                drop(place);
            };
            // A server may hold an answer back until the client has answered the server's own
            // request. So the POST is a task, which goes on after the timeout.
            let _ = timeout(ORDER_TIMEOUT, tokio::spawn(posting)).await;
        }
    }

    async fn post_and_report(&self, message: OutgoingMessage) {
        let OutgoingMessage { value, id, settled } = message;
        let overdue = async {
            settled.cancelled().await;
            sleep(SETTLED_TIMEOUT).await;
        };
        let posted = tokio::select! {
            posted = self.post(&value, id) => posted,
            // A POST that never ends would keep its place.
            () = overdue => Err(lost(id, "it did not answer the POST in time".to_owned())),
        };
        if let Some(id) = id {
            self.requests.lock().remove(&id);
        }
        match posted {
            Err(event) if id.is_some() => drop(self.events.send(event).await),
            // No caller waits for the answer of such a message, so its failure is only logged.
            Err(LinkEvent::Lost { reason, .. } | LinkEvent::NotRun { reason, .. }) => {
                if let Some(left_out) = self.log.admit() {
                    tracing::warn!(%reason, left_out, "the upstream did not take a notification or a response");
                }
            }
            _ => {}
        }
    }

    /// Limits the time of a request's POST, because no caller waits for the response anymore.
    fn settle(&self, id: u64) {
        let settled = self.requests.lock().remove(&id);
        if let Some(settled) = settled {
            settled.cancel();
        }
    }

    /// Delivers the messages of the stream until it ends.
    async fn read(&self) -> Result<(), LinkEvent> {
        let url = self.http.url();
        let sent = self
            .http
            .send_authorized(None, |bearer| self.http.request(Method::GET, url, bearer))
            .await;
        // The GET belongs to no request, so its failure ends the connection.
        let response = sent.map_err(|event| match event {
            LinkEvent::NotRun { reason, .. }
            | LinkEvent::Unreachable { reason, .. }
            | LinkEvent::Interrupted { reason, .. } => LinkEvent::Closed { reason },
            // A login that is missing keeps its own error.
            event => event,
        })?;
        let status = response.status();
        let kind = content_type(&response).to_owned();
        let pause = pause_of(&response);
        // In a box, because the reader of events needs a stream that is `Unpin`.
        let body = Box::pin(body_parts(response));
        if !status.is_success() {
            let reason =
                self.http
                    .status_failure(status, pause, &collect(body).await.unwrap_or_default());
            let reason = foreign_answer::with_path_advice(reason, status);
            return Err(LinkEvent::Closed { reason });
        }
        if !kind.starts_with(EVENT_STREAM) {
            let body = collect(body).await.unwrap_or_default();
            let shown = self.http.shown(&String::from_utf8_lossy(&body));
            let reason = foreign_answer::explain(status, &kind, &shown, "a stream of events");
            return Err(LinkEvent::Closed { reason });
        }
        self.deliver(body)
            .await
            .map_err(|error| closed(error.to_string()))
    }

    async fn deliver(
        &self,
        body: impl Stream<Item = io::Result<bytes::Bytes>> + Unpin,
    ) -> io::Result<()> {
        let mut events = EventReader::new(body);
        while let Some(event) = events.next(&self.bounds).await {
            let event = event?;
            let Some(data) = event.data else { continue };
            if event.name.as_deref() == Some("endpoint") {
                // Not `send`, which drops the value while no POST waits for it.
                self.endpoint
                    .send_replace(Some(self.endpoint_url(data.text().trim())?));
                continue;
            }
            let message = data.finish(&self.bounds).await;
            self.settle_answered(&message);
            if let Some(event) = LinkEvent::from_message(message, MessageStream::Shared) {
                let _ = self.events.send(event).await;
            }
        }
        Ok(())
    }

    fn settle_answered(&self, message: &ReceivedMessage) {
        match message {
            ReceivedMessage::Json(value, _) => message::response_id(value)
                .into_iter()
                .for_each(|id| self.settle(id)),
            ReceivedMessage::Unreadable(message) => message
                .scan
                .answered()
                .iter()
                .for_each(|id| self.settle(*id)),
            ReceivedMessage::Empty => {}
        }
    }

    /// Returns the URL that the stream names. A URL of another origin would get the headers, which
    /// are secrets.
    fn endpoint_url(&self, text: &str) -> io::Result<Url> {
        let own = self.http.target(self.http.url());
        let url = own
            .join(text)
            .map_err(|error| io::Error::other(format!("its endpoint is not a URL: {error}")))?;
        if url.origin() != own.origin() {
            return Err(io::Error::other(
                "its endpoint is at another origin, which gets no messages",
            ));
        }
        Ok(url)
    }

    /// Posts a message. The answer comes on the stream.
    async fn post(&self, message: &Value, id: Option<u64>) -> Result<(), LinkEvent> {
        let mut endpoint = self.endpoint.subscribe();
        // The wait ends with the link, or when the stream names the URL.
        let named = endpoint
            .wait_for(Option::is_some)
            .await
            .ok()
            .and_then(|named| named.clone());
        let Some(url) = named else { return Ok(()) };
        let text = message.to_string();
        let sent = self.http.send_authorized(id, |bearer| {
            let request = self.http.request(Method::POST, &url, bearer);
            request
                .header(CONTENT_TYPE, "application/json")
                .body(text.clone())
        });
        let response = match sent.await {
            Err(failure @ LinkEvent::Unauthorized { .. }) => {
                return Err(self.explained(failure, &url).await);
            }
            sent => sent?,
        };
        let status = response.status();
        if status.is_success() {
            self.took_messages.store(true, Ordering::Relaxed);
            return Ok(());
        }
        let pause = pause_of(&response);
        let body = collect(Box::pin(body_parts(response))).await;
        // Before the server has taken a message, 404 is the answer to a wrong URL.
        if status == StatusCode::NOT_FOUND && self.took_messages.load(Ordering::Relaxed) {
            return Err(LinkEvent::SessionEnded { id, refusal: None });
        }
        let reason = self
            .http
            .status_failure(status, pause, &body.unwrap_or_default());
        // A server that answers with 4xx has not run the message. After 5xx it may have.
        let failure = if status.is_client_error() {
            LinkEvent::NotRun { id, reason }
        } else {
            LinkEvent::Lost { id, reason }
        };
        Err(if is_suspicious(status) {
            self.explained(failure, &url).await
        } else {
            failure
        })
    }

    /// Returns the end of the session in place of a failure, if the server refuses a `ping`, too.
    /// Its URL for messages belongs to one session.
    async fn explained(&self, failure: LinkEvent, url: &Url) -> LinkEvent {
        if !self.took_messages.load(Ordering::Relaxed) {
            return failure;
        }
        let ping = message::request(CHECK_ID, "ping", JsonObject::new()).to_string();
        // Sent with the latest token, because a renewal may take longer than the check.
        let request = self
            .http
            .request(Method::POST, url, self.http.latest_bearer().as_ref());
        let sent = request
            .header(CONTENT_TYPE, "application/json")
            .body(ping)
            .timeout(CHECK_TIMEOUT)
            .send()
            .await;
        // A server that does not answer at all has not refused the session.
        let is_lost = sent.is_ok_and(|response| !response.status().is_success());
        if is_lost {
            session_ended(failure)
        } else {
            failure
        }
    }
}

fn closed(reason: String) -> LinkEvent {
    LinkEvent::Closed {
        reason: reason.into(),
    }
}

/// Waits for the next message that may be posted. Until there is a place for it, it stays in the
/// queue, which is bounded.
async fn next_message(
    places: &Arc<Semaphore>,
    queue: &mut mpsc::Receiver<OutgoingMessage>,
) -> Option<(OwnedSemaphorePermit, OutgoingMessage)> {
    let place = places.clone().acquire_owned().await.ok()?;
    Some((place, queue.recv().await?))
}
