//! An upstream over streamable HTTP, of both protocol generations.

mod standalone_stream;

use super::{
    config::{HttpServer, SecretText},
    link::{Link, LinkError, LinkEvent, LinkEvents, ParamHeaders},
    message,
    oauth::AccessTokens,
    stdio::LINE_MAX,
};
use crate::protocol::headers;
use futures::{Stream, StreamExt};
use parking_lot::Mutex;
use reqwest::{
    Client, Method, RequestBuilder, Response, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, InvalidHeaderValue},
    redirect::Policy,
};
use rmcp::model::JsonObject;
use serde_json::Value;
use sse_stream::SseStream;
use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{sync::RwLock, task::AbortHandle, time::timeout};
use tokio_util::sync::CancellationToken;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the end of a session may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long requests wait until the server has taken `notifications/initialized`.
const OPENING_TIMEOUT: Duration = Duration::from_secs(2);
/// The most messages in flight to one upstream.
const IN_FLIGHT_MAX: usize = 1_024;
/// The characters of an error's body that its message contains.
const BODY_SHOWN: usize = 500;
/// The longest id of an event that is remembered, in bytes.
const EVENT_ID_MAX: usize = 1_000;
const EVENT_STREAM: &str = "text/event-stream";

/// A connection over HTTP. Each message is a request of its own.
pub(super) struct HttpLink(Arc<Shared>);

struct Shared {
    client: Client,
    url: Url,
    headers: HeaderMap,
    /// The tokens of the header `Authorization`, unless `headers` has it.
    tokens: Option<Arc<AccessTokens>>,
    /// What the handshake has set.
    negotiated: Mutex<Negotiated>,
    events: LinkEvents,
    /// Locked for writing while `notifications/initialized` is sent. Requests that overtake it would
    /// reach a server that is not ready, and may list fewer tools.
    opening: Arc<RwLock<()>>,
    /// The tasks of requests, by id, so that a cancelled request closes its stream.
    tasks: Mutex<HashMap<u64, AbortHandle>>,
    in_flight: AtomicUsize,
    closing: CancellationToken,
}

#[derive(Default)]
struct Negotiated {
    version: Option<String>,
    session: Option<HeaderValue>,
}

/// Why an HTTP upstream cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpLinkError {
    #[error("{0} is not a URL: {1}")]
    Url(String, String),
    #[error("the header {0} is not valid: a name has no spaces, and a value no line breaks")]
    Header(String),
    #[error("no HTTP client: {0}")]
    Client(reqwest::Error),
}

impl HttpLink {
    /// Creates a connection. The access tokens are those of whom the connection is for.
    pub(super) fn new(
        server: &HttpServer,
        tokens: Option<Arc<AccessTokens>>,
        events: LinkEvents,
    ) -> Result<Self, HttpLinkError> {
        let url = Url::parse(&server.url).map_err(|error| HttpLinkError::Url(server.origin(), error.to_string()))?;
        let mut own = HeaderMap::new();
        let token = server.bearer_token.as_ref().map(|token| format!("Bearer {}", token.expose()));
        let headers = server.headers.iter().map(|(name, value)| (name.as_str(), value.expose()));
        for (name, value) in headers.chain(token.as_deref().map(|token| ("authorization", token))) {
            let bad = || HttpLinkError::Header(name.to_owned());
            let key: reqwest::header::HeaderName = name.parse().map_err(|_| bad())?;
            own.insert(key, sensitive(value).map_err(|_| bad())?);
        }
        // A redirect could send the headers, which contain secrets, to another server.
        let client = Client::builder().connect_timeout(CONNECT_TIMEOUT).redirect(Policy::none());
        let client = client.build().map_err(HttpLinkError::Client)?;
        Ok(Self(Arc::new(Shared {
            client,
            url,
            headers: own,
            tokens,
            negotiated: Mutex::default(),
            events,
            opening: Arc::default(),
            tasks: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            closing: CancellationToken::new(),
        })))
    }
}

impl Link for HttpLink {
    fn send(&self, message: Value) -> Result<(), LinkError> {
        self.send_with_headers(message, ParamHeaders::new())
    }

    fn send_with_headers(&self, message: Value, params: ParamHeaders) -> Result<(), LinkError> {
        if self.0.closing.is_cancelled() {
            return Err(LinkError::Closed);
        }
        if self.0.in_flight.fetch_add(1, Ordering::Relaxed) >= IN_FLIGHT_MAX {
            self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
            return Err(LinkError::Full);
        }
        let shared = self.0.clone();
        let id = message.get("method").and_then(|_| message.get("id")).and_then(Value::as_u64);
        let is_opening = message.get("method").is_some_and(|method| method == "notifications/initialized");
        let opening = is_opening.then(|| shared.opening.clone().try_write_owned());
        let posting = async move {
            if opening.is_none() {
                // A server that never takes the notification is asked all the same.
                let _ = timeout(OPENING_TIMEOUT, shared.opening.read()).await;
            }
            let failed = shared.closing.clone().run_until_cancelled(shared.post(&message, &params, id)).await;
            if is_opening {
                shared.read_standalone_stream();
            }
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
        if self.0.closing.is_cancelled() {
            return;
        }
        self.0.closing.cancel();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let shared = self.0.clone();
        runtime.spawn(async move {
            if shared.negotiated.lock().session.is_some() {
                // A server may refuse to end sessions (405), which changes nothing here.
                let bearer = shared.tokens.as_ref().and_then(|tokens| tokens.latest_bearer());
                drop(shared.request(Method::DELETE, bearer.as_ref(), None).timeout(CLOSE_TIMEOUT).send().await);
            }
            let _ = shared.events.send(LinkEvent::Closed { reason: "it was stopped".into() }).await;
        });
    }
}

impl Shared {
    /// Creates a request. The version of its message precedes that of the handshake: servers refuse a
    /// header that occurs twice.
    fn request(&self, method: Method, bearer: Option<&SecretText>, version: Option<&str>) -> RequestBuilder {
        let mut request = self.client.request(method, self.url.clone()).headers(self.headers.clone());
        request = request.header(ACCEPT, format!("application/json, {EVENT_STREAM}"));
        if let Some(bearer) = bearer {
            // A token with other characters than those of a header is one that no server takes.
            let value = sensitive(&format!("Bearer {}", bearer.expose()));
            request = value.into_iter().fold(request, |request, value| request.header(AUTHORIZATION, value));
        }
        let negotiated = self.negotiated.lock();
        if let Some(version) = version.or(negotiated.version.as_deref()) {
            request = request.header(headers::VERSION, version);
        }
        if let Some(session) = &negotiated.session {
            request = request.header(headers::SESSION_ID, session);
        }
        request
    }

    /// Sends a request with an access token. A request that met with 401 did not run, so it is sent once
    /// more with another token.
    async fn send_authorized(
        &self,
        id: Option<u64>,
        request: impl Fn(Option<&SecretText>) -> RequestBuilder,
    ) -> Result<Response, LinkEvent> {
        let send =
            async |bearer: Option<&SecretText>| request(bearer).send().await.map_err(|error| lost(id, chain(&error)));
        let Some(tokens) = &self.tokens else { return send(None).await };
        let unauthorized = |error| LinkEvent::Unauthorized { id, error };
        let bearer = tokens.bearer().await.map_err(unauthorized)?;
        let mut response = send(bearer.as_ref()).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            let other = tokens.renew(bearer.as_ref()).await.map_err(unauthorized)?;
            response = send(Some(&other)).await?;
        }
        match tokens.refusal(&response) {
            Some(error) => Err(unauthorized(error)),
            None => Ok(response),
        }
    }

    fn message_request(&self, message: &Value, params: &ParamHeaders, bearer: Option<&SecretText>) -> RequestBuilder {
        let version = message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").and_then(Value::as_str);
        let mut request = self.request(Method::POST, bearer, version).header(CONTENT_TYPE, "application/json");
        if version.is_some() {
            if let Some(method) = message.get("method").and_then(Value::as_str) {
                request = request.header(headers::METHOD, method);
            }
            let target = ["/params/name", "/params/uri", "/params/taskId"].iter().find_map(|key| message.pointer(key));
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
    async fn post(&self, message: &Value, params: &ParamHeaders, id: Option<u64>) -> Result<(), LinkEvent> {
        let response = self.send_authorized(id, |bearer| self.message_request(message, params, bearer)).await?;
        self.take_session(&response);
        let status = response.status();
        if !status.is_success() {
            return self.refused(status, response, id).await;
        }
        let is_events = content_type(&response).starts_with(EVENT_STREAM);
        let mut body = Box::pin(response.bytes_stream().map(|part| part.map_err(io::Error::other)).peekable());
        // Some proxies declare a stream of events and send the JSON of the response.
        let first = body.as_mut().peek().await.and_then(|part| part.as_ref().ok());
        let is_json = first.is_some_and(|part| part.trim_ascii_start().starts_with(b"{"));
        if is_events && !is_json {
            self.deliver_events(body, id, &mut None).await.map_err(|error| lost(id, error.to_string()))?;
            // A stream that ended without the response. For an answered request this has no effect.
            return Err(lost(id, "the stream ended before the response".to_owned()));
        }
        let bytes = collect(body).await.map_err(|error| lost(id, error.to_string()))?;
        if bytes.trim_ascii().is_empty() {
            return Err(lost(id, format!("HTTP {status} without a body")));
        }
        let value = serde_json::from_slice(&bytes).map_err(|error| lost(id, format!("it sent no JSON: {error}")))?;
        self.deliver(value, id).await;
        Ok(())
    }

    fn take_session(&self, response: &Response) {
        if let Some(session) = response.headers().get(headers::SESSION_ID) {
            self.negotiated.lock().session = Some(session.clone());
        }
    }

    async fn refused(&self, status: StatusCode, response: Response, id: Option<u64>) -> Result<(), LinkEvent> {
        let body =
            collect(response.bytes_stream().map(|part| part.map_err(io::Error::other))).await.unwrap_or_default();
        // An error of JSON-RPC tells more than the status that it travels with.
        if let Ok(value) = serde_json::from_slice::<Value>(&body)
            && value.get("error").is_some_and(Value::is_object)
            && value.get("id").and_then(Value::as_u64).is_some_and(|answered| Some(answered) == id)
        {
            self.deliver(value, id).await;
            return Ok(());
        }
        if status == StatusCode::NOT_FOUND && self.negotiated.lock().session.is_some() {
            return Err(LinkEvent::SessionEnded);
        }
        let text: String = String::from_utf8_lossy(&body).chars().take(BODY_SHOWN).collect();
        let hint = if status == StatusCode::UNAUTHORIZED { "; set a token in the entry's `headers`" } else { "" };
        Err(lost(id, format!("HTTP {status}{hint}: {}", text.trim()).trim_end_matches([':', ' ']).to_owned()))
    }

    async fn deliver(&self, value: Value, during: Option<u64>) {
        // Arrays are batches of 2025-03-26.
        let messages = match value {
            Value::Array(messages) => messages,
            message => vec![message],
        };
        for value in messages {
            let _ = self.events.send(LinkEvent::Message { value, during }).await;
        }
    }

    /// Delivers the messages of a stream, and remembers where it can be resumed.
    async fn deliver_events(
        &self,
        body: impl Stream<Item = io::Result<bytes::Bytes>> + Unpin,
        during: Option<u64>,
        last_event: &mut Option<String>,
    ) -> io::Result<()> {
        // The bytes since the last event: one event must not exceed the limit.
        let unread = Arc::new(AtomicUsize::new(0));
        let counter = unread.clone();
        let counted = body.map(move |part| {
            let part = part?;
            if counter.fetch_add(part.len(), Ordering::Relaxed) + part.len() > LINE_MAX {
                return Err(io::Error::other(format!("an event is over {} MiB", LINE_MAX / 1024 / 1024)));
            }
            Ok(part)
        });
        let mut events = SseStream::from_bytes_stream(counted);
        while let Some(event) = events.next().await {
            let event = event.map_err(|error| io::Error::other(error.to_string()))?;
            unread.store(0, Ordering::Relaxed);
            // Header values are ASCII without line breaks.
            let id = event.id.filter(|id| id.len() <= EVENT_ID_MAX && HeaderValue::from_str(id).is_ok());
            *last_event = id.or(last_event.take());
            // Events without data only say where to resume.
            let Some(data) = event.data.filter(|data| !data.trim().is_empty()) else { continue };
            match serde_json::from_str(&data) {
                Ok(message) => self.deliver(message, during).await,
                Err(error) => tracing::warn!(%error, "skipped an event that is not JSON"),
            }
        }
        Ok(())
    }
}

async fn collect(mut body: impl Stream<Item = io::Result<bytes::Bytes>> + Unpin) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(part) = body.next().await {
        let part = part?;
        if bytes.len() + part.len() > LINE_MAX {
            return Err(io::Error::other(format!("its response is over {} MiB", LINE_MAX / 1024 / 1024)));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

/// Creates the value of a header that no log shows.
fn sensitive(text: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut value: HeaderValue = text.parse()?;
    value.set_sensitive(true);
    Ok(value)
}

fn content_type(response: &Response) -> &str {
    response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn lost(id: Option<u64>, reason: String) -> LinkEvent {
    LinkEvent::Lost { id, reason: reason.into() }
}

/// Writes an error with its causes, without the URL: a query may contain a secret.
fn chain(error: &reqwest::Error) -> String {
    let mut text = if error.is_timeout() { "no answer in time" } else { "it cannot be reached" }.to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
