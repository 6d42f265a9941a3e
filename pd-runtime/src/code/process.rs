//! A worker process, from the server's side: it is started, reads messages, and is ended.

use super::{
    message::{ANSWER_BYTES_MAX, FromWorker, REQUEST_BYTES_MAX, Start, ToWorker},
    settings::{CodeMode, WorkerCommand},
};
use std::{
    io,
    path::Path,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// The time in which a worker must be ready. It takes a few milliseconds; a program that is not a
/// worker never is.
const START_TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes that a message has beside the answer, the texts and the arguments in it.
const MESSAGE_EXTRA: usize = 64 << 10;

/// The error of a worker that could not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("could not start the worker {program}: {error}")]
    Spawn { program: String, error: io::Error },
    #[error(
        "{program} is no worker: call `pd_runtime::code::run_worker_if_requested` first in its `main`"
    )]
    NoWorker { program: String },
    #[error(
        "this system does not confine the worker, which can {0}; `CodeMode::allow_unconfined` runs it anyway"
    )]
    Unconfined(String),
}

/// A worker process. It is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    line_max: usize,
}

/// The half of a worker that takes messages.
#[derive(Debug)]
pub(crate) struct WorkerInput(ChildStdin);

impl WorkerProcess {
    /// Starts a worker, and waits until it is confined.
    ///
    /// # Errors
    ///
    /// Returns an error if the process cannot be started, is not a worker, or is not confined.
    pub(crate) async fn start(mode: &CodeMode) -> Result<Self, StartError> {
        let WorkerCommand {
            program,
            arguments,
            allows_unconfined,
        } = &*mode.worker;
        // The engine checks its own limit in steps; the system ends a worker that no longer does.
        // Two seconds later, so that the worker reports its own limit first.
        let cpu_seconds = mode.cpu_time.as_secs().saturating_add(2);
        let spawned = Command::new(program)
            .args(arguments)
            .args([cpu_seconds.to_string(), mode.memory_bytes.to_string()])
            // A program must not read what the environment of the server contains.
            .env_clear()
            // Where `main` is async, a runtime starts before the worker does. Its threads cost time
            // and address space, and the worker needs none.
            .env("TOKIO_WORKER_THREADS", "1")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let mut child = spawned.map_err(|error| StartError::Spawn {
            program: program.display().to_string(),
            error,
        })?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(no_worker(program));
        };
        // A character of the logs may be an escape of six. A line that is longer than this is not a
        // message, so a worker cannot fill the memory of the server.
        let texts = mode
            .log_bytes
            .saturating_add(mode.thrown_bytes)
            .saturating_mul(6);
        let line_max =
            texts.saturating_add(REQUEST_BYTES_MAX.max(ANSWER_BYTES_MAX) + MESSAGE_EXTRA);
        let mut worker = Self {
            child,
            input: Some(input),
            output: BufReader::new(output),
            line_max,
        };
        // A program that is not a worker may wait for input, and would never answer.
        let ready = tokio::time::timeout(START_TIMEOUT, worker.receive()).await;
        let Ok(Some(FromWorker::Ready {
            confinement,
            open_ways,
        })) = ready
        else {
            return Err(no_worker(program));
        };
        tracing::debug!(?confinement, "a worker is ready");
        // An error drops the worker, which kills the process.
        match open_ways.is_empty() || *allows_unconfined {
            true => Ok(worker),
            false => Err(StartError::Unconfined(open_ways.join(", "))),
        }
    }

    /// Takes the half that sends, which may wait while the worker is busy.
    pub(crate) fn take_input(&mut self) -> Option<WorkerInput> {
        self.input.take().map(WorkerInput)
    }

    /// Waits for the next message. Returns `None` if the worker has ended, or sent what is not a
    /// message.
    ///
    /// Cancelling this loses a message that has partly arrived.
    pub(crate) async fn receive(&mut self) -> Option<FromWorker> {
        let mut line = Vec::new();
        // One byte more, so that a line that is too long has no end. The rest of it is not read.
        let mut bounded = (&mut self.output).take(self.line_max as u64 + 1);
        bounded.read_until(b'\n', &mut line).await.ok()?;
        serde_json::from_slice(line.strip_suffix(b"\n")?).ok()
    }

    /// Ends the worker, and returns how it ended.
    pub(crate) async fn end(mut self) -> Option<ExitStatus> {
        // It may have ended by itself; then its own status remains.
        if let Ok(Some(status)) = self.child.try_wait() {
            return Some(status);
        }
        // A worker that has sent its end exits at once. One that still runs a program has to be
        // killed.
        let ended = tokio::time::timeout(Duration::from_millis(50), self.child.wait()).await;
        match ended {
            Ok(status) => status.ok(),
            Err(_) => {
                // It fails if the process has ended meanwhile, and then `wait` returns at once.
                let _ = self.child.start_kill();
                self.child.wait().await.ok()
            }
        }
    }
}

fn no_worker(program: &Path) -> StartError {
    StartError::NoWorker {
        program: program.display().to_string(),
    }
}

impl WorkerInput {
    /// Sends the program.
    ///
    /// # Errors
    ///
    /// Returns an error if the worker has ended.
    pub(crate) async fn start(&mut self, start: Start) -> io::Result<()> {
        self.send(&ToWorker::Start(start)).await
    }

    /// Sends a message.
    ///
    /// # Errors
    ///
    /// Returns an error if the worker has ended.
    pub(crate) async fn send(&mut self, message: &ToWorker) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.0.write_all(&line).await?;
        self.0.flush().await
    }
}
