//! The thread that writes lines.

use std::{
    io::{self, BufWriter, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, TryRecvError},
    },
};

/// What the writer is sent.
pub(super) enum Message {
    Line(String),
    /// Everything before it is to be written; then its sender is told.
    Flush(SyncSender<()>),
}

/// What both sides count.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Bytes of lines that wait.
    pub(super) waiting: AtomicUsize,
    /// Events.
    pub(super) dropped: AtomicU64,
}

/// What runs on the thread.
pub(super) struct Writer<W: Write> {
    out: BufWriter<W>,
    lines: Receiver<Message>,
    state: Arc<State>,
    /// How many of those dropped a line has told of.
    told: u64,
    failed: bool,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W, lines: Receiver<Message>, state: Arc<State>) -> Self {
        Self { out: BufWriter::new(out), lines, state, told: 0, failed: false }
    }

    /// Until nobody sends any more.
    pub(super) fn run(mut self) {
        while let Some(message) = self.next() {
            match message {
                Message::Line(line) => {
                    self.tell_dropped();
                    self.write(&line);
                    self.state.waiting.fetch_sub(line.len(), Ordering::Relaxed);
                }
                Message::Flush(written) => {
                    self.tell_dropped();
                    self.flush();
                    let _ = written.send(());
                }
            }
        }
        self.tell_dropped();
        self.flush();
    }

    /// Waits for a message with everything before it written.
    fn next(&mut self) -> Option<Message> {
        match self.lines.try_recv() {
            Ok(message) => Some(message),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) => {
                self.flush();
                self.lines.recv().ok()
            }
        }
    }

    fn tell_dropped(&mut self) {
        let dropped = self.state.dropped.load(Ordering::Relaxed);
        // A line that cannot be written would count as one more.
        if dropped > self.told && !self.failed {
            let count = dropped - self.told;
            self.told = dropped;
            self.write(&format!("{{\"event\":\"dropped\",\"count\":{count}}}\n"));
        }
    }

    fn write(&mut self, line: &str) {
        let written = self.out.write_all(line.as_bytes());
        if written.is_err() {
            self.state.dropped.fetch_add(1, Ordering::Relaxed);
        }
        self.judge(written);
    }

    fn flush(&mut self) {
        let flushed = self.out.flush();
        self.judge(flushed);
    }

    /// A full disk is told once, and once more when it was mended in between.
    fn judge(&mut self, written: io::Result<()>) {
        if let Err(error) = &written
            && !self.failed
        {
            tracing::warn!(%error, "the audit stream cannot be written; its events are dropped until it can");
        }
        self.failed = written.is_err();
    }
}
