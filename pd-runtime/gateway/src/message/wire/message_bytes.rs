//! One message as it arrives: a line, an event or a body.

use super::{
    MessageBounds, MessageReservation, MessageScan, REQUEST_MAX, deep_values::without_deep_values,
    size_text,
};
use pd_runtime::upstream::repaired;
use serde_json::Value;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

/// The length from which a message is scanned before it is parsed.
const SCANNED_FROM: usize = 16 * 1024;
/// The length from which a message has the capacity of the largest one.
const GROWN_AT_ONCE: usize = 1 << 20;
/// The length from which another thread parses a message.
const PARSED_APART: usize = 256 * 1024;
const TOO_DEEP: &str = "it sent JSON that is nested over 128 deep";
const BUSY: &str = "other large answers took too long; try again";
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a message that arrives in parts. They never exceed the bounds.
#[derive(Debug, Default)]
pub(crate) struct MessageBytes {
    bytes: Vec<u8>,
    length: usize,
    reservation: MessageReservation,
    /// Why the bytes are not kept. They are scanned for the id all the same.
    refused: Option<UnreadableMessage>,
}

/// A message that has arrived.
#[derive(Debug)]
pub(crate) enum ReceivedMessage {
    Empty,
    Json(Value, MessageReservation),
    Unreadable(UnreadableMessage),
}

/// A message that was not parsed, and the requests that it answers.
#[derive(Debug)]
pub(crate) struct UnreadableMessage {
    pub(crate) reason: Arc<str>,
    pub(crate) scan: Box<MessageScan>,
    /// Whether it is over a bound, so that a smaller answer can be read.
    pub(crate) is_too_large: bool,
}

impl UnreadableMessage {
    pub(crate) fn new(reason: impl Into<Arc<str>>, scan: MessageScan, is_too_large: bool) -> Self {
        Self {
            reason: reason.into(),
            scan: Box::new(scan),
            is_too_large,
        }
    }
}

impl MessageBytes {
    /// Adds a part. Waits while other messages take the memory.
    pub(crate) async fn push(&mut self, part: &[u8], bounds: &MessageBounds) {
        self.length = self.length.saturating_add(part.len());
        if self.refused.is_none() {
            let max = bounds.message_bytes();
            if self.length > max {
                self.refuse(
                    format!("its answer is over {}, which is the limit", size_text(max)),
                    true,
                );
            } else if self
                .reservation
                .cover(&bounds.memory, self.length, bounds.patience)
                .await
                .is_none()
            {
                self.refuse(BUSY.to_owned(), false);
            }
        }
        match &mut self.refused {
            Some(refused) => refused.scan.feed(part),
            None => {
                // Not doubled step by step: the steps of a large vector stay with the allocator.
                // The rest of the capacity takes no memory before it is written.
                if self.length > GROWN_AT_ONCE && self.length > self.bytes.capacity() {
                    let rest = bounds.message_bytes().saturating_sub(self.bytes.len());
                    self.bytes.reserve_exact(rest.max(part.len()));
                }
                self.bytes.extend_from_slice(part);
            }
        }
    }

    fn refuse(&mut self, reason: String, is_too_large: bool) {
        let mut scan = MessageScan::default();
        scan.feed(&std::mem::take(&mut self.bytes));
        // Nothing more is kept, so other messages get the memory before the rest arrives.
        self.reservation = MessageReservation::default();
        self.refused = Some(UnreadableMessage::new(reason, scan, is_too_large));
    }

    /// Waits for more bytes. A message is refused if it takes too long while others may wait for
    /// its memory.
    pub(crate) async fn wait<T>(&mut self, mut more: impl Future<Output = T> + Unpin) -> T {
        if let Some(deadline) = self.deadline() {
            // By reference, because the same future goes on below: its bytes must not be lost.
            if let Ok(more) = timeout_at(deadline, &mut more).await {
                return more;
            }
            self.refuse("a large answer took too long".to_owned(), false);
        }
        more.await
    }

    /// Returns the number of bytes that have arrived.
    pub(crate) const fn arrived(&self) -> usize {
        self.length
    }

    /// Scans the bytes for a message that began with an earlier line.
    pub(super) fn scan(&self, scan: &mut MessageScan) {
        scan.feed(&self.bytes);
        scan.feed(b"\n");
    }

    fn deadline(&self) -> Option<Instant> {
        self.reservation.deadline()
    }

    /// Returns the first bytes, for an error that shows what was read.
    pub(crate) fn beginning(&self, length: usize) -> String {
        let bytes = self.bytes.get(..length).unwrap_or(&self.bytes);
        String::from_utf8_lossy(bytes).trim().to_owned()
    }

    /// Returns the whole text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Parses the message.
    pub(crate) async fn finish(self, bounds: &MessageBounds) -> ReceivedMessage {
        if let Some(refused) = self.refused {
            return ReceivedMessage::Unreadable(refused);
        }
        read_message(self.bytes, self.reservation, bounds).await
    }
}

/// Parses the bytes of a message.
async fn read_message(
    mut bytes: Vec<u8>,
    mut reservation: MessageReservation,
    bounds: &MessageBounds,
) -> ReceivedMessage {
    // A byte order mark, which some servers on Windows write.
    if bytes.starts_with(BOM) {
        bytes.drain(..BOM.len());
    }
    let mut text = bytes.trim_ascii();
    if text.is_empty() {
        return ReceivedMessage::Empty;
    }
    // A shorter message needs no estimate: even `[0,0,…]` takes only 40 times its bytes.
    if text.len() >= SCANNED_FROM {
        let mut scan = MessageScan::default();
        scan.feed(text);
        if scan.is_too_deep()
            && let Some(rest) = without_deep_values(text)
        {
            bytes = rest;
            text = bytes.trim_ascii();
            scan = MessageScan::default();
            scan.feed(text);
        }
        // Texts are copied: from the bytes into the value, and into the answer to the client.
        let memory = text.len().saturating_mul(3).saturating_add(scan.memory());
        // The memory comes last, because it is the only one that waits.
        let refused = if scan.is_too_deep() {
            Some((TOO_DEEP.to_owned(), false))
        } else if scan.has_method() && text.len() > REQUEST_MAX {
            Some((
                format!("its request is over {}", size_text(REQUEST_MAX)),
                true,
            ))
        } else if memory > bounds.memory_bytes() {
            Some((
                format!(
                    "its answer of {} has too many values",
                    size_text(text.len())
                ),
                true,
            ))
        } else if reservation
            .cover(&bounds.memory, memory, bounds.patience)
            .await
            .is_none()
        {
            Some((BUSY.to_owned(), false))
        } else {
            None
        };
        if let Some((reason, is_too_large)) = refused {
            return ReceivedMessage::Unreadable(UnreadableMessage::new(reason, scan, is_too_large));
        }
    }
    let parsed = match text.len() {
        0..PARSED_APART => serde_json::from_slice(text),
        _ => {
            let (parsed, text) = bounds.memory.parser.parse(bytes).await;
            // Needed again if they cannot be parsed.
            bytes = text;
            parsed
        }
    };
    let error = match parsed {
        Ok(value) => return ReceivedMessage::Json(value, reservation),
        Err(error) => error,
    };
    let text = bytes.trim_ascii();
    // Only after a failure, because almost no message needs the second pass over its bytes.
    if let Some(value) = repaired(text).and_then(|text| serde_json::from_slice(&text).ok()) {
        return ReceivedMessage::Json(value, reservation);
    }
    if let Some(rest) = without_deep_values(text) {
        // The rest may need a repair, too.
        let rest = repaired(&rest).unwrap_or(rest);
        if let Ok(value) = serde_json::from_slice(&rest) {
            return ReceivedMessage::Json(value, reservation);
        }
    }
    let reason = match is_too_deep(&error) {
        true => TOO_DEEP.to_owned(),
        false => format!("it sent JSON that cannot be read: {error}"),
    };
    let mut scan = MessageScan::default();
    scan.feed(text);
    ReceivedMessage::Unreadable(UnreadableMessage::new(reason, scan, false))
}

fn is_too_deep(error: &serde_json::Error) -> bool {
    // serde_json names this limit in the text of its error only.
    error.to_string().starts_with("recursion limit exceeded")
}
