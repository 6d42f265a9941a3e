//! Batches of lines for a writer.

use std::io::{self, Write};

/// The size at which a batch is written, in bytes.
const BATCH_BYTES: usize = 64 * 1024;

/// Lines that are written together. After a failed write, the batch knows which lines are lost.
#[derive(Debug, Default)]
pub(super) struct LineBatch {
    bytes: Vec<u8>,
    /// The number of bytes before the first event: the end of a torn line, or a report about
    /// dropped events.
    prefix: usize,
    /// Whether the last write ended inside of a line.
    is_torn: bool,
}

/// A failed write.
#[derive(Debug)]
pub(super) struct BatchError {
    pub(super) error: io::Error,
    /// The number of events that were not written in full.
    pub(super) lost: u64,
    /// Whether the report was not written in full.
    pub(super) lost_report: bool,
}

impl LineBatch {
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= BATCH_BYTES
    }

    /// Adds an event.
    pub(super) fn push(&mut self, line: &str) {
        self.close_torn_line();
        self.bytes.extend_from_slice(line.as_bytes());
    }

    /// Adds a report about dropped events. The batch must be empty, so that the report is its first
    /// line.
    pub(super) fn push_report(&mut self, line: &str) {
        self.push(line);
        self.prefix = self.bytes.len();
    }

    /// Ends a torn line. A reader would otherwise join its rest with the next line.
    fn close_torn_line(&mut self) {
        if self.bytes.is_empty() && self.is_torn {
            self.bytes.push(b'\n');
            self.prefix = 1;
        }
    }

    /// Prepares for a write to another file, where no line is torn.
    pub(super) fn start_file(&mut self) {
        self.is_torn = false;
    }

    /// Writes all lines. The batch is empty afterwards, even if the write failed.
    ///
    /// # Errors
    ///
    /// Returns the writer's error, with the number of lost events.
    pub(super) fn write(&mut self, out: &mut impl Write) -> Result<(), BatchError> {
        let (written, outcome) = write_some(out, &self.bytes);
        // A line that lacks only its newline is not lost: the next write adds the newline.
        let arrived = written + usize::from(self.bytes.get(written) == Some(&b'\n'));
        let result = outcome.map_err(|error| BatchError {
            error,
            lost: self.events_after(arrived),
            // A prefix of one byte is the newline after a torn line and not a report.
            lost_report: self.prefix > 1 && arrived < self.prefix,
        });
        if let Some(last) = written.checked_sub(1) {
            self.is_torn = self.bytes.get(last) != Some(&b'\n');
        }
        self.prefix = 0;
        self.bytes.clear();
        // One very long line must not keep its memory for the lifetime of the process.
        self.bytes.shrink_to(BATCH_BYTES);
        result
    }

    fn events_after(&self, arrived: usize) -> u64 {
        let rest = self
            .bytes
            .get(arrived.max(self.prefix)..)
            .unwrap_or_default();
        rest.split_inclusive(|byte| *byte == b'\n').map(|_| 1).sum()
    }
}

/// Writes until the writer fails, and returns the number of bytes written. `Write::write_all` does
/// not report that number.
fn write_some(out: &mut impl Write, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match out.write(rest) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, out.flush())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Accepts a limited number of bytes.
    struct Disk {
        bytes: Vec<u8>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.room).min(3);
            if count == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room -= count;
            self.bytes.extend(bytes.iter().take(count));
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn each_event_arrives_or_is_counted_wherever_the_disk_ends() {
        for room in 0..40 {
            let (mut disk, mut batch) = (
                Disk {
                    bytes: Vec::new(),
                    room,
                },
                LineBatch::default(),
            );
            batch.push_report("report-0\n");
            ["event-1\n", "event-2\n", "event-3\n"]
                .into_iter()
                .for_each(|line| batch.push(line));
            let failed = batch.write(&mut disk).err();
            disk.room = 1_000;
            batch.push("event-4\n");
            batch.write(&mut disk).unwrap();
            let text = String::from_utf8(disk.bytes).unwrap();
            let arrived = |kind: &str| {
                text.lines()
                    .filter(|line| line.starts_with(kind) && line.len() > 6)
                    .count()
            };
            let whole = text
                .lines()
                .filter(|line| line.starts_with("event-") && line.len() == 7)
                .count();
            let (lost, lost_report) =
                failed.map_or((0, false), |failed| (failed.lost, failed.lost_report));
            assert_eq!(u64::try_from(whole).unwrap() + lost, 4, "{room}: {text}");
            assert_eq!(
                text.lines().any(|line| line == "report-0"),
                !lost_report,
                "{room}: {text}"
            );
            assert!(
                text.ends_with("event-4\n") && arrived("event-4") == 1,
                "{room}: {text}"
            );
        }
    }
}
