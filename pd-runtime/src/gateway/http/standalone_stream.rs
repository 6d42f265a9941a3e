//! The stream of messages that a server before 2026-07-28 sends outside of responses.

use super::{
    super::{link::LinkEvent, retry_pause::RetryPause},
    Shared,
    client::EVENT_STREAM,
    event_stream::content_type,
};
use futures::StreamExt;
use reqwest::{Method, Response, StatusCode};
use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::sleep;

/// The shortest pause before a stream is resumed.
const RETRY_MIN: Duration = Duration::from_millis(20);

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

impl StreamPlace {
    /// Returns the pause before the stream is resumed: as long as the server asks, or by default.
    pub(super) fn pause(&self, default: impl FnOnce() -> Duration) -> Duration {
        // A server that asks for no pause is not asked all the time.
        self.retry.map_or_else(default, |retry| retry.max(RETRY_MIN))
    }
}

impl Shared {
    /// Reads the stream until the connection ends. A server need not offer one.
    pub(super) fn read_standalone_stream(self: &Arc<Self>) {
        let shared = self.clone();
        tokio::spawn(async move {
            let closing = shared.closing.clone();
            closing.run_until_cancelled(shared.keep_reading()).await;
        });
    }

    async fn keep_reading(&self) {
        let mut place = StreamPlace::default();
        let mut pause = RetryPause::default();
        let mut was_open = false;
        loop {
            let began = Instant::now();
            match self.open_stream(place.last_event.as_deref()).await {
                Ok(response) if response.status().is_success() && content_type(&response).starts_with(EVENT_STREAM) => {
                    was_open = true;
                    let body = Box::pin(response.bytes_stream().map(|part| part.map_err(io::Error::other)));
                    if let Err(error) = self.deliver_events(body, None, &mut place).await {
                        tracing::debug!(%error, "the stream of an upstream has ended");
                    }
                }
                // The server took the session before, so its refusal can be the end of the session.
                Ok(response) if was_open && response.status().is_client_error() => {
                    if response.status() == StatusCode::NOT_FOUND || self.has_lost_session().await {
                        let _ = self.events.send(LinkEvent::SessionEnded { id: None, refusal: None }).await;
                    }
                    return;
                }
                // 405 is the answer of a server without such a stream.
                Ok(response) if !response.status().is_server_error() => return,
                // Without a login, each call has the error.
                Err(LinkEvent::Unauthorized { .. }) => return,
                Ok(_) | Err(_) => {}
            }
            sleep(place.pause(|| pause.next(began.elapsed()))).await;
        }
    }

    /// Opens the stream, or resumes the one that had this event.
    pub(super) async fn open_stream(&self, last_event: Option<&str>) -> Result<Response, LinkEvent> {
        let sent = self.http.send_authorized(None, |bearer| {
            let request = self.request(Method::GET, bearer, None);
            // With the id, the server can send what it has sent since then.
            last_event.into_iter().fold(request, |request, last| request.header("last-event-id", last))
        });
        sent.await
    }
}
