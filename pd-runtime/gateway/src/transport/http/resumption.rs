//! The resumption of streams before 2026-07-28 (MCP 2025-11-25, "Resumability and Redelivery";
//! SEP-1699). A server may end the stream of a response early, and names the pause before the
//! client asks for the rest.

use super::{
    Shared,
    client::EVENT_STREAM,
    event_stream::{EventReader, body_parts, content_type},
};
use crate::{
    failure::retry_pause::RetryPause,
    transport::link::{LinkEvent, MessageStream},
};
use futures::Stream;
use reqwest::{Method, StatusCode, header::HeaderValue};
use rmcp::model::ProtocolVersion;
use std::{io, time::Duration};
use tokio::time::sleep;

/// The longest id of an event that is remembered, in bytes.
const EVENT_ID_MAX: usize = 1_000;
/// The shortest pause before a stream that has ended is resumed.
const PAUSE_MIN: Duration = Duration::from_millis(20);
/// The most failures in succession to resume the stream of a response.
const FAILURES_MAX: usize = 4;

/// The place at which a stream is resumed.
#[derive(Debug, Default)]
pub(super) struct StreamPlace {
    /// The id of the last event that had one.
    pub(super) last_event: Option<String>,
    /// How long the server asks to wait before the stream is resumed.
    pub(super) retry: Option<Duration>,
    /// Whether the stream had the response to its request.
    pub(super) is_answered: bool,
}

/// The end of a stream that was opened or resumed.
#[derive(Debug)]
pub(super) enum StreamEnd {
    /// It was open until its end, or until it broke.
    Ended(io::Result<()>),
    /// The server has no such stream for this client.
    Refused(StatusCode),
    /// There is no access token that the server takes.
    Unauthorized,
    /// The server cannot be reached, or has failed.
    Failed,
}

impl Shared {
    /// Opens the stream of messages that are outside of responses, or resumes a stream after an
    /// event, and delivers its messages.
    pub(super) async fn read_stream(
        &self,
        stream: MessageStream,
        place: &mut StreamPlace,
    ) -> StreamEnd {
        let sent = self.http.send_authorized(None, |bearer| {
            let request = self.request(Method::GET, bearer, None);
            place.last_event.iter().fold(request, |request, last| {
                request.header("last-event-id", last)
            })
        });
        match sent.await {
            Ok(response)
                if response.status().is_success()
                    && content_type(&response).starts_with(EVENT_STREAM) =>
            {
                let body = Box::pin(body_parts(response));
                StreamEnd::Ended(self.deliver_events(body, stream, place).await)
            }
            Ok(response) if response.status().is_server_error() => StreamEnd::Failed,
            Ok(response) => StreamEnd::Refused(response.status()),
            Err(LinkEvent::Unauthorized { .. }) => StreamEnd::Unauthorized,
            Err(_) => StreamEnd::Failed,
        }
    }

    /// Delivers the messages of a response stream, and resumes it where the server ends it before
    /// the response. Returns the reason why the stream has no response. For an answered request, it
    /// has no effect.
    pub(super) async fn deliver_response(
        &self,
        body: impl Stream<Item = io::Result<bytes::Bytes>> + Unpin,
        id: Option<u64>,
    ) -> String {
        let mut place = StreamPlace::default();
        let stream = MessageStream::from_post(id);
        let mut ended = self.deliver_events(body, stream, &mut place).await;
        let mut backoff = RetryPause::default();
        let mut failures = 0;
        let mut pause = place.retry;
        // A caller that has waited too long ends this task.
        while id.is_some()
            && !place.is_answered
            && failures < FAILURES_MAX
            && !is_endless(&ended)
            && self.can_resume(&place)
        {
            sleep(pause.map_or_else(
                || backoff.next(Duration::ZERO),
                // A server may ask for no pause at all, which would be a loop without rest.
                |pause| pause.max(PAUSE_MIN),
            ))
            .await;
            match self.read_stream(stream, &mut place).await {
                StreamEnd::Ended(end) => {
                    ended = end;
                    failures = 0;
                    pause = place.retry;
                }
                StreamEnd::Failed => {
                    failures += 1;
                    // A server that has failed needs more time than it asked for before.
                    pause = place
                        .retry
                        .map(|retry| retry.max(backoff.next(Duration::ZERO)));
                }
                StreamEnd::Refused(status) => {
                    return format!(
                        "the stream ended before the response, and resuming it had HTTP {status}"
                    );
                }
                StreamEnd::Unauthorized => {
                    return "the stream ended before the response, and resuming it needs a login"
                        .to_owned();
                }
            }
        }
        ended.map_or_else(
            |error| error.to_string(),
            |()| "the stream ended before the response".to_owned(),
        )
    }

    /// Delivers the messages of a stream, and remembers where it can be resumed.
    pub(super) async fn deliver_events(
        &self,
        body: impl Stream<Item = io::Result<bytes::Bytes>> + Unpin,
        stream: MessageStream,
        place: &mut StreamPlace,
    ) -> io::Result<()> {
        let bounds = match stream {
            MessageStream::Shared => self.bounds.for_shared_stream(),
            MessageStream::Request(_) | MessageStream::Notification => self.bounds.clone(),
        };
        let mut events = EventReader::new(body);
        while let Some(event) = events.next(&bounds).await {
            let event = event?;
            // Header values are ASCII without line breaks.
            let id = event
                .id
                .filter(|id| id.len() <= EVENT_ID_MAX && HeaderValue::from_str(id).is_ok());
            // An event without an id does not move the place where the stream is resumed.
            place.last_event = id.or(place.last_event.take());
            place.retry = event.retry.or(place.retry);
            // Events without data only say where to resume.
            let Some(data) = event.data else { continue };
            if let Some(event) = LinkEvent::from_message(data.finish(&bounds).await, stream) {
                let request = stream.request();
                place.is_answered |= request.is_some() && event.answers(request);
                let _ = self.events.send(event).await;
            }
        }
        Ok(())
    }

    /// Returns whether a stream can be resumed. Since 2026-07-28, none can.
    fn can_resume(&self, place: &StreamPlace) -> bool {
        let negotiated = self.negotiated.lock();
        let version = negotiated.version.as_deref();
        place.last_event.is_some()
            // Versions are dates, so their texts compare as they do.
            && version.is_some_and(|version| version < ProtocolVersion::V_2026_07_28.as_str())
    }
}

/// Returns whether a stream had a line or an event without an end, which it would send again.
pub(super) fn is_endless(end: &io::Result<()>) -> bool {
    end.as_ref()
        .is_err_and(|error| error.kind() == io::ErrorKind::InvalidData)
}
