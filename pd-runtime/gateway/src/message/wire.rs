//! The bytes of messages, before they are JSON: their bounds, what is read of them if they cannot
//! be parsed, and the memory that they take.

mod deep_values;
mod line_reader;
mod message_bytes;
mod message_memory;
mod message_scan;
mod parser_thread;

pub(crate) use deep_values::LEFT_OUT;
pub(crate) use line_reader::LineReader;
pub(crate) use message_bytes::{MessageBytes, ReceivedMessage, UnreadableMessage};
pub(crate) use message_memory::{MemoryPatience, MessageMemory, MessageReservation};
pub(crate) use message_scan::MessageScan;

use std::{io, sync::Arc};

/// The largest result of a tool, unless the entry sets `responseBytes`.
pub(crate) const RESPONSE_BYTES: usize = 32 << 20;
/// A message may have this size, whatever the limit on results is: lists are messages, too.
const MESSAGE_MIN: usize = 4 << 20;
/// A line or an event of this size is read to its end, so that it costs its own call alone.
const ENDLESS_MIN: usize = 64 << 20;
/// The longest message with a method. A request for sampling may contain an image.
const REQUEST_MAX: usize = 4 << 20;

/// The bounds of one upstream's messages.
#[derive(Debug, Clone)]
pub(crate) struct MessageBounds {
    /// The largest result.
    pub(crate) response_bytes: usize,
    /// The memory for all upstreams.
    pub(crate) memory: Arc<MessageMemory>,
    /// How long a message waits for memory.
    pub(crate) patience: MemoryPatience,
}

impl MessageBounds {
    pub(crate) fn new(response_bytes: Option<usize>, memory: Arc<MessageMemory>) -> Self {
        Self {
            response_bytes: response_bytes.unwrap_or(RESPONSE_BYTES),
            memory,
            patience: MemoryPatience::OwnStream,
        }
    }

    /// Returns the same bounds for a stream that carries the messages of several requests.
    pub(crate) fn for_shared_stream(&self) -> Self {
        Self {
            patience: MemoryPatience::SharedStream,
            ..self.clone()
        }
    }

    /// Returns the largest message. A quarter more than a result is room for what JSON escapes.
    pub(crate) const fn message_bytes(&self) -> usize {
        let bytes = self.response_bytes.saturating_add(self.response_bytes / 4);
        if bytes > MESSAGE_MIN {
            bytes
        } else {
            MESSAGE_MIN
        }
    }

    /// Returns the most bytes that are read of one line or event. What goes on after that has no
    /// end, so its stream ends.
    pub(crate) const fn endless_bytes(&self) -> usize {
        let bytes = self.message_bytes().saturating_mul(4);
        if bytes > ENDLESS_MIN {
            bytes
        } else {
            ENDLESS_MIN
        }
    }

    /// Returns the error of a stream with a line or an event that has no end.
    pub(crate) fn endless(&self, what: &str) -> io::Error {
        let size = size_text(self.endless_bytes());
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("it sent {size} without the end of {what}"),
        )
    }

    /// Returns the most memory that one message may take.
    const fn memory_bytes(&self) -> usize {
        // Room for the three copies of a text that `read_message` counts.
        self.message_bytes().saturating_mul(3)
    }
}

/// Writes a number of bytes for an error.
pub(crate) fn size_text(bytes: usize) -> String {
    match bytes {
        0..1_048_576 => format!("{bytes} bytes"),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}
