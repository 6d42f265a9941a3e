//! The transport HTTP+SSE of MCP 2024-11-05: the server sends all messages on one stream, which names
//! the URL that takes those of the client.

use super::{
    client::{EVENT_STREAM, HttpClient, HttpLinkError, lost, status_text},
    event_stream::{collect, content_type, events},
};
use crate::gateway::{
    config::{HttpServer, SecretText},
    link::{Link, LinkError, LinkEvent, LinkEvents, QUEUE},
    message,
    oauth::AccessTokens,
};
use futures::{Stream, StreamExt};
use reqwest::{Method, Url, header::CONTENT_TYPE};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{io, sync::Arc, time::Duration};
use tokio::{
    sync::{
        mpsc::{self, error::TrySendError},
        watch,
    },
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// How long a message waits for the one before it to be taken.
const ORDER_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection over HTTP+SSE.
pub(in crate::gateway) struct SseLink {
    outbox: mpsc::Sender<Value>,
    closing: CancellationToken,
}

struct Shared {
    http: HttpClient,
    events: LinkEvents,
    /// The URL that takes messages, once the stream has named it.
    endpoint: watch::Sender<Option<Url>>,
    closing: CancellationToken,
}

impl SseLink {
    /// Opens the stream. Messages wait until it is open.
    pub(in crate::gateway) fn start(
        server: &HttpServer,
        tokens: Option<Arc<AccessTokens>>,
        events: LinkEvents,
    ) -> Result<Self, HttpLinkError> {
        let (outbox, queue) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared {
            http: HttpClient::new(server, tokens)?,
            events,
            endpoint: watch::Sender::new(None),
            closing: CancellationToken::new(),
        });
        tokio::spawn(shared.clone().read_until_closed());
        tokio::spawn(shared.clone().write_until_closed(queue));
        Ok(Self { outbox, closing: shared.closing.clone() })
    }
}

impl Link for SseLink {
    fn send(&self, message: Value) -> Result<(), LinkError> {
        if self.closing.is_cancelled() {
            return Err(LinkError::Closed);
        }
        self.outbox.try_send(message).map_err(|error| match error {
            TrySendError::Full(_) => LinkError::Full,
            TrySendError::Closed(_) => LinkError::Closed,
        })
    }

    fn cancel(&self, id: u64, notify: bool) {
        if notify {
            let params = JsonObject::from_iter([("requestId".to_owned(), id.into())]);
            let _ = self.send(message::notification("notifications/cancelled", params));
        }
    }

    // The headers of later versions mean nothing to a server of this transport.
    fn negotiated(&self, _: &str) {}

    fn close(&self) {
        self.closing.cancel();
    }
}

impl Shared {
    async fn read_until_closed(self: Arc<Self>) {
        let reason = match self.closing.clone().run_until_cancelled(self.read()).await {
            Some(Err(LinkEvent::Closed { reason })) => reason,
            Some(Err(event)) => {
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
    async fn write_until_closed(self: Arc<Self>, mut queue: mpsc::Receiver<Value>) {
        while let Some(Some(message)) = self.closing.run_until_cancelled(queue.recv()).await {
            let shared = self.clone();
            let posting = async move {
                let id = message.get("method").and_then(|_| message.get("id")).and_then(Value::as_u64);
                let posted = shared.closing.run_until_cancelled(shared.post(&message, id)).await;
                if let (Some(Err(event)), true) = (posted, id.is_some()) {
                    let _ = shared.events.send(event).await;
                }
            };
            // A server may hold an answer back until it has that of the client to a request of its own.
            let _ = timeout(ORDER_TIMEOUT, tokio::spawn(posting)).await;
        }
    }

    /// Delivers the messages of the stream until it ends.
    async fn read(&self) -> Result<(), LinkEvent> {
        let closed = |reason: String| LinkEvent::Closed { reason: reason.into() };
        let url = self.http.url();
        let get = |bearer: Option<&SecretText>| self.http.request(Method::GET, url, bearer);
        let response = self.http.send_authorized(None, get).await.map_err(|event| match event {
            LinkEvent::Lost { reason, .. } => LinkEvent::Closed { reason },
            event => event,
        })?;
        let (status, is_stream) = (response.status(), content_type(&response).starts_with(EVENT_STREAM));
        let body = Box::pin(response.bytes_stream().map(|part| part.map_err(io::Error::other)));
        if !status.is_success() {
            return Err(closed(status_text(status, &collect(body).await.unwrap_or_default())));
        }
        if !is_stream {
            return Err(closed(format!("HTTP {status} without a stream of events; it may speak streamable HTTP")));
        }
        self.deliver(body).await.map_err(|error| closed(error.to_string()))
    }

    async fn deliver(&self, body: impl Stream<Item = io::Result<bytes::Bytes>> + Unpin) -> io::Result<()> {
        let mut events = events(body);
        while let Some(event) = events.next().await {
            let event = event?;
            let Some(data) = event.data.filter(|data| !data.trim().is_empty()) else { continue };
            if event.event.as_deref() == Some("endpoint") {
                self.endpoint.send_replace(Some(self.endpoint_url(data.trim())?));
                continue;
            }
            match serde_json::from_str(&data) {
                Ok(value) => drop(self.events.send(LinkEvent::Message { value, during: None }).await),
                Err(error) => tracing::warn!(%error, "skipped an event that is not JSON"),
            }
        }
        Ok(())
    }

    /// Returns the URL that the stream names. One of another origin would get the headers, which are
    /// secrets.
    fn endpoint_url(&self, text: &str) -> io::Result<Url> {
        let own = self.http.url();
        let url = own.join(text).map_err(|error| io::Error::other(format!("its endpoint is not a URL: {error}")))?;
        if url.origin() != own.origin() {
            return Err(io::Error::other("its endpoint is at another origin, which gets no messages"));
        }
        Ok(url)
    }

    /// Posts a message. The answer comes on the stream.
    async fn post(&self, message: &Value, id: Option<u64>) -> Result<(), LinkEvent> {
        let mut endpoint = self.endpoint.subscribe();
        // It ends with the link, or when the stream names the URL.
        let named = endpoint.wait_for(Option::is_some).await.ok().and_then(|named| named.clone());
        let Some(url) = named else { return Ok(()) };
        let text = message.to_string();
        let request = |bearer: Option<&SecretText>| {
            let request = self.http.request(Method::POST, &url, bearer);
            request.header(CONTENT_TYPE, "application/json").body(text.clone())
        };
        let response = self.http.send_authorized(id, request).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let body = collect(Box::pin(response.bytes_stream().map(|part| part.map_err(io::Error::other)))).await;
        Err(lost(id, status_text(status, &body.unwrap_or_default())))
    }
}
