//! The stream of messages that a server before 2026-07-28 sends outside of responses.

use super::{
    super::{link::LinkEvent, retry_pause::RetryPause},
    Shared,
    client::EVENT_STREAM,
    event_stream::content_type,
};
use futures::StreamExt;
use reqwest::{Method, Response, StatusCode};
use std::{io, sync::Arc, time::Instant};
use tokio::time::sleep;

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
        let mut last_event = None;
        let mut pause = RetryPause::default();
        let mut was_open = false;
        loop {
            let began = Instant::now();
            match self.open_stream(last_event.as_deref()).await {
                Ok(response) if response.status().is_success() && content_type(&response).starts_with(EVENT_STREAM) => {
                    was_open = true;
                    let body = Box::pin(response.bytes_stream().map(|part| part.map_err(io::Error::other)));
                    if let Err(error) = self.deliver_events(body, None, &mut last_event).await {
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
            sleep(pause.next(began.elapsed())).await;
        }
    }

    async fn open_stream(&self, last_event: Option<&str>) -> Result<Response, LinkEvent> {
        let sent = self.http.send_authorized(None, |bearer| {
            let request = self.request(Method::GET, bearer, None);
            // With the id, the server can send what it has sent since then.
            last_event.into_iter().fold(request, |request, last| request.header("last-event-id", last))
        });
        sent.await
    }
}
