//! A request's way through its session: it begins where there is room, is cancelled or not, and is over when its handler is.

use super::{error, in_flight::Hurdle, session::Session};
use rmcp::model::{
    CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, GetExtensions, RequestId,
    ServerJsonRpcMessage,
};
use std::{sync::Arc, time::Duration};

/// How long to wait before looking again whether an answer has gone.
const MOMENT: Duration = Duration::from_millis(1);

/// Travels with a request, and is dropped when its handler is through.
#[derive(Clone)]
struct Handling {
    #[expect(dead_code, reason = "it is there to be dropped")]
    last: Arc<Last>,
}

struct Last {
    session: Arc<Session>,
    id: RequestId,
}

impl Drop for Last {
    fn drop(&mut self) {
        // A handler that panicked answers nothing.
        self.session.under_way.handled(&self.id, std::thread::panicking());
    }
}

/// Counts a request from now on until it is over.
///
/// # Errors
///
/// The answer to one that may not begin.
pub(super) async fn begin(
    session: &Arc<Session>,
    message: &mut ClientJsonRpcMessage,
    max: usize,
) -> Result<(), ServerJsonRpcMessage> {
    let ClientJsonRpcMessage::Request(request) = message else { return Ok(()) };
    let id = request.id.clone();
    while let Err(hurdle) = session.under_way.add(&id, max) {
        match hurdle {
            Hurdle::TooMany => return Err(error::too_many(max, id)),
            Hurdle::UsedId => return Err(error::used_id(id)),
            Hurdle::Answering if session.has_ended() => return Err(error::used_id(id)),
            Hurdle::Answering => tokio::time::sleep(MOMENT).await,
        }
    }
    let last = Arc::new(Last { session: session.clone(), id });
    request.request.extensions_mut().insert(Handling { last });
    Ok(())
}

/// Takes note if this cancels a request.
pub(super) fn note_cancelled(session: &Session, message: &ClientJsonRpcMessage) {
    let ClientJsonRpcMessage::Notification(message) = message else { return };
    let ClientNotification::CancelledNotification(cancelled) = &message.notification else { return };
    if let CancelledNotificationParam { request_id: Some(id), .. } = &cancelled.params {
        session.under_way.cancelled(id);
    }
}
