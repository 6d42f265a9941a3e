//! The thread that writes lines, and its messages.

use super::{batch::LineBatch, file};
use std::{
    io::{self, Write},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, TryRecvError},
    },
    time::{Duration, Instant},
};

/// The shortest time between two warnings about failed writes. A disk that is full now and then
/// would otherwise flood the log.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// A message to the writer's thread.
pub(super) enum WriterMessage {
    Line(String),
    /// Writes everything before it, and then answers the sender.
    Flush(SyncSender<()>),
    /// Directs all later lines to the file that has the path now.
    Reopen,
}

/// The counters that the handle and the thread share.
#[derive(Debug, Default)]
pub(super) struct WriterCounters {
    /// The bytes of lines that wait to be written.
    pub(super) waiting: AtomicUsize,
    /// The number of dropped events.
    pub(super) dropped: AtomicU64,
}

/// The state of the thread.
pub(super) struct LineWriter {
    out: Box<dyn Write + Send>,
    /// The path of a file that can be opened again.
    path: Option<PathBuf>,
    batch: LineBatch,
    lines: Receiver<WriterMessage>,
    state: Arc<WriterCounters>,
    /// The number of dropped events that written lines have reported.
    reported: u64,
    /// The number of dropped events that the batch's first line reports.
    reporting: u64,
    is_failing: bool,
    warned: Option<Instant>,
}

impl LineWriter {
    pub(super) fn new(
        out: impl Write + Send + 'static,
        path: Option<PathBuf>,
        lines: Receiver<WriterMessage>,
        state: Arc<WriterCounters>,
    ) -> Self {
        Self {
            out: Box::new(out),
            path,
            batch: LineBatch::default(),
            lines,
            state,
            reported: 0,
            reporting: 0,
            is_failing: false,
            warned: None,
        }
    }

    /// Runs until the last sender is gone.
    pub(super) fn run(mut self) {
        while let Some(message) = self.next() {
            match message {
                WriterMessage::Line(line) => self.push_line(&line),
                WriterMessage::Flush(written) => {
                    self.write_and_report();
                    // The caller of `flush` may have given up.
                    let _ = written.send(());
                }
                WriterMessage::Reopen => self.reopen(),
            }
        }
        self.write_and_report();
    }

    /// Returns the next message. If the queue is empty, it first writes the batch, so that no line
    /// waits for the next event.
    fn next(&mut self) -> Option<WriterMessage> {
        match self.lines.try_recv() {
            Ok(message) => Some(message),
            Err(TryRecvError::Disconnected) => None,
            // `flush` must not wait for the next event, which may come in hours.
            Err(TryRecvError::Empty) => {
                self.flush();
                self.lines.recv().ok()
            }
        }
    }

    fn push_line(&mut self, line: &str) {
        // Only an empty batch can take a report, so this is the one place for it.
        if self.batch.is_empty() {
            self.report_dropped();
        }
        self.batch.push(line);
        if self.batch.is_full() {
            self.flush();
        }
        // Subtracted after the write: while the disk blocks, the line must count against the limit.
        self.state.waiting.fetch_sub(line.len(), Ordering::Relaxed);
    }

    /// Writes everything, and reports dropped events, including those that the write itself has
    /// lost.
    fn write_and_report(&mut self) {
        self.flush();
        self.report_dropped();
        self.flush();
    }

    /// Adds a line about dropped events. While writes fail it adds none, because that line would be
    /// lost, too.
    fn report_dropped(&mut self) {
        let dropped = self.state.dropped.load(Ordering::Relaxed);
        if dropped > self.reported && !self.is_failing {
            self.reporting = dropped - self.reported;
            self.batch.push_report(&format!(
                "{{\"event\":\"dropped\",\"count\":{}}}\n",
                self.reporting
            ));
        }
    }

    fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        // Taken in each case, because a failed write empties the batch, too.
        let reporting = std::mem::take(&mut self.reporting);
        match self.batch.write(&mut self.out) {
            Ok(()) => (self.reported, self.is_failing) = (self.reported + reporting, false),
            Err(failure) => {
                self.state
                    .dropped
                    .fetch_add(failure.lost, Ordering::Relaxed);
                self.reported += if failure.lost_report { 0 } else { reporting };
                self.note_failure(&failure.error);
            }
        }
    }

    /// Warns when writes start to fail, at most once per [`WARNING_INTERVAL`].
    fn note_failure(&mut self, error: &io::Error) {
        let is_due = self
            .warned
            .is_none_or(|warned| warned.elapsed() >= WARNING_INTERVAL);
        if !self.is_failing && is_due {
            self.warned = Some(Instant::now());
            tracing::warn!(%error, "the audit stream cannot be written; its events are dropped until it can");
        }
        self.is_failing = true;
    }

    /// Opens the file again. If that fails, the old file stays in use.
    fn reopen(&mut self) {
        let Some(path) = &self.path else { return };
        match file::open(path) {
            // Lines from before the call belong to the old file. A torn line ends with that file.
            Ok(file) => {
                self.flush();
                self.batch.start_file();
                self.out = Box::new(file);
            }
            Err(error) => {
                let path = path.display();
                tracing::warn!(%error, %path, "the audit file cannot be opened again; the old one stays in use");
            }
        }
    }
}
