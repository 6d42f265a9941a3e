//! A server in a process of its own, on its standard streams or on a local port.

use crate::harness::line::Line;
use std::{ffi::OsStr, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStderr, Command},
};

/// How long a process may take to say or do something.
const PATIENCE: Duration = Duration::from_secs(10);

/// A process that ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    stderr: Lines<BufReader<ChildStderr>>,
    /// All that it said on standard error and somebody waited for.
    heard: Vec<String>,
}

impl Process {
    fn start<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> Self {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().expect("a process");
        let stderr = BufReader::new(child.stderr.take().expect("standard error")).lines();
        Self {
            child,
            stderr,
            heard: Vec::new(),
        }
    }

    /// A process that speaks on its standard streams.
    pub(crate) fn stdio<A: AsRef<OsStr>>(
        program: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> (Self, Line) {
        let mut process = Self::start(program, arguments);
        let (stdin, stdout) = (process.child.stdin.take(), process.child.stdout.take());
        let mut streams = tokio::io::join(
            stdout.expect("standard output"),
            stdin.expect("standard input"),
        );
        let (ours, mut theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move { tokio::io::copy_bidirectional(&mut theirs, &mut streams).await });
        (process, Line::over(ours))
    }

    /// A process that serves HTTP, and where.
    pub(crate) async fn http<A: AsRef<OsStr>>(
        program: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> (Self, String) {
        let mut process = Self::start(program, arguments);
        let url = process.says("http://").await;
        (process, url)
    }

    /// The next line on standard error that has this in it.
    pub(crate) async fn says(&mut self, part: &str) -> String {
        loop {
            let line = tokio::time::timeout(PATIENCE, self.stderr.next_line()).await;
            let line = line.unwrap_or_else(|_| panic!("no {part:?} in {:?}", self.heard));
            let line = line
                .expect("standard error")
                .unwrap_or_else(|| panic!("no {part:?} in {:?}", self.heard));
            self.heard.push(line.clone());
            if line.contains(part) {
                return line;
            }
        }
    }

    /// Whether it has said something with this in it, of all that somebody waited for.
    pub(crate) fn has_said(&self, part: &str) -> bool {
        self.heard.iter().any(|line| line.contains(part))
    }
}
