//! The client of a program's calls. It answers no request, because nobody reads the program while
//! it runs, and remembers that a tool has asked.

use crate::tool::silent_handler::SilentHandler;
use rmcp::{
    ErrorData, RoleServer,
    model::{ErrorCode, JsonRpcMessage},
    service::{
        Peer, RequestContext, RunningService, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly,
    },
    transport::Transport,
};
use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The most answers that wait to be read.
const QUEUE: usize = 4;

/// A connection that lasts for one call.
pub(super) struct SilentClient {
    was_asked: Arc<AtomicBool>,
    _running: RunningService<RoleServer, SilentHandler>,
}

impl SilentClient {
    /// Puts this client between a call and its client. Returns `None` for a client that tools
    /// cannot ask: then they have no reason to try.
    pub(super) fn between(context: &mut RequestContext<RoleServer>) -> Option<Self> {
        let info = context.peer.peer_info()?;
        let capabilities = &info.capabilities;
        let can_be_asked = capabilities.elicitation.is_some()
            || capabilities.sampling.is_some()
            || capabilities.roots.is_some();
        if !can_be_asked {
            return None;
        }
        let was_asked = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = channel(QUEUE);
        let transport = SilentTransport {
            was_asked: was_asked.clone(),
            client: context.peer.clone(),
            sender,
            receiver,
        };
        // With the real client's capabilities, so that a tool asks as it would without a program.
        let running = serve_directly(SilentHandler, transport, Some((*info).clone()));
        context.peer = running.peer().clone();
        Some(Self {
            was_asked,
            _running: running,
        })
    }

    /// Returns whether the tool has sent a request.
    pub(super) fn was_asked(&self) -> bool {
        self.was_asked.load(Ordering::Relaxed)
    }
}

struct SilentTransport {
    was_asked: Arc<AtomicBool>,
    /// The real client, which gets the notifications.
    client: Peer<RoleServer>,
    sender: Sender<RxJsonRpcMessage<RoleServer>>,
    receiver: Receiver<RxJsonRpcMessage<RoleServer>>,
}

impl Transport<RoleServer> for SilentTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let was_asked = self.was_asked.clone();
        let client = self.client.clone();
        let sender = self.sender.clone();
        async move {
            match item {
                JsonRpcMessage::Request(message) => {
                    // Before the answer is sent, so that it is set when the call ends.
                    was_asked.store(true, Ordering::Relaxed);
                    let error = ErrorData::new(
                        ErrorCode::METHOD_NOT_FOUND,
                        "a program cannot answer its tools",
                        None,
                    );
                    let _ = sender
                        .send(JsonRpcMessage::error(error, Some(message.id)))
                        .await;
                }
                JsonRpcMessage::Notification(message) => {
                    // The client may have left, which cancels the run.
                    let _ = client.send_notification(message.notification).await;
                }
                // This client sends no requests that could be answered.
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
