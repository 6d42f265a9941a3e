//! Finds out whether the server still knows the session. Servers answer with many different
//! statuses if they do not know it, and they refuse requests for other reasons, too.

use super::{
    Shared,
    client::EVENT_STREAM,
    event_stream::{EventReader, body_parts, collect, content_type},
};
use crate::{
    message::{
        self,
        wire::{MessageBounds, ReceivedMessage},
    },
    transport::{link::LinkEvent, request_error::SessionRefusal},
};
use reqwest::{Response, StatusCode};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::time::timeout;

const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// The id of a check: no request of a connection has it. It is the largest integer of JavaScript.
pub(super) const CHECK_ID: u64 = 9_007_199_254_740_991;

/// What is known of the session.
#[derive(Debug, Default)]
pub(super) struct SessionCheck {
    /// A list that the server has sent in this session.
    method: parking_lot::Mutex<Option<String>>,
    /// The latest check: when it was, and whether the session had ended.
    latest: tokio::sync::Mutex<Option<(Instant, bool)>>,
}

impl SessionCheck {
    /// Remembers a list that the server has sent in this session.
    pub(super) fn note_success(&self, message: &Value) {
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            return;
        };
        // A list can be requested again without an effect. A cursor could have become invalid
        // meanwhile, which would look like the end of the session.
        if method.ends_with("/list") && message.pointer("/params/cursor").is_none() {
            self.method.lock().get_or_insert_with(|| method.to_owned());
        }
    }
}

/// Returns whether a server may answer with this status when it does not know a session.
pub(super) fn is_suspicious(status: StatusCode) -> bool {
    // MCP has 404 for this, but servers answer with 400, 401, 410 and 5xx, too. 429 and 413 are
    // about the number and the size of requests.
    status != StatusCode::TOO_MANY_REQUESTS
        && status != StatusCode::PAYLOAD_TOO_LARGE
        && (status.is_client_error() || status.is_server_error())
}

/// Returns whether a message is an error with a text about a session.
pub(super) fn is_session_error(message: &Value) -> bool {
    let text = message.pointer("/error/message").and_then(Value::as_str);
    text.is_some_and(|text| text.to_ascii_lowercase().contains("session"))
}

/// Returns the end of the session in place of the failure that it explains.
pub(super) fn session_ended(failure: LinkEvent) -> LinkEvent {
    let (id, reason, may_have_run) = match failure {
        LinkEvent::Lost { id, reason } => (id, reason, true),
        LinkEvent::NotRun { id, reason } => (id, reason, false),
        LinkEvent::Unauthorized { id, error } => (id, error.to_string().into(), false),
        other => return other,
    };
    LinkEvent::SessionEnded {
        id,
        refusal: Some(SessionRefusal {
            reason,
            may_have_run,
        }),
    }
}

impl Shared {
    /// Returns the end of the session in place of a failure, if the server refuses the session.
    pub(super) async fn explained(&self, failure: LinkEvent) -> LinkEvent {
        if self.has_lost_session().await {
            session_ended(failure)
        } else {
            failure
        }
    }

    /// Requests a list that the server has sent in this session, and returns whether it refuses. A
    /// request that fails for another reason does not end the session of all clients.
    pub(super) async fn has_lost_session(&self) -> bool {
        if self.negotiated.lock().session.is_none() {
            return false;
        }
        // A session can end before a list was read in it.
        let method = self
            .check
            .method
            .lock()
            .clone()
            .unwrap_or_else(|| "ping".to_owned());
        let failed = Instant::now();
        // Locked during the check, so that one check serves all requests that fail meanwhile.
        let mut latest = self.check.latest.lock().await;
        // An answer from before the failure proves nothing, because the session may have ended
        // since.
        if let Some((at, is_lost)) = *latest
            // A session that has ended stays so, whenever that was found.
            && (is_lost || at >= failed)
        {
            return is_lost;
        }
        let message = message::request(CHECK_ID, &method, JsonObject::new());
        let checked = timeout(CHECK_TIMEOUT, async {
            // The latest token, because a renewal may take longer than the check.
            let bearer = self.http.latest_bearer();
            let response = self
                .message_request(&message, &Vec::new(), bearer.as_ref())
                .send()
                .await
                .ok()?;
            // Some servers refuse a session with 200, and an error in the body.
            Some(if response.status().is_success() {
                names_session(response, &self.bounds).await
            } else {
                true
            })
        });
        // A server that does not answer at all has not refused the session.
        let is_lost = checked.await.ok().flatten().unwrap_or(false);
        *latest = Some((Instant::now(), is_lost));
        is_lost
    }
}

/// Returns whether the response is an error about the session.
async fn names_session(response: Response, bounds: &MessageBounds) -> bool {
    let is_events = content_type(&response).starts_with(EVENT_STREAM);
    let body = Box::pin(body_parts(response));
    if !is_events {
        let bytes = collect(body).await.unwrap_or_default();
        return serde_json::from_slice(&bytes).is_ok_and(|value| is_session_error(&value));
    }
    let mut events = EventReader::new(body);
    while let Some(Ok(event)) = events.next(bounds).await {
        let Some(data) = event.data else { continue };
        if let ReceivedMessage::Json(message, _) = data.finish(bounds).await
            // A stream may begin with notifications.
            && message.get("method").is_none()
        {
            return is_session_error(&message);
        }
    }
    false
}
