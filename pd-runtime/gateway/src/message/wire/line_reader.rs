//! The lines of a child's output. Each is a message.

use super::{MessageBounds, MessageBytes, MessageScan, ReceivedMessage, UnreadableMessage};
use serde_json::Value;
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Reads messages, one a line.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    reader: R,
    bounds: MessageBounds,
    /// The scan of a message that did not end with its line.
    open: Option<MessageScan>,
    /// Whether the line that is read has no end.
    is_endless: bool,
}

impl<R: AsyncBufRead + Unpin> LineReader<R> {
    pub(crate) fn new(reader: R, bounds: &MessageBounds) -> Self {
        Self {
            reader,
            bounds: bounds.for_shared_stream(),
            open: None,
            is_endless: false,
        }
    }

    /// Reads the next line. Returns `None` at the end of the output.
    ///
    /// # Errors
    ///
    /// Returns an error if the output cannot be read, or after the message of a line without an
    /// end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<ReceivedMessage>> {
        if self.is_endless {
            return Err(self.bounds.endless("a line"));
        }
        let mut line = MessageBytes::default();
        let mut has_bytes = false;
        loop {
            let available = line.wait(std::pin::pin!(self.reader.fill_buf())).await?;
            if available.is_empty() {
                return Ok(if has_bytes {
                    // A process may end without a line feed after its last message.
                    Some(self.finish(line).await)
                } else {
                    None
                });
            }
            has_bytes = true;
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available
                .get(..end.unwrap_or(available.len()))
                .unwrap_or_default();
            // Nothing is consumed while this waits for memory, so the child waits at its full pipe.
            line.push(part, &self.bounds).await;
            let taken = part.len() + usize::from(end.is_some());
            self.reader.consume(taken);
            self.is_endless = end.is_none() && line.arrived() > self.bounds.endless_bytes();
            if end.is_some() || self.is_endless {
                return Ok(Some(self.finish(line).await));
            }
        }
    }

    /// Reads a line. A message over several lines is not valid in MCP (transports, stdio). It
    /// settles its call as soon as the id and the result have begun.
    async fn finish(&mut self, line: MessageBytes) -> ReceivedMessage {
        if let Some(open) = &mut self.open {
            line.scan(open);
        }
        let message = line.finish(&self.bounds).await;
        match message {
            message if is_message(&message) => {
                self.open = None;
                message
            }
            message if self.open.is_none() => {
                // A copy of the scan, because the line itself is reported, too.
                self.open = match &message {
                    ReceivedMessage::Unreadable(line) if line.scan.is_incomplete() => {
                        Some((*line.scan).clone())
                    }
                    _ => None,
                };
                message
            }
            _ => self.read_open(),
        }
    }

    /// Returns the open message as soon as it can settle a call.
    fn read_open(&mut self) -> ReceivedMessage {
        let Some(scan) = self.open.take() else {
            return ReceivedMessage::Empty;
        };
        let is_read = scan.has_body() && !scan.answered().is_empty();
        if scan.is_incomplete() && !is_read {
            self.open = Some(scan);
            return ReceivedMessage::Empty;
        }
        // The rest is not read: a value in it could look like a message.
        let reason = "it wrote its answer over several lines, and a message is one line";
        ReceivedMessage::Unreadable(UnreadableMessage::new(reason, scan, false))
    }
}

/// Returns whether a line is a separate message.
fn is_message(message: &ReceivedMessage) -> bool {
    match message {
        ReceivedMessage::Json(Value::Array(batch), _) => batch.iter().any(is_rpc),
        // A line within a message over several lines can be JSON by itself, such as a number.
        ReceivedMessage::Json(value, _) => is_rpc(value),
        ReceivedMessage::Unreadable(message) => !message.scan.answered().is_empty(),
        ReceivedMessage::Empty => false,
    }
}

fn is_rpc(value: &Value) -> bool {
    ["jsonrpc", "method"]
        .iter()
        .any(|key| value.get(key).is_some())
}
