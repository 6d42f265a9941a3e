//! A server as a process: its URL, and the CPU time it has taken.

use super::Failure;
use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// A process that tells its URL in the first line of standard output; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pub(crate) url: String,
}

impl Process {
    /// Starts it, and waits for its URL.
    ///
    /// # Errors
    ///
    /// It does not start, or ends before it serves.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Failure> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no standard output")?).read_line(&mut line)?;
        let process = Self {
            child,
            url: line.trim().to_owned(),
        };
        if process.url.is_empty() {
            Err("it told no URL".into())
        } else {
            Ok(process)
        }
    }

    /// CPU seconds, user's and system's, of all its threads.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub(crate) fn spent(&self) -> Result<f64, Failure> {
        spent(self.child.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn spent(process: u32) -> Result<f64, Failure> {
    use nix::{sys::time::TimeValLike, time::clock_getcpuclockid, unistd::Pid};
    let clock = clock_getcpuclockid(Pid::from_raw(process.cast_signed()))?;
    Ok(clock.now()?.num_nanoseconds() as f64 / 1e9)
}

#[cfg(not(unix))]
fn spent(_: u32) -> Result<f64, Failure> {
    Err("what other processes cost is known on Unix only".into())
}
