//! The life of a request in its session: admission, cancellation, and the end of its handler.

use super::{error, in_flight::AdmissionError, session::HttpSession};
use crate::protocol::session_end::SessionEnd;
use rmcp::model::{
    CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, GetExtensions, RequestId,
    ServerJsonRpcMessage,
};
use std::{sync::Arc, time::Duration};

/// The pause before checking again whether an answer has been sent.
const MOMENT: Duration = Duration::from_millis(1);

/// A marker in the request's extensions, dropped with the request when its handler has ended.
#[derive(Clone)]
struct RequestGuard {
    // Extensions require `Clone`, so clones share the guard, and only the drop of the last one
    // counts.
    #[expect(dead_code, reason = "held only to be dropped")]
    last: Arc<HandledOnDrop>,
}

struct HandledOnDrop {
    session: Arc<HttpSession>,
    id: RequestId,
}

impl Drop for HandledOnDrop {
    fn drop(&mut self) {
        // A handler that panicked sends no answer, so nothing else would free the request's id.
        self.session
            .in_flight
            .handled(&self.id, std::thread::panicking());
    }
}

/// Admits a request and counts it until it is over.
///
/// # Errors
///
/// Returns the answer to a request that may not begin.
pub(super) async fn begin(
    session: &Arc<HttpSession>,
    message: &mut ClientJsonRpcMessage,
    max: usize,
) -> Result<(), ServerJsonRpcMessage> {
    let ClientJsonRpcMessage::Request(request) = message else {
        return Ok(());
    };
    let id = request.id.clone();
    while let Err(hurdle) = session.in_flight.add(&id, max) {
        match hurdle {
            AdmissionError::TooMany => return Err(error::too_many(max, id)),
            AdmissionError::UsedId => return Err(error::used_id(id)),
            AdmissionError::Answering if session.has_ended() => return Err(error::used_id(id)),
            // A client may reuse an id once it has read the answer, which can be before our side
            // has recorded the delivery. So wait a moment instead of refusing the id.
            AdmissionError::Answering => tokio::time::sleep(MOMENT).await,
        }
    }
    let last = Arc::new(HandledOnDrop {
        session: session.clone(),
        id,
    });
    let extensions = request.request.extensions_mut();
    extensions.insert(SessionEnd(session.end_token()));
    extensions.insert(RequestGuard { last });
    Ok(())
}

/// Records the cancellation, if this message cancels a request.
pub(super) fn note_cancelled(session: &HttpSession, message: &ClientJsonRpcMessage) {
    let ClientJsonRpcMessage::Notification(message) = message else {
        return;
    };
    let ClientNotification::CancelledNotification(cancelled) = &message.notification else {
        return;
    };
    if let CancelledNotificationParam {
        request_id: Some(id),
        ..
    } = &cancelled.params
    {
        session.in_flight.cancelled(id);
    }
}
