//! An upstream as a child process, over its standard input and output.

use crate::{
    config::StdioServer,
    failure::{failure_text::FailureText, secret_filter::SecretFilter},
    message::{
        self,
        wire::{LineReader, MessageBounds},
    },
    transport::{
        child_environment::environment,
        child_input::ChildInput,
        child_processes::ChildProcesses,
        link::{Link, LinkEvent, LinkEvents, MessageStream},
        request_error::RequestError,
    },
};
use parking_lot::Mutex;
use pd_runtime::upstream::text::bounded_line::{Line, read_line};
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{collections::VecDeque, io, process::Stdio, sync::Arc};
use tokio::{
    io::BufReader,
    process::{ChildStderr, ChildStdout},
};
use tokio_util::sync::CancellationToken;

/// The lines of a child's standard error that errors show.
const STDERR_LINES: usize = 50;
/// The characters of one of these lines. The rest is cut.
const STDERR_LINE_MAX: usize = 1_000;

/// A running child.
#[derive(Debug)]
pub(crate) struct ChildLink {
    input: ChildInput,
    closing: CancellationToken,
    stderr: StderrTail,
}

/// The last lines that a child wrote to its standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    secrets: Arc<SecretFilter>,
}

impl StderrTail {
    fn new(secrets: Arc<SecretFilter>) -> Self {
        Self {
            lines: Arc::default(),
            secrets,
        }
    }

    pub(crate) fn text(&self) -> String {
        self.lines
            .lock()
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn push(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        // Before the line is cut, because the rest of a secret would stay.
        let mut text: String = self
            .secrets
            .hide(&text)
            .chars()
            .take(STDERR_LINE_MAX)
            .collect();
        // Terminal escapes of a child must not reach the terminal of the gateway's user.
        text.retain(|character| !character.is_control() || character == '\t');
        let mut lines = self.lines.lock();
        if lines.len() == STDERR_LINES {
            lines.pop_front();
        }
        lines.push_back(text);
    }
}

impl ChildLink {
    /// Starts the child in its own process group, so that its own children end with it. It gets the
    /// variables of its entry, and the variables of the gateway's environment that `inherit` names.
    pub(crate) fn start(
        server: &StdioServer,
        inherit: &[String],
        secrets: Arc<SecretFilter>,
        events: LinkEvents,
        bounds: MessageBounds,
        processes: Arc<ChildProcesses>,
    ) -> io::Result<Self> {
        let mut wrapped = CommandWrap::with_new(&server.command, |spawned| {
            // A server is not trusted: beside a few common variables, it gets what its entry names.
            spawned
                .args(&server.args)
                .env_clear()
                .envs(environment(server, inherit));
            spawned
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                // For a runtime that ends before the task that supervises the child.
                .kill_on_drop(true);
            if let Some(cwd) = &server.cwd {
                spawned.current_dir(cwd);
            }
        });
        #[cfg(unix)]
        wrapped.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::tokio::JobObject);
        let mut child = wrapped.spawn()?;
        let stdin = child.stdin().take().ok_or_else(missing_pipe)?;
        let stdout = child.stdout().take().ok_or_else(missing_pipe)?;
        let stderr = child.stderr().take().ok_or_else(missing_pipe)?;
        let closing = CancellationToken::new();
        let input = ChildInput::new(stdin, closing.clone())?;
        let link = Self {
            input,
            closing,
            stderr: StderrTail::new(secrets),
        };
        // Read all the time, because a child blocks once this pipe is full.
        let errors = tokio::spawn(read_errors(stderr, link.stderr.clone()));
        let reading = read_messages(stdout, events.clone(), bounds);
        let group = child.id();
        let ended = (link.closing.clone(), link.stderr.clone(), events);
        processes.supervise(
            group,
            supervise(child, reading, errors, ended, processes.clone()),
        );
        Ok(link)
    }

    pub(crate) fn stderr(&self) -> &StderrTail {
        &self.stderr
    }
}

fn missing_pipe() -> io::Error {
    io::Error::other("the child has no pipes")
}

impl Link for ChildLink {
    fn send(&self, message: Value) -> Result<(), RequestError> {
        // JSON text has no line feed, which ends a message (MCP, transports, stdio).
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        self.input.send(line)
    }

    fn cancel(&self, id: u64, notify: bool) {
        // All requests share the pipe, so there is nothing to close.
        if !notify {
            return;
        }
        let params = JsonObject::from_iter([("requestId".to_owned(), id.into())]);
        // A child that is gone needs no notification.
        let _ = self.send(message::notification("notifications/cancelled", params));
    }

    fn negotiated(&self, _: &str) {}

    fn close(&self) {
        self.closing.cancel();
    }
}

impl Drop for ChildLink {
    fn drop(&mut self) {
        // A start that is not taken ends here, and its child with it.
        self.closing.cancel();
    }
}

/// Delivers the messages of a child until its output ends. Returns why the child is stopped, if its
/// output goes on.
async fn read_messages(
    stdout: ChildStdout,
    events: LinkEvents,
    bounds: MessageBounds,
) -> Option<String> {
    let mut lines = LineReader::new(BufReader::new(stdout), &bounds);
    loop {
        match lines.next().await {
            Ok(Some(message)) => {
                if let Some(event) = LinkEvent::from_message(message, MessageStream::Shared)
                    && events.send(event).await.is_err()
                {
                    return None;
                }
            }
            Ok(None) => return None,
            Err(error) => {
                let is_endless = error.kind() == io::ErrorKind::InvalidData;
                return is_endless.then(|| format!("its process was stopped: {error}"));
            }
        }
    }
}

async fn read_errors(stderr: ChildStderr, tail: StderrTail) {
    let mut reader = BufReader::new(stderr);
    // A child can write a line without an end, which must not fill the memory.
    while let Ok(Some(line)) = read_line(&mut reader, 64 * 1024).await {
        match line {
            Line::Complete(line) => tail.push(&line),
            Line::TooLong => tail.push(b"(a long line)"),
        }
    }
}

/// Reads the child's messages until its output ends or the link closes, and then ends the child
/// and its group.
async fn supervise(
    mut child: Box<dyn ChildWrapper>,
    reading: impl Future<Output = Option<String>>,
    errors: tokio::task::JoinHandle<()>,
    (closing, stderr, events): (CancellationToken, StderrTail, LinkEvents),
    processes: Arc<ChildProcesses>,
) {
    let read = closing.run_until_cancelled(reading).await;
    let was_closed = read.is_none();
    let stopped = read.flatten();
    // Ends the task that writes, and with it the child's input.
    closing.cancel();
    let status = end(child.as_mut(), &processes).await;
    // The last lines of standard error usually say why a child ended.
    tokio::select! {
        _ = errors => {}
        () = processes.grace() => {}
    }
    // Some servers exit after each response. That is not a failure.
    let is_done = !was_closed
        && stopped.is_none()
        && status.as_ref().is_ok_and(std::process::ExitStatus::success);
    let mut reason: FailureText = match (stopped, status) {
        (Some(reason), _) => reason.into(),
        (None, _) if was_closed => "it was stopped".into(),
        (None, Ok(status)) => format!("its process ended ({status})").into(),
        (None, Err(error)) => format!("its process could not be ended: {error}").into(),
    };
    if !was_closed {
        reason = reason.with_standard_error(&stderr.text());
    }
    let event = if is_done {
        LinkEvent::Exited { reason }
    } else {
        LinkEvent::Closed { reason }
    };
    let _ = events.send(event).await;
}

/// Waits for the process to exit, then sends SIGTERM, then SIGKILL, each to the whole group.
async fn end(
    child: &mut dyn ChildWrapper,
    processes: &ChildProcesses,
) -> io::Result<std::process::ExitStatus> {
    // Its input is closed already: this order is the one of MCP (lifecycle, shutdown, stdio).
    if let Some(ended) = end_in_time(child, processes).await {
        return ended;
    }
    #[cfg(unix)]
    {
        const SIGTERM: i32 = 15;
        if child.signal(SIGTERM).is_ok()
            && let Some(ended) = end_in_time(child, processes).await
        {
            return ended;
        }
    }
    child.start_kill()?;
    child.wait().await
}

async fn end_in_time(
    child: &mut dyn ChildWrapper,
    processes: &ChildProcesses,
) -> Option<io::Result<std::process::ExitStatus>> {
    let ended = tokio::select! {
        ended = child.wait() => ended,
        () = processes.grace() => return None,
    };
    // What the child itself has started may outlive it.
    let _ = child.start_kill();
    Some(ended)
}
