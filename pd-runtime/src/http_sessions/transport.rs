//! What goes between a session's worker and its handler, watched: an answer ends a request.

use super::session::Session;
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
pub(crate) struct Watched {
    transport: WorkerTransport<LocalSessionWorker>,
    session: Arc<Session>,
}

impl Watched {
    pub(super) fn new(transport: WorkerTransport<LocalSessionWorker>, session: Arc<Session>) -> Self {
        Self { transport, session }
    }
}

impl Transport<RoleServer> for Watched {
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
            self.session.under_way.answering(id);
        }
        let (session, sending) = (self.session.clone(), self.transport.send(message));
        // rmcp moves it about a few times, with the whole message inside.
        async move {
            let sent = sending.await;
            if let Some(id) = answered {
                session.touch();
                session.under_way.answered(&id);
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
