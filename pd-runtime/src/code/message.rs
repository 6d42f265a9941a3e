//! The messages between the server and its worker: one JSON object a line, each with one member
//! that names its kind. The server trusts no line of a worker.

use super::settings::CodeMode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::time::Duration;

/// The most bytes of an answer that the server reads. Its values take many times as much memory.
pub(crate) const ANSWER_BYTES_MAX: usize = 1 << 20;
/// The most bytes of a request: the arguments of a call.
pub(crate) const REQUEST_BYTES_MAX: usize = 2 << 20;

/// A message to the worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToWorker {
    /// The program, and the limits that the worker itself applies. It is the first message.
    Start(Start),
    /// The value of a call.
    Value { id: u32, value: Box<RawValue> },
    /// The failure of a call, which the program can catch.
    Failure { id: u32, failure: CallFailure },
}

/// A program and the limits of its run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) code: String,
    /// The value of `args`, for the program of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) arguments: Option<Box<RawValue>>,
    /// Whether the program is compiled and does not run.
    #[serde(default)]
    pub(crate) compiles_only: bool,
    /// The time that `Date` shows, in milliseconds since 1970.
    pub(crate) now: f64,
    pub(crate) cpu_ms: u64,
    pub(crate) memory_bytes: usize,
    pub(crate) log_bytes: usize,
    pub(crate) thrown_bytes: usize,
    /// The most bytes of an answer that the worker sends.
    pub(crate) answer_bytes: usize,
}

impl Start {
    /// Creates the message for a program, with the limits of a server. `now` is the time since
    /// 1970.
    pub(crate) fn new(
        mode: &CodeMode,
        code: String,
        arguments: Option<Box<RawValue>>,
        now: Duration,
    ) -> Self {
        Self {
            code,
            arguments,
            compiles_only: false,
            now: now.as_millis() as f64,
            cpu_ms: u64::try_from(mode.cpu_time.as_millis()).unwrap_or(u64::MAX),
            memory_bytes: mode.memory_bytes,
            log_bytes: mode.log_bytes,
            thrown_bytes: mode.thrown_bytes,
            // A longer answer is not sent, because the server does not read its line.
            answer_bytes: ANSWER_BYTES_MAX.min(mode.result_bytes),
        }
    }
}

/// The members of the `ToolFailed` that a program catches.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CallFailure {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) tool: String,
    /// The violations of the tool's schema, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) issues: Option<Box<RawValue>>,
}

/// A message from the worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FromWorker {
    /// The worker is confined, by these means, and waits for a program. `open_ways` is what it
    /// could still do and must not.
    Ready {
        confinement: Vec<String>,
        open_ways: Vec<String>,
    },
    /// The program asks the server for something.
    Request(WorkerRequest),
    /// The program returned this value; `None` if it returned nothing.
    Done {
        answer: Option<Box<RawValue>>,
        logs: String,
    },
    /// The program ended with an error.
    Failed { error: ProgramError, logs: String },
}

/// A request of the program.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WorkerRequest {
    pub(crate) id: u32,
    pub(crate) operation: Operation,
    /// The names after `tools`, for a call.
    pub(crate) path: Vec<String>,
    /// The arguments of a call, or the text of another operation.
    pub(crate) value: Box<RawValue>,
}

/// The operation of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Operation {
    Call,
    Find,
    Describe,
}

/// The error that ended a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProgramError {
    /// The name of the error's class, or of the limit that ended the program.
    pub(crate) name: String,
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    /// The code of a tool's failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// The tool that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
}

impl ProgramError {
    pub(crate) fn new(name: &str, message: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            message: message.into(),
            line: None,
            code: None,
            tool: None,
        }
    }

    /// Renders the error with its line.
    pub(crate) fn render(&self) -> String {
        let line = self
            .line
            .map(|line| format!("line {line}: "))
            .unwrap_or_default();
        format!("{line}{}: {}", self.name, self.message)
    }
}
