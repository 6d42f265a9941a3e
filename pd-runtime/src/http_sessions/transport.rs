//! The transport between a session's worker and its handler. It records that an answer ends its
//! request.

use super::session::HttpSession;
use futures::FutureExt;
use rmcp::{
    RoleServer,
    model::JsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{
        Transport, WorkerTransport,
        streamable_http_server::session::local::{LocalSessionWorker, LocalSessionWorkerError},
    },
};
use std::sync::Arc;

/// rmcp's transport of a session.
pub(crate) struct SessionTransport {
    transport: WorkerTransport<LocalSessionWorker>,
    session: Arc<HttpSession>,
}

impl SessionTransport {
    pub(super) fn new(
        transport: WorkerTransport<LocalSessionWorker>,
        session: Arc<HttpSession>,
    ) -> Self {
        Self { transport, session }
    }
}

impl Transport<RoleServer> for SessionTransport {
    type Error = LocalSessionWorkerError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        if let Some(id) = &answered {
            // Recorded before sending: the client may read the answer and reuse the id before
            // `sending` resolves here.
            self.session.in_flight.answering(id);
        }
        let session = self.session.clone();
        let sending = self.transport.send(message);
        // Boxed, because rmcp moves this future several times with the whole message inside.
        async move {
            let sent = sending.await;
            if let Some(id) = answered {
                session.touch();
                session.in_flight.answered(&id);
            }
            sent
        }
        .boxed()
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.transport.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}
