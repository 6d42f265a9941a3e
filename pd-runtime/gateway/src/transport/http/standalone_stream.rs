//! The stream of messages that a server before 2026-07-28 sends outside of responses.

use super::{
    Shared,
    resumption::{StreamEnd, StreamPlace, is_endless},
};
use crate::{
    failure::retry_pause::RetryPause,
    message::wire::{MessageScan, UnreadableMessage},
    transport::link::{LinkEvent, MessageStream},
};
use reqwest::StatusCode;
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
        let mut place = StreamPlace::default();
        let mut pause = RetryPause::default();
        let mut was_open = false;
        loop {
            let began = Instant::now();
            match self.read_stream(MessageStream::Shared, &mut place).await {
                StreamEnd::Ended(end) => {
                    was_open = true;
                    if is_endless(&end) {
                        return self.report_endless(end).await;
                    }
                    if let Err(error) = end {
                        tracing::debug!(%error, "the stream of an upstream has ended");
                    }
                }
                // The server took the session before, so its refusal can be the end of the session.
                StreamEnd::Refused(status) if was_open && status.is_client_error() => {
                    if status == StatusCode::NOT_FOUND || self.has_lost_session().await {
                        let _ = self
                            .events
                            .send(LinkEvent::SessionEnded {
                                id: None,
                                refusal: None,
                            })
                            .await;
                    }
                    return;
                }
                // 405 is the answer of a server without such a stream. Without a login, each call
                // has the error.
                StreamEnd::Refused(_) | StreamEnd::Unauthorized => return,
                StreamEnd::Failed => {}
            }
            // Nobody waits for this stream, so a server that asks for a short pause is not asked
            // all the time.
            let backoff = pause.next(began.elapsed());
            sleep(place.retry.map_or(backoff, |retry| retry.max(backoff))).await;
        }
    }

    /// Logs that the stream is not read any more, with the name of the server.
    async fn report_endless(&self, end: io::Result<()>) {
        let Err(error) = end else { return };
        let reason = format!("its stream outside of responses is not read any more: {error}");
        let _ = self
            .events
            .send(LinkEvent::Unreadable {
                message: UnreadableMessage::new(reason, MessageScan::default(), false),
                stream: MessageStream::Shared,
                is_whole: false,
            })
            .await;
    }
}
