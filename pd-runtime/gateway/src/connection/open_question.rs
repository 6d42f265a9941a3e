//! A request that a client has not answered yet. A client learns when nobody waits for its answer,
//! so that no person answers a question whose call has ended.

use rmcp::{
    RoleServer,
    model::{CancelledNotification, CancelledNotificationParam, RequestId, ServerNotification},
    service::Peer,
};
use tokio::runtime::Handle;

/// The request. The client is notified if it is dropped before [`OpenQuestion::close`].
pub(super) struct OpenQuestion {
    request: Option<(Peer<RoleServer>, RequestId)>,
}

impl OpenQuestion {
    pub(super) fn new(peer: &Peer<RoleServer>, id: RequestId) -> Self {
        Self {
            request: Some((peer.clone(), id)),
        }
    }

    /// Records that the client has answered, or has left.
    pub(super) fn close(mut self) {
        self.request = None;
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        // Without a runtime, no connection to the client is left either.
        let (Some((peer, id)), Ok(runtime)) = (self.request.take(), Handle::try_current()) else {
            return;
        };
        let reason = "the server no longer waits for the answer".to_owned();
        let params = CancelledNotificationParam::new(Some(id), Some(reason));
        runtime.spawn(async move {
            let notification = CancelledNotification::new(params);
            // An error means that the client has left.
            let _ = peer
                .send_notification(ServerNotification::CancelledNotification(notification))
                .await;
        });
    }
}
