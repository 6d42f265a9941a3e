//! The settings of code mode.

use std::{collections::BTreeSet, ffi::OsString, path::PathBuf, sync::Arc, time::Duration};

/// The settings of code mode: the worker that runs programs, the tools that a program may call, and
/// the limits of a run. [`ServerBuilder::code_mode`](crate::ServerBuilder::code_mode) takes them.
///
/// A program calls read-only tools. [`allow`](Self::allow) and
/// [`allow_with_scope`](Self::allow_with_scope) add others.
///
/// | limit | default |
/// |---|---|
/// | [`code_bytes`] | 64 KiB of program |
/// | [`cpu_time`], [`run_timeout`] | 30 seconds of processor time, 120 seconds in all |
/// | [`memory_bytes`] | 64 MiB in the engine |
/// | [`calls`], [`concurrent_calls`] | 50 calls a run, 8 at a time |
/// | [`result_bytes`] | 8 MiB a result that a program reads |
/// | [`answer_bytes`] | 16 KiB of answer for the model |
/// | [`log_bytes`], [`thrown_bytes`] | 4 KiB of logs, 2 KiB of an error's text |
/// | [`runs`], [`runs_each`] | 16 runs at a time, at most 4 of one principal |
///
/// [`code_bytes`]: Self::code_bytes
/// [`cpu_time`]: Self::cpu_time
/// [`run_timeout`]: Self::run_timeout
/// [`memory_bytes`]: Self::memory_bytes
/// [`calls`]: Self::calls
/// [`concurrent_calls`]: Self::concurrent_calls
/// [`result_bytes`]: Self::result_bytes
/// [`answer_bytes`]: Self::answer_bytes
/// [`log_bytes`]: Self::log_bytes
/// [`thrown_bytes`]: Self::thrown_bytes
/// [`runs`]: Self::runs
/// [`runs_each`]: Self::runs_each
#[derive(Debug, Clone)]
pub struct CodeMode {
    pub(crate) worker: Arc<WorkerCommand>,
    pub(crate) allowed: BTreeSet<String>,
    pub(crate) scope: Option<String>,
    pub(crate) code_bytes: usize,
    pub(crate) cpu_time: Duration,
    pub(crate) run_timeout: Duration,
    pub(crate) memory_bytes: usize,
    pub(crate) calls: usize,
    pub(crate) concurrent_calls: usize,
    pub(crate) result_bytes: usize,
    pub(crate) answer_bytes: usize,
    pub(crate) log_bytes: usize,
    pub(crate) thrown_bytes: usize,
    pub(crate) runs: usize,
    pub(crate) runs_each: usize,
}

/// The program that is started as a worker.
#[derive(Debug)]
pub(crate) struct WorkerCommand {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) allows_unconfined: bool,
}

fn absolute(path: PathBuf) -> PathBuf {
    // The start of a worker reports a path that is of no use.
    std::path::absolute(&path).unwrap_or(path)
}

/// The argument that makes a process a worker.
pub(crate) const WORKER_ARGUMENT: &str = "code-worker";

impl CodeMode {
    /// Uses the program at this path as the worker. Its `main` must call
    /// [`run_worker_if_requested`](super::run_worker_if_requested) first.
    pub fn new(worker: impl Into<PathBuf>) -> Self {
        let worker = WorkerCommand {
            // The worker starts in another directory.
            program: absolute(worker.into()),
            arguments: vec![WORKER_ARGUMENT.into()],
            allows_unconfined: false,
        };
        Self {
            worker: Arc::new(worker),
            allowed: BTreeSet::new(),
            scope: None,
            code_bytes: 64 << 10,
            cpu_time: Duration::from_secs(30),
            run_timeout: Duration::from_secs(120),
            memory_bytes: 64 << 20,
            calls: 50,
            concurrent_calls: 8,
            result_bytes: 8 << 20,
            answer_bytes: 16 << 10,
            log_bytes: 4 << 10,
            thrown_bytes: 2 << 10,
            runs: 16,
            runs_each: 4,
        }
    }

    /// Uses this process's own program as the worker. Its `main` must call
    /// [`run_worker_if_requested`](super::run_worker_if_requested) first.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not tell the path of the program.
    pub fn from_current_exe() -> std::io::Result<Self> {
        std::env::current_exe().map(Self::new)
    }

    /// Lets programs call these tools, too, although they are not annotated as read-only. The
    /// server does not start if no tool has one of these names.
    #[must_use]
    pub fn allow(mut self, tools: impl IntoIterator<Item: Into<String>>) -> Self {
        self.allowed.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Lets programs of principals with this scope call every tool that the principal may call.
    #[must_use]
    pub fn allow_with_scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// Sets whether programs run on a system that cannot confine the worker, that is any system but
    /// Linux. Off by default: a run then fails. Where this is on, a fault of the JavaScript engine
    /// gives a program the rights of the server's user.
    #[must_use]
    pub fn allow_unconfined(mut self, on: bool) -> Self {
        let WorkerCommand {
            program, arguments, ..
        } = &*self.worker;
        // Copied, because clones of these settings share the command and keep theirs.
        let command = WorkerCommand {
            program: program.clone(),
            arguments: arguments.clone(),
            allows_unconfined: on,
        };
        self.worker = Arc::new(command);
        self
    }
}

macro_rules! limits {
    ($($method:ident: $kind:ty, $text:literal;)*) => {
        impl CodeMode {$(
            #[doc = concat!("Sets ", $text)]
            #[must_use]
            pub fn $method(mut self, limit: $kind) -> Self {
                self.$method = limit;
                self
            }
        )*}
    };
}

limits! {
    code_bytes: usize, "the most bytes of a program; 64 KiB by default.";
    cpu_time: Duration, "the processor time of a program; 30 seconds by default. Waiting for calls does not count.";
    run_timeout: Duration, "the time of a run with its calls; 120 seconds by default. The argument `timeout_ms` of `run_code` can only shorten it.";
    memory_bytes: usize, "the memory of the JavaScript engine; 64 MiB by default.";
    calls: usize, "the most calls, searches and descriptions of one run; 50 by default.";
    concurrent_calls: usize, "the most calls of a run at a time; 8 by default. Further calls wait.";
    result_bytes: usize, "the most bytes of a result that a program reads; 8 MiB by default. A call with a larger result fails.";
    answer_bytes: usize, "the most bytes of an answer that a model reads; 16 KiB by default. A longer answer is cut, and says what is missing.";
    log_bytes: usize, "the most bytes of the text that `console.log` adds to an answer; 4 KiB by default.";
    thrown_bytes: usize, "the most bytes of the text of an error; 2 KiB by default.";
    runs: usize, "the most runs of the server at a time; 16 by default. Each is a process. Further runs wait for at most the `queue_timeout` of the limits.";
    runs_each: usize, "the most runs of one principal at a time; 4 by default.";
}
