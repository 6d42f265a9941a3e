//! Runs a program: starts a worker, answers its requests, and renders its end. The calls of a
//! program take the way of every other call: access, gate, limits, validation, audit.

mod inner_call;
mod media;
mod plan;
mod program_end;
pub(super) mod program_tool;
mod silent_client;
mod tool_path;
mod value;

use crate::{
    code::{
        CodeMode, CodeProgram,
        message::{FromWorker, Operation, ProgramError, Start, WorkerRequest},
        process::{WorkerInput, WorkerProcess},
    },
    digest::Digest,
    disclosure::{program_run::ProgramRun, view::CallerView},
    surface::meta_tools::Program,
    telemetry::audit::CallOutcome,
    text::unix_time,
    tool::{client_call::ClientCall, error::ToolError},
};
use futures::{
    FutureExt, Stream, StreamExt,
    future::BoxFuture,
    stream::{self, FuturesUnordered},
};
use media::MediaHandles;
use parking_lot::Mutex;
use program_end::{ProgramEnd, failed_result};
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ProgressNotificationParam},
    service::RequestContext,
};
use serde_json::value::RawValue;
use std::{
    collections::HashSet,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::{Mutex as AsyncMutex, Semaphore};
use tokio_util::sync::CancellationToken;

/// The time that calls have to end after a run was ended.
const CALLS_END_TIMEOUT: Duration = Duration::from_secs(1);

/// A program to run.
struct RunRequest<'a> {
    code: String,
    /// The time of the run, if it is shorter than the server's.
    timeout: Option<Duration>,
    /// The arguments of a tool that is a program.
    arguments: Option<Box<RawValue>>,
    /// The tool's program, or `None` for a program that a model wrote.
    program: Option<&'a CodeProgram>,
}

/// Runs a program that a model wrote, and returns what its caller reads, or the question whether it
/// may run.
pub(in crate::server) async fn run(
    program: Program,
    params: &mut CallToolRequestParams,
    view: &CallerView<'_>,
    context: &Arc<ClientCall>,
) -> CallToolResponse {
    // Before the permits, because a person may take minutes.
    let approved = match plan::approve(&program.code, params, view, context).await {
        Ok(approved) => approved,
        Err(end) => return plan::declined(end),
    };
    run_approved(program, approved, view, context).await.into()
}

async fn run_approved(
    program: Program,
    approved: HashSet<Digest>,
    view: &CallerView<'_>,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let patience = view.policy.limits.patience;
    // Held until the process has ended, so that the limit is one of processes.
    let _permits = match view
        .limiter
        .run_permits(view.caller.payer(), patience, &context.ct)
        .await
    {
        Ok(permits) => permits,
        Err(later) => return later.into_result(),
    };
    let request = RunRequest {
        code: program.code,
        timeout: program.timeout,
        arguments: None,
        program: None,
    };
    execute(request, ProgramRun::new(approved), view, context).await
}

/// Runs a program in a worker. The caller holds the permits.
async fn execute(
    request: RunRequest<'_>,
    program_run: ProgramRun,
    view: &CallerView<'_>,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let Some(mode) = &view.policy.code else {
        return failed_result(
            &ProgramError::new("Unavailable", "this server runs no programs"),
            &[],
            "",
        );
    };
    let begun = Instant::now();
    let view = view.for_run(&program_run);
    let recording = RunRecording {
        view: &view,
        begun,
        calls: AtomicUsize::new(0),
        outcome: Mutex::new(None),
    };
    let mut worker = match WorkerProcess::start(mode).await {
        Ok(worker) => worker,
        Err(error) => {
            tracing::error!(%error, "could not run a program");
            recording.finish(CallOutcome::Failed);
            // The caller must not read paths of the server.
            let text = "the server cannot run programs at the moment; its log tells why. Call the tools one by one";
            return failed_result(&ProgramError::new("Unavailable", text), &[], "");
        }
    };
    let Some(input) = worker.take_input() else {
        return failed_result(
            &ProgramError::new("Unavailable", "the worker has no input"),
            &[],
            "",
        );
    };
    let run = Run {
        program: request.program,
        ..Run::new(mode, &view, context, input, &recording)
    };
    let end = run.to_end(&mut worker, request).await;
    let status = worker.end().await;
    let end = end.with_status(status, mode);
    recording.finish(match end {
        ProgramEnd::Done { .. } => CallOutcome::Done,
        ProgramEnd::Cancelled => CallOutcome::Abandoned,
        _ => CallOutcome::Failed,
    });
    end.into_result(&run).await
}

/// The record of a run in audit events. A run that is dropped was abandoned.
struct RunRecording<'a> {
    view: &'a CallerView<'a>,
    begun: Instant,
    calls: AtomicUsize,
    outcome: Mutex<Option<CallOutcome>>,
}

impl RunRecording<'_> {
    fn finish(&self, outcome: CallOutcome) {
        *self.outcome.lock() = Some(outcome);
    }
}

impl Drop for RunRecording<'_> {
    fn drop(&mut self) {
        let outcome = self.outcome.lock().unwrap_or(CallOutcome::Abandoned);
        self.view.recorder.record_ran(
            outcome,
            self.begun.elapsed(),
            self.calls.load(Ordering::Relaxed),
        );
    }
}

/// A program that is running.
struct Run<'a> {
    mode: &'a CodeMode,
    /// The program, if a tool consists of it.
    program: Option<&'a CodeProgram>,
    view: &'a CallerView<'a>,
    /// The request that calls copy. Their tokens are cancelled with the run.
    context: RequestContext<RoleServer>,
    input: AsyncMutex<WorkerInput>,
    /// The permits of calls at a time.
    permits: Semaphore,
    media: MediaHandles,
    /// The bytes of the requests that wait or run.
    request_bytes: AtomicUsize,
    /// The calls that have ended, in order.
    ended: Mutex<Vec<EndedCall>>,
    /// The number of calls in the last progress report.
    reported: AsyncMutex<f64>,
    recording: &'a RunRecording<'a>,
}

/// A call of a program that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
struct EndedCall {
    tool: String,
    /// The code of the error, if the call failed.
    failure: Option<String>,
}

impl<'a> Run<'a> {
    fn new(
        mode: &'a CodeMode,
        view: &'a CallerView<'a>,
        context: &RequestContext<RoleServer>,
        input: WorkerInput,
        recording: &'a RunRecording<'a>,
    ) -> Self {
        let mut context = context.clone();
        // A child, so that the end of the run cancels its calls and not the client's request.
        context.ct = context.ct.child_token();
        Self {
            mode,
            program: None,
            view,
            context,
            input: AsyncMutex::new(input),
            // tokio's semaphore panics above its maximum, and without permits no call would run.
            permits: Semaphore::new(mode.concurrent_calls.clamp(1, Semaphore::MAX_PERMITS)),
            media: MediaHandles::new(mode.result_bytes),
            request_bytes: AtomicUsize::new(0),
            ended: Mutex::default(),
            reported: AsyncMutex::default(),
            recording,
        }
    }

    /// Returns the token that ends the run.
    fn cancellation(&self) -> &CancellationToken {
        &self.context.ct
    }

    /// Sends the program, and answers its requests until it ends.
    async fn to_end(&self, worker: &mut WorkerProcess, request: RunRequest<'_>) -> ProgramEnd {
        let timeout = request
            .timeout
            .unwrap_or(Duration::MAX)
            .min(self.mode.run_timeout);
        let now = unix_time::since_1970();
        let start = Start::new(self.mode, request.code, request.arguments, now);
        // A stream keeps a message that has partly arrived while a call ends.
        let messages = stream::unfold(worker, |worker| async {
            Some((worker.receive().await?, worker))
        });
        let mut messages = pin!(messages);
        let mut calls = FuturesUnordered::new();
        let serving = async {
            // An error means that the worker has ended, which the end of its messages reports.
            let _ = self.input.lock().await.start(start).await;
            self.serve(&mut messages, &mut calls).await
        };
        let end = tokio::select! {
            end = serving => end,
            () = tokio::time::sleep(timeout) => ProgramEnd::TimedOut(timeout),
            () = self.cancellation().cancelled() => ProgramEnd::Cancelled,
        };
        // No program reads the results of the calls that still run.
        self.cancellation().cancel();
        let unfinished = calls.len();
        // A call that does not end when it is cancelled is dropped.
        let _ = tokio::time::timeout(CALLS_END_TIMEOUT, calls.collect::<Vec<()>>()).await;
        end.with_unfinished(unfinished)
    }

    /// Answers requests until the worker reports the end.
    async fn serve<'b>(
        &'b self,
        mut messages: impl Stream<Item = FromWorker> + Unpin,
        calls: &mut FuturesUnordered<BoxFuture<'b, ()>>,
    ) -> ProgramEnd {
        loop {
            let message = tokio::select! {
                message = messages.next() => message,
                Some(()) = calls.next(), if !calls.is_empty() => continue,
            };
            match message {
                Some(FromWorker::Request(request)) => {
                    let count = self.recording.calls.fetch_add(1, Ordering::Relaxed) + 1;
                    // A worker could send requests faster than they are answered, so the run ends.
                    if count > self.mode.calls {
                        return ProgramEnd::TooManyCalls(self.mode.calls);
                    }
                    let bytes = request.value.get().len();
                    // All that a program asks for at once is in memory, so it is bounded together.
                    let others = self.request_bytes.fetch_add(bytes, Ordering::Relaxed);
                    calls.push(
                        match bytes.saturating_add(others) <= self.mode.result_bytes {
                            true => self.answer(request, bytes).boxed(),
                            false => self.refuse_size(request.id, bytes).boxed(),
                        },
                    );
                }
                Some(FromWorker::Done { answer, logs }) => {
                    return ProgramEnd::Done {
                        answer,
                        logs,
                        unfinished: 0,
                    };
                }
                Some(FromWorker::Failed { error, logs }) => {
                    return ProgramEnd::Failed { error, logs };
                }
                // A second `Ready` is not our message.
                Some(FromWorker::Ready { .. }) | None => return ProgramEnd::Broken,
            }
        }
    }

    /// Answers one request. The permit is held until the worker has read the answer, so that at
    /// most as many results as calls at a time are in memory.
    async fn answer(&self, request: WorkerRequest, bytes: usize) {
        let Ok(_permit) = self.permits.acquire().await else {
            return;
        };
        let (id, tool) = (
            request.id,
            (request.operation == Operation::Call).then(|| inner_call::shown_path(&request.path)),
        );
        let answer = self.value_of(request).await;
        self.request_bytes.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(tool) = tool {
            // The tools that an author's program calls may be hidden from the caller.
            let shown = self
                .program
                .map_or(tool, |program| program.name().to_owned());
            self.report_progress(shown).await;
        }
        let message = value::message(id, answer, self.mode.result_bytes);
        // An error means that the worker has ended, which the end of its messages reports.
        let _ = self.input.lock().await.send(&message).await;
    }

    /// Refuses a request because the arguments of all open requests together exceed the limit.
    async fn refuse_size(&self, id: u32, bytes: usize) {
        self.request_bytes.fetch_sub(bytes, Ordering::Relaxed);
        let text = "the arguments of the calls that run at once are too large together; make one after the other";
        let message = value::message(
            id,
            Err(value::failure("", ToolError::TOO_LARGE, text)),
            self.mode.result_bytes,
        );
        let _ = self.input.lock().await.send(&message).await;
    }

    /// Reports one more call that has ended, if the client wants progress.
    async fn report_progress(&self, tool: String) {
        let Some(token) = self.context.meta.get_progress_token() else {
            return;
        };
        // Locked until the report is sent, because reports must increase.
        let mut reported = self.reported.lock().await;
        *reported += 1.0;
        let report = ProgressNotificationParam::new(token, *reported).with_message(tool);
        // A client that has left cancels the run.
        let _ = self.context.peer.notify_progress(report).await;
    }
}
