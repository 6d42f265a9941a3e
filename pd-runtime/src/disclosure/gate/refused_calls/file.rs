//! The file that keeps the refused calls of the process's own client for its next process. A client
//! over standard input and output may start a process for each batch of calls.

use super::{OWNER, PAYER_CALLS_MAX, RefusedCall, is_alive};
use crate::text::{regular_file, write_file};
use std::{
    fmt::Write,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The most bytes of a file: twice what the most calls take.
const FILE_BYTES: u64 = 128 * 2 * PAYER_CALLS_MAX as u64;

/// The file. Each line has the time, the session, and the two hashes of one call.
#[derive(Debug, Clone)]
pub(super) struct RefusedCallsFile(PathBuf);

impl RefusedCallsFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the calls in the file. A file that is missing or damaged costs at most one more
    /// refusal, so it counts as empty.
    pub(super) fn read(&self) -> Vec<(u64, RefusedCall)> {
        let text = read_text(&self.0).unwrap_or_default();
        let calls: Vec<_> = text.lines().filter_map(parse).collect();
        let first = calls.len().saturating_sub(PAYER_CALLS_MAX);
        calls.get(first..).unwrap_or_default().to_vec()
    }

    /// Adds a call, and drops old ones. Two processes that write at once may lose one call.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub(super) fn add(&self, now: u64, call: RefusedCall) -> io::Result<()> {
        let mut calls = self.read();
        calls.retain(|(time, known)| is_alive(*time, now) && known.call != call.call);
        calls.push((now, call));
        // The last calls are the youngest.
        let first = calls.len().saturating_sub(PAYER_CALLS_MAX);
        let mut text = String::new();
        calls
            .iter()
            .skip(first)
            .for_each(|(time, call)| write_line(&mut text, *time, call));
        write_file::create_private_directory(self.0.parent().unwrap_or(Path::new(".")))?;
        write_file::write_private(&self.0, &text)
    }
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    regular_file::open(path)?
        .take(FILE_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}

fn write_line(text: &mut String, time: u64, call: &RefusedCall) {
    // A hash has 16 bytes, so it fits one number.
    let tool = u128::from_be_bytes(call.tool);
    let hash = u128::from_be_bytes(call.call);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{time} {} {tool:032x} {hash:032x}", call.session);
}

fn parse(line: &str) -> Option<(u64, RefusedCall)> {
    let mut words = line.split(' ');
    let time = words.next()?.parse().ok()?;
    let session = words.next()?.parse().ok()?;
    let mut hash = || {
        u128::from_str_radix(words.next()?, 16)
            .ok()
            .map(u128::to_be_bytes)
    };
    Some((
        time,
        RefusedCall {
            payer: OWNER,
            session,
            tool: hash()?,
            call: hash()?,
        },
    ))
}
