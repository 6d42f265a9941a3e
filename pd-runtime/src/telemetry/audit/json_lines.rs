//! Audit events as lines of JSON, written by a dedicated thread.

mod batch;
mod file;
mod writer;

use super::{Audit, Event};
use std::{
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{self, Sender},
    },
    thread::JoinHandle,
};
use writer::{LineWriter, WriterCounters, WriterMessage};

/// The limit on lines that wait for the writer, in bytes. At 16 MiB, tens of thousands of events
/// survive a slow disk.
const BACKLOG_BYTES: usize = 16 * 1024 * 1024;

/// Writes events as JSON, one per line.
///
/// A queue in memory holds up to 16 MiB of lines for the writer. If the writer is slower than that,
/// events are dropped and counted, and a line `{"event":"dropped","count":…}` takes their place.
/// Dropping the last handle writes the remaining lines.
///
/// ```
/// use pd_runtime::{audit::{Audit, JsonLines}, prelude::*};
/// use std::sync::Arc;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::env::temp_dir().join("pd-runtime-doc-audit.jsonl");
/// let audit = Arc::new(JsonLines::append(&path)?);
/// let server = PdServer::builder(pd_runtime::registry! {}, ()).audit(audit.clone()).build()?;
/// // …
/// audit.flush();
/// # let _ = server;
/// # Ok(())
/// # }
/// ```
pub struct JsonLines {
    queue: Option<Sender<WriterMessage>>,
    state: Arc<WriterCounters>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for JsonLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonLines")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl JsonLines {
    /// Appends to a file, and creates the file if it does not exist. On Unix the file is readable
    /// and writable only by its owner: an existing file that is open to others gets the mode 0600,
    /// with a warning in the log.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened, is not a regular file, or the thread cannot
    /// be started. A FIFO is refused because opening and writing it waits for a reader.
    pub fn append(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        Self::start(file::open(path)?, Some(path.to_owned()))
    }

    /// Writes to any writer.
    ///
    /// # Errors
    ///
    /// Returns an error if the thread cannot be started.
    pub fn to(writer: impl Write + Send + 'static) -> io::Result<Self> {
        Self::start(writer, None)
    }

    fn start(out: impl Write + Send + 'static, path: Option<PathBuf>) -> io::Result<Self> {
        // The channel is unbounded. `WriterCounters::waiting` limits its bytes, which a limit on
        // messages could not.
        let (queue, lines) = mpsc::channel();
        let state = Arc::new(WriterCounters::default());
        let writer = LineWriter::new(out, path, lines, state.clone());
        let thread = std::thread::Builder::new()
            .name("pd-audit".to_owned())
            .spawn(move || writer.run())?;
        Ok(Self {
            queue: Some(queue),
            state,
            thread: Some(thread),
        })
    }

    /// Returns the number of events that were dropped, because the queue was full or a write
    /// failed.
    pub fn dropped(&self) -> u64 {
        self.state.dropped.load(Ordering::Relaxed)
    }

    /// Blocks the thread until all events recorded so far are written.
    pub fn flush(&self) {
        let (written, is_written) = mpsc::sync_channel(1);
        if self
            .queue
            .as_ref()
            .is_some_and(|queue| queue.send(WriterMessage::Flush(written)).is_ok())
        {
            // An error means that the writer panicked. Nothing is left to wait for.
            let _ = is_written.recv();
        }
    }

    /// Opens the file of [`append`](Self::append) again by its path, for log rotation: move the
    /// file away, then call this method. Events recorded before the call go to the old file, later
    /// events to the new file. If the new file cannot be opened, the old file stays in use, with a
    /// warning in the log. `serve --audit` calls this method on SIGHUP.
    ///
    /// The method does not block. It does nothing for a writer of [`to`](Self::to).
    pub fn reopen(&self) {
        self.post(WriterMessage::Reopen);
    }

    /// Sends a message to the thread. The thread runs for as long as the queue exists, so sending
    /// fails only after a panic of the writer.
    fn post(&self, message: WriterMessage) {
        if let Some(queue) = &self.queue {
            let _ = queue.send(message);
        }
    }

    fn send(&self, line: String) {
        let length = line.len();
        // Adding before the comparison reserves the space, so concurrent callers cannot exceed the
        // limit together.
        if self.state.waiting.fetch_add(length, Ordering::Relaxed) + length > BACKLOG_BYTES {
            self.state.waiting.fetch_sub(length, Ordering::Relaxed);
            self.state.dropped.fetch_add(1, Ordering::Relaxed);
        } else {
            self.post(WriterMessage::Line(line));
        }
    }
}

impl Audit for JsonLines {
    fn record(&self, event: &Event<'_>) {
        match serde_json::to_string(event) {
            Ok(line) => self.send(line + "\n"),
            // `record` has no way to return an error, so an event that cannot be serialized counts
            // as dropped.
            Err(_) => _ = self.state.dropped.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl Drop for JsonLines {
    fn drop(&mut self) {
        // Closing the queue ends the thread once it has written everything.
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the writer is not passed on: a panic inside `drop` could abort the
            // process.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::sync::Mutex;

    /// Writes only while the test does not hold the lock.
    #[derive(Clone, Default)]
    struct Held(Arc<Mutex<Vec<u8>>>);

    impl Write for Held {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_does_not_fit_is_dropped_counted_and_told() {
        let held = Held::default();
        let lines = JsonLines::to(held.clone()).unwrap();
        let stuck = held.0.lock().unwrap();
        let line = format!("{}\n", "x".repeat(1024 * 1024 - 1));
        for _ in 0..40 {
            lines.send(line.clone());
        }
        assert_eq!(lines.dropped(), 24, "16 of 1 MiB each wait");
        drop(stuck);
        lines.flush();
        lines.send("last\n".to_owned());
        drop(lines);
        let written = String::from_utf8(held.0.lock().unwrap().clone()).unwrap();
        assert_eq!(
            written
                .lines()
                .filter(|line| line.starts_with("xx"))
                .count(),
            16
        );
        // The writer may start while lines are still sent, and then reports in two steps.
        let report = |line: &str| {
            line.strip_prefix("{\"event\":\"dropped\",\"count\":")?
                .strip_suffix('}')?
                .parse::<u64>()
                .ok()
        };
        assert_eq!(written.lines().filter_map(report).sum::<u64>(), 24);
        assert!(written.ends_with("last\n"));
    }

    #[test]
    fn lines_that_cannot_be_written_count_as_dropped() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other("no space left"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let lines = JsonLines::to(Full).unwrap();
        lines.send("x".repeat(100_000));
        lines.flush();
        assert_eq!(lines.dropped(), 1);
    }

    /// Refuses all writes while it is full.
    #[derive(Clone, Default)]
    struct Disk(Arc<Mutex<(Vec<u8>, bool)>>);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let (held, is_full) = &mut *self.0.lock().unwrap();
            if *is_full {
                return Err(io::ErrorKind::StorageFull.into());
            }
            held.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn small_lines_for_a_full_disk_count_as_dropped_and_are_reported_when_it_is_mended() {
        let disk = Disk::default();
        let lines = JsonLines::to(disk.clone()).unwrap();
        for is_full in [false, true, false, true, false] {
            disk.0.lock().unwrap().1 = is_full;
            for _ in 0..3 {
                lines.send("event\n".to_owned());
                lines.flush();
            }
        }
        assert_eq!(lines.dropped(), 6);
        drop(lines);
        let text = String::from_utf8(disk.0.lock().unwrap().0.clone()).unwrap();
        assert_eq!(text.lines().filter(|line| *line == "event").count(), 9);
        assert_eq!(
            text.matches("{\"event\":\"dropped\",\"count\":3}\n")
                .count(),
            2,
            "{text}"
        );
    }
}
