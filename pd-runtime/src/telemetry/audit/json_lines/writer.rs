//! The thread that writes lines.

use super::{batch::Batch, file};
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

/// How long a warning about writes that fail holds. A disk that is full now and then would fill the
/// log otherwise.
const WARNING: Duration = Duration::from_secs(60);

/// Work for the writer.
pub(super) enum Message {
    Line(String),
    /// Everything before it is written first; then the sender is answered.
    Flush(SyncSender<()>),
    /// What follows goes to the file that has the path then.
    Reopen,
}

/// The counts that both sides share.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Bytes of lines that wait.
    pub(super) waiting: AtomicUsize,
    /// Events.
    pub(super) dropped: AtomicU64,
}

/// The state of the thread.
pub(super) struct Writer {
    out: Box<dyn Write + Send>,
    /// Of a file that can be opened again.
    path: Option<PathBuf>,
    batch: Batch,
    lines: Receiver<Message>,
    state: Arc<State>,
    /// How many dropped events a line that was written reports.
    reported: u64,
    /// How many more the batch's first line reports.
    reporting: u64,
    is_failing: bool,
    warned: Option<Instant>,
}

impl Writer {
    pub(super) fn new(
        out: impl Write + Send + 'static,
        path: Option<PathBuf>,
        lines: Receiver<Message>,
        state: Arc<State>,
    ) -> Self {
        Self {
            out: Box::new(out),
            path,
            batch: Batch::default(),
            lines,
            state,
            reported: 0,
            reporting: 0,
            is_failing: false,
            warned: None,
        }
    }

    /// Runs until nobody sends any more.
    pub(super) fn run(mut self) {
        while let Some(message) = self.next() {
            match message {
                Message::Line(line) => self.take(&line),
                Message::Flush(written) => {
                    self.settle();
                    // Whoever asked may not wait any more.
                    let _ = written.send(());
                }
                Message::Reopen => self.reopen(),
            }
        }
        self.settle();
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

    fn take(&mut self, line: &str) {
        if self.batch.is_empty() {
            self.report_dropped();
        }
        self.batch.push(line);
        if self.batch.is_full() {
            self.flush();
        }
        self.state.waiting.fetch_sub(line.len(), Ordering::Relaxed);
    }

    /// Writes everything, and reports what was dropped.
    fn settle(&mut self) {
        self.flush();
        self.report_dropped();
        self.flush();
    }

    /// Adds a line about dropped events, where it can be expected to arrive.
    fn report_dropped(&mut self) {
        let dropped = self.state.dropped.load(Ordering::Relaxed);
        if dropped > self.reported && !self.is_failing {
            self.reporting = dropped - self.reported;
            self.batch.push_report(&format!("{{\"event\":\"dropped\",\"count\":{}}}\n", self.reporting));
        }
    }

    fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let reporting = std::mem::take(&mut self.reporting);
        match self.batch.write(&mut self.out) {
            Ok(()) => (self.reported, self.is_failing) = (self.reported + reporting, false),
            Err(failure) => {
                self.state.dropped.fetch_add(failure.lost, Ordering::Relaxed);
                self.reported += if failure.lost_report { 0 } else { reporting };
                self.note_failure(&failure.error);
            }
        }
    }

    /// Warns of a full disk once, and once more if it was mended in between.
    fn note_failure(&mut self, error: &io::Error) {
        let is_due = self.warned.is_none_or(|warned| warned.elapsed() >= WARNING);
        if !self.is_failing && is_due {
            self.warned = Some(Instant::now());
            tracing::warn!(%error, "the audit stream cannot be written; its events are dropped until it can");
        }
        self.is_failing = true;
    }

    /// The old file stays in use where the new one cannot be opened.
    fn reopen(&mut self) {
        let Some(path) = &self.path else { return };
        match file::open(path) {
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
