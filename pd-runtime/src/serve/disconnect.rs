//! A transport that tells when its client has left, sends the server's capabilities whole, and reads no more from a client
//! that reads nothing.

use super::{
    capability_patch,
    send_backlog::{SendBacklog, UNREAD_PATIENCE},
};
use crate::protocol::negotiated::handshake;

use rmcp::{
    RoleServer,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Cancels `left` when the input ends. rmcp cancels no request then, but waits five seconds for the answers; a
/// subscription has none to give.
pub(super) struct Watched<T> {
    pub(super) transport: T,
    pub(super) left: CancellationToken,
    backlog: Arc<SendBacklog>,
}

impl<T> Watched<T> {
    pub(super) fn new(transport: T, left: CancellationToken) -> Self {
        Self { transport, left, backlog: SendBacklog::new() }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let unsent = self.backlog.begin(&message);
        let sending = self.transport.send(capability_patch::in_message(message));
        async move {
            let _unsent = unsent;
            sending.await
        }
    }

    /// Whoever waits for this may stop waiting and call it again.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut message = if self.backlog.has_room().await {
            self.transport.receive().await
        } else {
            let seconds = UNREAD_PATIENCE.as_secs();
            tracing::warn!(seconds, "the client reads no answers; the connection ends");
            None
        };
        match &mut message {
            None => self.left.cancel(),
            Some(message) => {
                handshake::bound(message);
                self.backlog.note_read(message);
            }
        }
        message
    }

    /// A client that reads nothing would hold up the end, too.
    async fn close(&mut self) -> Result<(), T::Error> {
        if self.backlog.is_stuck() { Ok(()) } else { self.transport.close().await }
    }
}
