//! An upstream over streamable HTTP, of both protocol generations.

mod client;
mod event_stream;
mod foreign_answer;
mod legacy_sse;
mod redirect;
mod resumption;
mod session_check;
pub(crate) mod shared_clients;
mod standalone_stream;
mod transport_failure;

pub(crate) use legacy_sse::SseLink;

use crate::{
    config::{HttpServer, SecretText},
    failure::{failure_text::FailureText, secret_filter::SecretFilter},
    message::{
        self, response_id,
        wire::{MessageBounds, MessageReservation, ReceivedMessage},
    },
    oauth::AccessTokens,
    transport::{
        link::{Link, LinkEvent, LinkEvents, MessageStream, ParamHeaders},
        request_error::RequestError,
    },
};
use client::{EVENT_STREAM, HttpClient, lost, pause_of};
use event_stream::{body_parts, collect, content_type, read_body};
use futures::StreamExt;
use parking_lot::Mutex;
use pd_runtime::upstream::{protocol::headers, text::truncate::first_chars};
use reqwest::{
    Method, RequestBuilder, Response, StatusCode,
    header::{CONTENT_TYPE, HeaderValue},
};
use rmcp::model::JsonObject;
use serde_json::Value;
use session_check::{SessionCheck, is_session_error, is_suspicious, session_ended};
use shared_clients::SharedClients;
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{sync::RwLock, task::AbortHandle, time::timeout};
use tokio_util::sync::CancellationToken;

/// How long the end of a session may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long requests wait until the server has taken `notifications/initialized`.
const OPENING_TIMEOUT: Duration = Duration::from_secs(2);
/// The most messages in flight to one upstream.
const IN_FLIGHT_MAX: usize = 1_024;

/// The characters of an error about the session that are shown.
const SESSION_TEXT_MAX: usize = 200;

/// A connection over HTTP. Each message is a separate request.
pub(crate) struct HttpLink(Arc<Shared>);

struct Shared {
    http: HttpClient,
    /// What the handshake has set.
    negotiated: Mutex<Negotiated>,
    check: SessionCheck,
    events: LinkEvents,
    /// Locked for writing while `notifications/initialized` is sent. Requests that overtake it
    /// would reach a server that is not ready, and may list fewer tools.
    opening: Arc<RwLock<()>>,
    /// The tasks of requests, by id, so that a cancelled request closes its stream.
    tasks: Mutex<HashMap<u64, AbortHandle>>,
    in_flight: AtomicUsize,
    closing: CancellationToken,
    bounds: MessageBounds,
}

/// The bytes of an answer that are searched for secrets, if the answer is not the expected one.
const ANSWER_READ: usize = 4 * 1024;

#[derive(Default)]
struct Negotiated {
    version: Option<String>,
    session: Option<HeaderValue>,
}

impl HttpLink {
    /// Creates a connection. `tokens` are the access tokens of the client that uses it.
    pub(crate) fn new(
        clients: &SharedClients,
        server: &HttpServer,
        tokens: Option<Arc<AccessTokens>>,
        secrets: Arc<SecretFilter>,
        events: LinkEvents,
        bounds: MessageBounds,
    ) -> Result<Self, FailureText> {
        Ok(Self(Arc::new(Shared {
            http: HttpClient::new(clients, server, tokens, secrets)?,
            negotiated: Mutex::default(),
            check: SessionCheck::default(),
            events,
            opening: Arc::default(),
            tasks: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            closing: CancellationToken::new(),
            bounds,
        })))
    }
}

impl Link for HttpLink {
    fn send(&self, message: Value) -> Result<(), RequestError> {
        self.send_with_headers(message, ParamHeaders::new())
    }

    fn send_with_headers(&self, message: Value, params: ParamHeaders) -> Result<(), RequestError> {
        if self.0.closing.is_cancelled() {
            return Err(RequestError::InputClosed);
        }
        // Counted before the comparison, so that two messages cannot both take the last place.
        if self.0.in_flight.fetch_add(1, Ordering::Relaxed) >= IN_FLIGHT_MAX {
            self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
            return Err(RequestError::InputFull);
        }
        let shared = self.0.clone();
        // A response has the id of the upstream's own request, so it is not one that waits here.
        let id = message
            .get("method")
            .and_then(|_| message.get("id"))
            .and_then(Value::as_u64);
        let is_opening = message
            .get("method")
            .is_some_and(|method| method == "notifications/initialized");
        // Locked before the task starts, so that all later requests wait for it.
        let opening = is_opening.then(|| shared.opening.clone().try_write_owned());
        let posting = async move {
            if opening.is_none() {
                // A server that never takes the notification is asked all the same.
                let _ = timeout(OPENING_TIMEOUT, shared.opening.read()).await;
            }
            let failed = shared
                .closing
                .clone()
                .run_until_cancelled(shared.post(&message, &params, id))
                .await;
            // Not before: the stream belongs to the session, which the handshake opens.
            if is_opening {
                shared.read_standalone_stream();
            }
            // A notification that fails has no caller who waits for it.
            if let (Some(Err(event)), true) = (failed, id.is_some()) {
                let _ = shared.events.send(event).await;
            }
            // A request that was cancelled at this moment is counted off by `cancel`.
            if id.is_none_or(|id| shared.tasks.lock().remove(&id).is_some()) {
                shared.in_flight.fetch_sub(1, Ordering::Relaxed);
            }
        };
        // The lock is held while the task starts, so that it cannot end before it is registered.
        let mut tasks = self.0.tasks.lock();
        let task = tokio::spawn(posting).abort_handle();
        if let Some(id) = id {
            tasks.insert(id, task);
        }
        Ok(())
    }

    fn cancel(&self, id: u64, notify: bool) {
        let task = self.0.tasks.lock().remove(&id);
        if let Some(task) = task {
            // Since 2026-07-28 the closed stream is the cancellation. Before, it means nothing.
            task.abort();
            self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
        }
        if notify && self.0.negotiated.lock().session.is_some() {
            let params = JsonObject::from_iter([("requestId".to_owned(), id.into())]);
            let _ = self.send(message::notification("notifications/cancelled", params));
        }
    }

    fn negotiated(&self, version: &str) {
        self.0.negotiated.lock().version = Some(version.to_owned());
    }

    fn close(&self) {
        // A connection closes its link once more when it is dropped.
        if self.0.closing.is_cancelled() {
            return;
        }
        self.0.closing.cancel();
        // A link can be dropped after its runtime, and then nothing can be sent.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let shared = self.0.clone();
        runtime.spawn(async move {
            // A client should end a session that it no longer needs (MCP 2025-11-25, transports).
            if shared.negotiated.lock().session.is_some() {
                // A server may refuse to end sessions (405), which changes nothing here.
                // Not renewed: that may take 45 seconds, and the gateway ends within two.
                let bearer = shared.http.latest_bearer();
                drop(
                    shared
                        .request(Method::DELETE, bearer.as_ref(), None)
                        .timeout(CLOSE_TIMEOUT)
                        .send()
                        .await,
                );
            }
            let _ = shared
                .events
                .send(LinkEvent::Closed {
                    reason: "it was stopped".into(),
                })
                .await;
        });
    }
}

impl Shared {
    /// Creates a request. The version of its message replaces the version of the handshake, because
    /// servers refuse a header that occurs twice.
    fn request(
        &self,
        method: Method,
        bearer: Option<&SecretText>,
        version: Option<&str>,
    ) -> RequestBuilder {
        let mut request = self.http.request(method, self.http.url(), bearer);
        let negotiated = self.negotiated.lock();
        if let Some(version) = version.or(negotiated.version.as_deref()) {
            request = request.header(headers::VERSION, version);
        }
        if let Some(session) = &negotiated.session {
            request = request.header(headers::SESSION_ID, session);
        }
        request
    }

    fn message_request(
        &self,
        message: &Value,
        params: &ParamHeaders,
        bearer: Option<&SecretText>,
    ) -> RequestBuilder {
        let version = message
            .pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion")
            .and_then(Value::as_str);
        let mut request = self
            .request(Method::POST, bearer, version)
            .header(CONTENT_TYPE, "application/json");
        // Only messages since 2026-07-28 name their version themselves. They repeat the method and
        // the target in headers (SEP-2243).
        if version.is_some() {
            if let Some(method) = message.get("method").and_then(Value::as_str) {
                request = request.header(headers::METHOD, method);
            }
            let target = ["/params/name", "/params/uri", "/params/taskId"]
                .iter()
                .find_map(|key| message.pointer(key));
            if let Some(target) = target.and_then(Value::as_str) {
                request = request.header(headers::NAME, &*headers::encode(target));
            }
            for (name, value) in params {
                request = request.header(name, value);
            }
        }
        request.body(message.to_string())
    }

    /// Posts a message and delivers what the server answers.
    async fn post(
        &self,
        message: &Value,
        params: &ParamHeaders,
        id: Option<u64>,
    ) -> Result<(), LinkEvent> {
        let sent = self
            .http
            .send_authorized(id, |bearer| self.message_request(message, params, bearer))
            .await;
        let response = match sent {
            // Some servers answer with 401 if they do not know the session (`is_suspicious`).
            Err(failure @ LinkEvent::Unauthorized { .. }) => {
                return Err(self.explained(failure).await);
            }
            sent => sent?,
        };
        let method = message.get("method").and_then(Value::as_str);
        if method == Some("initialize") && response.status().is_success() {
            self.take_session(&response);
        }
        let status = response.status();
        if !status.is_success() {
            let is_handshake = matches!(method, Some("initialize" | "server/discover"));
            return self.refused(status, response, id, is_handshake).await;
        }
        self.check.note_success(message);
        let kind = content_type(&response).to_owned();
        let is_events = kind.starts_with(EVENT_STREAM);
        let mut body = Box::pin(body_parts(response).peekable());
        // Some proxies declare a stream of events and send the JSON of the response.
        let first = body
            .as_mut()
            .peek()
            .await
            .and_then(|part| part.as_ref().ok());
        let is_json = first.is_some_and(|part| part.trim_ascii_start().starts_with(b"{"));
        if is_events && !is_json {
            return Err(lost(id, self.deliver_response(body, id).await));
        }
        let body = read_body(body, &self.bounds)
            .await
            .map_err(|error| lost(id, error.to_string()))?;
        let beginning = body.beginning(ANSWER_READ);
        match body.finish(&self.bounds).await {
            // Also the usual 202 of a notification, which has no id, and for which no caller waits.
            ReceivedMessage::Empty => {
                return Err(lost(id, format!("HTTP {status} without a body")));
            }
            ReceivedMessage::Json(value, memory) => {
                let is_answer = value.get("result").is_some() && response_id(&value) == id;
                self.deliver(value, id, memory).await;
                if is_answer {
                    return Ok(());
                }
            }
            ReceivedMessage::Unreadable(_) if foreign_answer::is_foreign(&beginning) => {
                let shown = self.http.shown(&beginning);
                return Err(lost(
                    id,
                    foreign_answer::explain(status, &kind, &shown, "a message"),
                ));
            }
            ReceivedMessage::Unreadable(message) => {
                drop(
                    self.events
                        .send(LinkEvent::Unreadable {
                            message,
                            stream: MessageStream::from_post(id),
                            is_whole: true,
                        })
                        .await,
                );
            }
        }
        // For an answered request this has no effect.
        let failure = FailureText::from("its answer is none to this request");
        Err(lost(id, failure.with_body(&self.http.shown(&beginning))))
    }

    /// Takes the session of a response to `initialize`. The Python SDK 1 also names one when it
    /// refuses `server/discover`, and ends that session at once.
    fn take_session(&self, response: &Response) {
        if let Some(session) = response.headers().get(headers::SESSION_ID) {
            self.negotiated.lock().session = Some(session.clone());
        }
    }

    async fn refused(
        &self,
        status: StatusCode,
        response: Response,
        id: Option<u64>,
        is_handshake: bool,
    ) -> Result<(), LinkEvent> {
        let pause = pause_of(&response);
        let body =
            // A body that breaks off explains nothing, so the status alone decides.
            collect(body_parts(response)).await.unwrap_or_default();
        let has_session = self.negotiated.lock().session.is_some();
        // An error of JSON-RPC explains more than the status that it comes with.
        if let Ok(value) = serde_json::from_slice::<Value>(&body)
            && !(status == StatusCode::NOT_FOUND && has_session && is_session_error(&value))
            && value.get("error").is_some_and(Value::is_object)
            && value
                .get("id")
                .and_then(Value::as_u64)
                .is_some_and(|answered| Some(answered) == id)
        {
            self.deliver(value, id, MessageReservation::default()).await;
            return Ok(());
        }
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(LinkEvent::SessionEnded { id, refusal: None });
        }
        let mut reason = self.http.status_failure(status, pause, &body);
        if is_handshake {
            reason = foreign_answer::with_path_advice(reason, status);
        }
        // A 4xx refuses a request before it runs. With another status, it may have run.
        let failure = match status.is_client_error() {
            true => LinkEvent::NotRun { id, reason },
            false => LinkEvent::Lost { id, reason },
        };
        Err(if is_suspicious(status) {
            self.explained(failure).await
        } else {
            failure
        })
    }

    /// Delivers the whole response to a message. `id` is that of a request.
    async fn deliver(&self, value: Value, id: Option<u64>, memory: MessageReservation) {
        let is_suspicious = id.is_some() && is_session_error(&value);
        // The text alone decides nothing: an error of a tool can speak of a session, too.
        let event = if is_suspicious && self.has_lost_session().await {
            let text = value
                .pointer("/error/message")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let reason = first_chars(text, SESSION_TEXT_MAX).to_owned().into();
            session_ended(LinkEvent::NotRun { id, reason })
        } else {
            LinkEvent::Message {
                value,
                stream: MessageStream::from_post(id),
                is_whole: true,
                memory,
            }
        };
        let _ = self.events.send(event).await;
    }
}
