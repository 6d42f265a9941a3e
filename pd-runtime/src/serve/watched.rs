//! A transport that tells when its client has left, and sends the server's capabilities whole.

use super::declared;
use crate::terms::handshake;
use rmcp::{
    RoleServer,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio_util::sync::CancellationToken;

/// Cancels `left` when the input ends. rmcp cancels no request then, but waits five seconds for the answers; a
/// subscription has none to give.
pub(super) struct Watched<T> {
    pub(super) transport: T,
    pub(super) left: CancellationToken,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.transport.send(declared::in_message(message))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut message = self.transport.receive().await;
        match &mut message {
            Some(message) => handshake::bound(message),
            None => self.left.cancel(),
        }
        message
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.transport.close()
    }
}
