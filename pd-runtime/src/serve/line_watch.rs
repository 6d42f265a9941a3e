//! Notices lines that rmcp's transport drops because they are not valid JSON, so that they are
//! repaired or answered. rmcp answers them with nothing, or with an error without their id.

use crate::protocol::unreadable::UnreadableMessage;
use parking_lot::Mutex;
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf};

/// The most bytes of a line that are kept until it was read: the longest line that rmcp takes.
const KEPT_MAX: usize = 16 << 20;
/// The memory that an input keeps for the next line, in bytes.
const SPARE_MAX: usize = 16 << 10;

/// What the input and the transport over it know of the current line. Both run in one task.
#[derive(Debug, Clone, Default)]
#[allow(
    unnameable_types,
    reason = "it is in the sealed part of `ServedTransport`"
)]
pub struct LineWatch(Arc<Mutex<WatchedLine>>);

#[derive(Debug, Default)]
struct WatchedLine {
    /// Whether the transport has returned a message since the line began.
    is_received: bool,
    dropped: Option<UnreadableMessage>,
}

impl LineWatch {
    /// Notes that the transport returned a message, which is the line that was read last.
    pub(super) fn note_received(&self) {
        self.0.lock().is_received = true;
    }

    /// Waits for a message that the transport has dropped.
    pub(super) async fn dropped(&self) -> UnreadableMessage {
        // The input wakes this task after it has noted one.
        std::future::poll_fn(|_| match self.0.lock().dropped.take() {
            Some(dropped) => Poll::Ready(dropped),
            None => Poll::Pending,
        })
        .await
    }
}

/// An input that returns at most one line for each read. So the transport that asks for the next line
/// has finished with the one before.
#[derive(Debug)]
pub(super) struct WatchedInput<R> {
    input: BufReader<R>,
    watch: LineWatch,
    /// The beginning of the current line.
    line: Vec<u8>,
    has_ended: bool,
}

impl<R: AsyncRead> WatchedInput<R> {
    pub(super) fn new(input: R, watch: LineWatch) -> Self {
        Self {
            input: BufReader::new(input),
            watch,
            line: Vec::new(),
            has_ended: false,
        }
    }

    /// Ends the line, and notes what the transport did not take.
    fn end_line(&mut self) {
        let mut watched = self.watch.0.lock();
        if !std::mem::take(&mut watched.is_received) {
            watched.dropped = if self.line.len() < KEPT_MAX {
                UnreadableMessage::read(&self.line)
            } else {
                UnreadableMessage::read_beginning(&self.line)
            };
        }
        self.line.clear();
        self.line.shrink_to(SPARE_MAX);
        self.has_ended = false;
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for WatchedInput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.has_ended {
            this.end_line();
        }
        // The answer comes before the next line, so that a client that sends many such lines waits
        // for the answers, too.
        if this.watch.0.lock().dropped.is_some() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let available = ready!(Pin::new(&mut this.input).poll_fill_buf(context))?;
        let line = match available.iter().position(|byte| *byte == b'\n') {
            Some(end) => available.get(..=end).unwrap_or(available),
            None => available,
        };
        let read = line.get(..into.remaining()).unwrap_or(line);
        into.put_slice(read);
        let room = KEPT_MAX.saturating_sub(this.line.len());
        this.line
            .extend_from_slice(read.get(..room).unwrap_or(read));
        this.has_ended = read.ends_with(b"\n");
        let count = read.len();
        Pin::new(&mut this.input).consume(count);
        Poll::Ready(Ok(()))
    }
}
