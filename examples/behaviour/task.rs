//! The tasks: what a user asks, and the calls that do it. They are in `tasks/`, a file for each
//! server.

use super::{
    Failure,
    expected::{is_met, sample_members},
    servers::Subject,
};
use pd_runtime::audit::CallOutcome;
use rmcp::model::JsonObject;
use serde::Deserialize;

const FILES: [(Subject, &str); 3] = [
    (Subject::Git, include_str!("tasks/git.json")),
    (Subject::Github, include_str!("tasks/github.json")),
    (Subject::Calendar, include_str!("tasks/calendar.json")),
];

/// One task.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    /// What the user says.
    pub(crate) request: String,
    /// Words to search the tool with.
    pub(crate) words: String,
    /// The calls of which any does what was asked. Scripted agents make the first.
    accepted: Vec<AcceptedCall>,
    /// The arguments of a caller that has not read the description.
    pub(crate) guess: JsonObject,
    /// Whether the task is kept for the last measurement. Nothing is tuned on it.
    #[serde(default)]
    pub(crate) held_out: bool,
    #[serde(skip, default = "Task::unset_subject")]
    pub(crate) subject: Subject,
}

/// A call that does what was asked. Other arguments are the caller's business.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedCall {
    tool: String,
    arguments: JsonObject,
}

/// A selection of the tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskSet {
    /// The tasks that texts are tuned on.
    Default,
    /// The tasks that are kept for the last measurement.
    HeldOut,
}

impl Task {
    /// Reads the tasks of a selection about these servers.
    ///
    /// # Errors
    ///
    /// A file of tasks is malformed.
    pub(crate) fn read(set: TaskSet, subjects: &[Subject]) -> Result<Vec<Self>, Failure> {
        let mut tasks = Vec::new();
        for (subject, text) in FILES {
            let read: Vec<Self> = serde_json::from_str(text)?;
            let read = read.into_iter().map(|task| Self { subject, ..task });
            tasks.extend(read.filter(|task| task.held_out == (set == TaskSet::HeldOut)));
        }
        tasks.retain(|task| subjects.is_empty() || subjects.contains(&task.subject));
        Ok(tasks)
    }

    /// The first tool for it.
    pub(crate) fn tool(&self) -> &str {
        self.accepted.first().map_or("", |call| &call.tool)
    }

    /// The arguments of a call that does it.
    pub(crate) fn arguments(&self) -> JsonObject {
        self.accepted
            .first()
            .map(|call| sample_members(&call.arguments))
            .unwrap_or_default()
    }

    /// Returns whether the tool is one for this task.
    pub(crate) fn accepts_tool(&self, tool: &str) -> bool {
        self.accepted.iter().any(|call| call.tool == tool)
    }

    /// Returns whether a call that reached a tool does what was asked.
    pub(crate) fn is_done_by(
        &self,
        tool: &str,
        arguments: &JsonObject,
        outcome: CallOutcome,
    ) -> bool {
        let is_accepted = |call: &AcceptedCall| {
            call.tool == tool
                && call
                    .arguments
                    .iter()
                    .all(|(name, value)| is_met(value, arguments.get(name)))
        };
        outcome == CallOutcome::Done && self.accepted.iter().any(is_accepted)
    }

    fn unset_subject() -> Subject {
        Subject::Git
    }
}
