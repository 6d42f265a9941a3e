//! The backlog of messages that a client has not read yet. rmcp queues them without a bound, so a
//! client that sends requests and reads no answers would fill the server's memory. With this, the
//! server stops reading requests instead.

use crate::protocol::answer_memory::AnswerMemory;
use parking_lot::{Mutex, MutexGuard};
use rmcp::{
    RoleServer,
    model::{ClientNotification, GetExtensions, JsonRpcMessage, JsonRpcNotification, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};
use tokio_util::bytes::{BufMut, BytesMut};

/// The time for which a client may read nothing while the server holds back its requests. After
/// that the connection ends.
pub const UNREAD_PATIENCE: Duration = Duration::from_secs(60);

/// The limit on bytes that wait to be sent. A message that no other one waits with is not counted.
const BYTES_MAX: usize = 16 << 20;
/// The limit on messages that wait to be sent, and on unanswered requests while any message waits.
const MESSAGES_MAX: usize = 1_024;

/// The messages of one connection that wait to be sent.
#[derive(Debug)]
pub(super) struct SendBacklog {
    messages: AtomicUsize,
    bytes: AtomicUsize,
    /// Requests that were read and have no answer yet, with what their answers keep.
    requests: Mutex<HashMap<RequestId, AnswerMemory>>,
    changed: Notify,
    /// The time when a message was last sent, or began to wait.
    last_progress: Mutex<Instant>,
}

/// A message that waits to be sent until this is dropped.
#[derive(Debug)]
pub(super) struct UnsentMessage {
    backlog: Arc<SendBacklog>,
    bytes: usize,
    _memory: AnswerMemory,
}

impl SendBacklog {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            messages: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            requests: Mutex::default(),
            changed: Notify::new(),
            last_progress: Mutex::new(Instant::now()),
        })
    }

    /// Counts a message until it is sent.
    pub(super) fn track(self: &Arc<Self>, message: &TxJsonRpcMessage<RoleServer>) -> UnsentMessage {
        let memory = self.note_answer(message);
        let waiting_messages = self.messages.fetch_add(1, Relaxed);
        if waiting_messages == 0 {
            *self.last_progress() = Instant::now();
        }
        // Measuring a message serializes it once more, so the first one of a backlog counts as
        // empty: a client that reads as fast as the server writes causes no extra work. An answer
        // that keeps memory is bounded by it, and is large.
        let bytes = if waiting_messages == 0 || !memory.is_empty() {
            0
        } else {
            written_len(message)
        };
        self.bytes.fetch_add(bytes, Relaxed);
        UnsentMessage {
            backlog: self.clone(),
            bytes,
            _memory: memory,
        }
    }

    /// Records a request as read, and gives it a place for what its answer keeps. A cancelled
    /// request counts as answered, since it gets no answer.
    pub(super) fn note_read(&self, message: &mut RxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(request) => {
                let memory = AnswerMemory::default();
                request.request.extensions_mut().insert(memory.clone());
                self.requests().insert(request.id.clone(), memory);
            }
            JsonRpcMessage::Notification(JsonRpcNotification {
                notification: ClientNotification::CancelledNotification(cancelled),
                ..
            }) => cancelled
                .params
                .request_id
                .iter()
                .for_each(|id| _ = self.requests().remove(id)),
            _ => {}
        }
    }

    /// Returns what an answer keeps until it is sent.
    fn note_answer(&self, message: &TxJsonRpcMessage<RoleServer>) -> AnswerMemory {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        id.and_then(|id| self.requests().remove(id))
            .unwrap_or_default()
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<RequestId, AnswerMemory>> {
        self.requests.lock()
    }

    /// Waits until more requests may be read. Returns false if the client reads nothing for
    /// [`UNREAD_PATIENCE`].
    pub(super) async fn has_room(&self) -> bool {
        loop {
            // Created before the check, so that a message sent in between still wakes this task.
            let changed = self.changed.notified();
            if !self.is_full() {
                return true;
            }
            let deadline = *self.last_progress() + UNREAD_PATIENCE;
            // Checked again after the timeout, since a message may have been sent at the same
            // moment.
            if tokio::time::timeout_at(deadline, changed).await.is_err()
                && *self.last_progress() + UNREAD_PATIENCE <= deadline
            {
                return false;
            }
        }
    }

    /// Returns whether messages wait and the client has read nothing for [`UNREAD_PATIENCE`].
    pub(super) fn is_stuck(&self) -> bool {
        self.messages.load(Relaxed) > 0 && self.last_progress().elapsed() >= UNREAD_PATIENCE
    }

    fn is_full(&self) -> bool {
        let messages = self.messages.load(Relaxed);
        let bytes = self.bytes.load(Relaxed);
        // Requests count only while a message waits: a client that reads its answers may have any
        // number of requests in flight.
        bytes > BYTES_MAX
            || messages > MESSAGES_MAX
            || (messages > 0 && self.requests().len() > MESSAGES_MAX)
    }

    fn last_progress(&self) -> MutexGuard<'_, Instant> {
        self.last_progress.lock()
    }
}

impl Drop for UnsentMessage {
    fn drop(&mut self) {
        self.backlog.messages.fetch_sub(1, Relaxed);
        self.backlog.bytes.fetch_sub(self.bytes, Relaxed);
        *self.backlog.last_progress() = Instant::now();
        self.backlog.changed.notify_one();
    }
}

/// Returns the length of a message as JSON.
fn written_len(message: &TxJsonRpcMessage<RoleServer>) -> usize {
    // The writer that rmcp's codec uses. Another one would compile the serialization of all message
    // types once more, which is 4 % of this crate's code.
    let mut buffer = BytesMut::new();
    // The writer cannot fail, and a message that cannot be serialized is not sent either.
    let _ = serde_json::to_writer((&mut buffer).writer(), message);
    buffer.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{PdServer, Registry, serve};
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, duplex};

    const OPENING: &str = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"#,
        r#""clientInfo":{"name":"unit","version":"0"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
    );

    /// An initialized connection. The server can send at most this many bytes until the client
    /// reads.
    async fn opened(
        bytes: usize,
    ) -> (
        BufReader<tokio::io::DuplexStream>,
        tokio::task::JoinHandle<bool>,
    ) {
        let shared = PdServer::builder(Registry::<()>::builder().build().unwrap(), ())
            .build()
            .unwrap();
        let (ours, theirs) = duplex(bytes);
        let serving = tokio::spawn(async move { serve::transport(&shared, theirs).await.is_ok() });
        let mut client = BufReader::new(ours);
        client.write_all(OPENING.as_bytes()).await.unwrap();
        client.read_line(&mut String::new()).await.unwrap();
        (client, serving)
    }

    /// Sends requests until the server accepts no more.
    async fn flood(client: &mut BufReader<tokio::io::DuplexStream>, requests: usize) -> usize {
        for id in 1..=requests {
            let ping = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
            let sending =
                tokio::time::timeout(Duration::from_secs(5), client.write_all(ping.as_bytes()));
            if sending.await.is_err() {
                return id;
            }
        }
        requests
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_nothing_is_left_after_a_while() {
        let (mut client, serving) = opened(2_048).await;
        let sent = flood(&mut client, 100_000).await;
        assert!(sent < 10 * MESSAGES_MAX, "{sent}");
        let begun = Instant::now();
        assert!(serving.await.unwrap());
        assert!(
            begun.elapsed() >= UNREAD_PATIENCE - Duration::from_secs(10),
            "{:?}",
            begun.elapsed()
        );
        assert!(
            begun.elapsed() <= UNREAD_PATIENCE + Duration::from_secs(10),
            "{:?}",
            begun.elapsed()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_now_and_then_stays() {
        let (mut client, serving) = opened(2_048).await;
        flood(&mut client, 100_000).await;
        for _ in 0..10 {
            tokio::time::sleep(UNREAD_PATIENCE / 2).await;
            client.read_exact(&mut [0; 2_048]).await.unwrap();
        }
        assert!(!serving.is_finished());
    }
}
