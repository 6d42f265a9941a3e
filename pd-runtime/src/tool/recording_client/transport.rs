//! The connection of a recording client. It records what the server sends, and answers requests at
//! once.

use super::{MessageLog, answers::ClientAnswers};
use rmcp::{
    RoleServer,
    model::JsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use std::{convert::Infallible, sync::Arc};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// An in-memory transport between a server and a recording client.
pub(super) struct MemoryTransport {
    answers: ClientAnswers,
    log: Arc<MessageLog>,
    sender: UnboundedSender<RxJsonRpcMessage<RoleServer>>,
    receiver: UnboundedReceiver<RxJsonRpcMessage<RoleServer>>,
}

impl MemoryTransport {
    pub(super) fn new(answers: ClientAnswers, log: Arc<MessageLog>) -> Self {
        let (sender, receiver) = unbounded_channel();
        Self {
            answers,
            log,
            sender,
            receiver,
        }
    }
}

impl Transport<RoleServer> for MemoryTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answers = self.answers.clone();
        let log = self.log.clone();
        let sender = self.sender.clone();
        // rmcp spawns this future, so an answer that panics fails its request and not the
        // connection's task.
        async move {
            match item {
                JsonRpcMessage::Notification(message) => {
                    log.notifications().push(message.notification)
                }
                JsonRpcMessage::Request(message) => {
                    log.requests().push(message.request.clone());
                    let answer = match answers.answer(message.request) {
                        Ok(result) => JsonRpcMessage::response(result, message.id),
                        Err(error) => JsonRpcMessage::error(error, Some(message.id)),
                    };
                    // The send fails once the connection has ended. Nothing waits for the answer
                    // then.
                    drop(sender.send(answer));
                }
                // The client sends no requests, so the server has nothing to respond to.
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.receiver.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}
