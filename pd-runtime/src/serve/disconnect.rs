//! A transport that reports when its client has left, patches the server's capabilities, and stops
//! reading from a client that does not read.

use super::{
    capability_patch,
    line_watch::LineWatch,
    send_backlog::{SendBacklog, UNREAD_PATIENCE},
};
use crate::{
    protocol::{negotiated::handshake, unreadable::UnreadableMessage},
    telemetry::log_throttle::LogThrottle,
};

use rmcp::{
    RoleServer,
    model::{ErrorData, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use std::{
    error::Error,
    io::{self, ErrorKind},
    sync::Arc,
};
use tokio_util::sync::CancellationToken;

/// Limits the log of requests that cannot be read, which a client could fill.
static UNREADABLE: LogThrottle = LogThrottle::new();

/// Cancels `left` when the input ends. rmcp cancels no request at that point, but waits five
/// seconds for the answers, which a subscription never sends.
pub(super) struct DisconnectTransport<T> {
    pub(super) transport: T,
    watch: LineWatch,
    pub(super) left: CancellationToken,
    /// Cancelled when the calls of a client that has left are over. What comes later is the answer
    /// to a cancelled call, which MCP does not want. SDK 1 for Python fails at a message that comes
    /// while it closes.
    over: CancellationToken,
    backlog: Arc<SendBacklog>,
    /// Whether the client has sent a request.
    has_begun: bool,
}

impl<T> DisconnectTransport<T> {
    pub(super) fn new(
        transport: T,
        watch: LineWatch,
        left: CancellationToken,
        over: CancellationToken,
    ) -> Self {
        Self {
            transport,
            watch,
            left,
            over,
            backlog: SendBacklog::new(),
            has_begun: false,
        }
    }
}

impl<T: Transport<RoleServer>> DisconnectTransport<T> {
    /// Answers a request that cannot be read.
    fn refuse(&mut self, id: RequestId, error: ErrorData) {
        if UNREADABLE.is_due() {
            tracing::warn!(%id, error = %error.message, "a request cannot be read");
        }
        let answer = TxJsonRpcMessage::<RoleServer>::error(error, Some(id));
        // In another task, since rmcp may drop the future that receives at any moment.
        tokio::spawn(self.send(answer));
    }
}

/// Returns whether the other end has closed the pipe or the connection.
fn is_closed<E: Error + 'static>(error: &E) -> bool {
    let error: &(dyn Error + 'static) = error;
    let error = error.downcast_ref::<io::Error>().map(io::Error::kind);
    error.is_some_and(|kind| matches!(kind, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset))
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for DisconnectTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let unsent = self.backlog.track(&message);
        let sending = self
            .transport
            .send(capability_patch::patch_message(message));
        let left = self.left.clone();
        let over = self.over.clone();
        async move {
            // Dropped when the transport has sent the message, which is what ends its wait in the
            // backlog.
            let _unsent = unsent;
            if over.is_cancelled() {
                return Ok(());
            }
            let sent = sending.await;
            // A client that has closed its end reads no answer any more, and may keep the input
            // open.
            sent.as_ref()
                .err()
                .filter(|error| is_closed(*error))
                .inspect(|_| left.cancel());
            sent
        }
    }

    /// Receives the next message. It is cancel-safe: the caller may drop the future and call this
    /// again.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut message = if self.backlog.has_room().await {
            loop {
                // All are cancel-safe. A dropped message comes first, because the input waits until
                // it was taken.
                let received = tokio::select! {
                    biased;
                    dropped = self.watch.dropped() => match dropped {
                        UnreadableMessage::Repaired(message) => Some(*message),
                        UnreadableMessage::Refused { id, error } => {
                            self.refuse(id, error);
                            continue;
                        }
                    },
                    () = self.left.cancelled() => None,
                    received = self.transport.receive() => {
                        self.watch.note_received();
                        received
                    }
                };
                self.has_begun |= matches!(received, Some(JsonRpcMessage::Request(_)));
                // rmcp ends a connection that begins with a notification. Some clients send
                // `notifications/initialized` too early, or again.
                if self.has_begun || !matches!(received, Some(JsonRpcMessage::Notification(_))) {
                    break received;
                }
                tracing::debug!("skipped a notification before the first request");
            }
        } else {
            let seconds = UNREAD_PATIENCE.as_secs();
            tracing::warn!(seconds, "the client reads no answers; the connection ends");
            None
        };
        match &mut message {
            None => self.left.cancel(),
            Some(message) => {
                // Reduced before rmcp stores it: a client could otherwise make the server keep
                // megabytes of capabilities.
                handshake::limit_message(message);
                self.backlog.note_read(message);
            }
        }
        message
    }

    /// Closes the transport, unless its client reads nothing: closing flushes, and would wait for
    /// that client.
    async fn close(&mut self) -> Result<(), T::Error> {
        if self.backlog.is_stuck() {
            Ok(())
        } else {
            self.transport.close().await
        }
    }
}
