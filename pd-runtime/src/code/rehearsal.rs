//! Compiles programs, and runs them with recorded answers. Both happen in a worker.

use super::{
    message::{FromWorker, Operation, Start, ToWorker, WorkerRequest},
    process::{WorkerInput, WorkerProcess},
    program::RecordedExample,
    settings::CodeMode,
};
use crate::text::truncate::with_ellipsis;
use rmcp::model::JsonObject;
use serde_json::{Value, value::RawValue};
use std::time::Duration;

/// The time that `Date` shows: the beginning of 2026.
const NOW: Duration = Duration::from_secs(1_767_225_600);
/// The most differences that an error names.
const DIFFERENCES_MAX: usize = 5;
/// The most characters of a value in an error.
const VALUE_MAX: usize = 200;

/// Checks the syntax of a program, without running it.
///
/// # Errors
///
/// Returns the error of the worker, or of the program.
pub(crate) async fn compile(mode: &CodeMode, code: &str) -> Result<(), String> {
    let start = Start {
        compiles_only: true,
        ..Start::new(mode, code.to_owned(), None, NOW)
    };
    let (mut worker, _input) = begin(mode, start).await?;
    let end = tokio::time::timeout(mode.run_timeout, worker.receive()).await;
    worker.end().await;
    match end {
        Ok(Some(FromWorker::Done { .. })) => Ok(()),
        Ok(Some(FromWorker::Failed { error, .. })) => Err(error.render()),
        _ => Err("the worker ended without an answer".to_owned()),
    }
}

/// Runs an example with these arguments and its recorded answers. `resolve` returns the name of the
/// tool that a program names.
///
/// # Errors
///
/// Returns the first difference between the run and the record.
pub(crate) async fn run_recorded(
    mode: &CodeMode,
    code: &str,
    arguments: &JsonObject,
    example: &RecordedExample,
    resolve: impl Fn(&[String]) -> Option<String>,
) -> Result<Value, String> {
    let arguments =
        serde_json::value::to_raw_value(arguments).map_err(|error| error.to_string())?;
    let (mut worker, input) = begin(
        mode,
        // A fixed time, so that an example passes on every day.
        Start::new(mode, code.to_owned(), Some(arguments), NOW),
    )
    .await?;
    let mut rehearsal = Rehearsal {
        example,
        used: vec![false; example.answers.len()],
        resolve,
    };
    let end = tokio::time::timeout(mode.run_timeout, rehearsal.finish(&mut worker, input)).await;
    worker.end().await;
    end.unwrap_or_else(|_| Err(format!("the run took longer than {:?}", mode.run_timeout)))
}

/// Checks that a worker starts.
///
/// # Errors
///
/// Returns the reason why it does not.
pub(crate) async fn check_worker(mode: &CodeMode) -> Result<(), String> {
    let worker = WorkerProcess::start(mode)
        .await
        .map_err(|error| error.to_string())?;
    worker.end().await;
    Ok(())
}

/// Starts a worker with a program.
async fn begin(mode: &CodeMode, start: Start) -> Result<(WorkerProcess, WorkerInput), String> {
    let mut worker = WorkerProcess::start(mode)
        .await
        .map_err(|error| error.to_string())?;
    let mut input = worker.take_input().ok_or("the worker has no input")?;
    input
        .start(start)
        .await
        .map_err(|error| error.to_string())?;
    Ok((worker, input))
}

/// A run with recorded answers.
struct Rehearsal<'a, F> {
    example: &'a RecordedExample,
    used: Vec<bool>,
    resolve: F,
}

impl<F: Fn(&[String]) -> Option<String>> Rehearsal<'_, F> {
    /// Answers the program's requests, and compares its end.
    async fn finish(
        &mut self,
        worker: &mut WorkerProcess,
        mut input: WorkerInput,
    ) -> Result<Value, String> {
        loop {
            match worker.receive().await {
                Some(FromWorker::Request(request)) => {
                    let id = request.id;
                    let answer = self.answer(&request)?;
                    let value = RawValue::from_string(answer.to_string())
                        .map_err(|error| error.to_string())?;
                    input
                        .send(&ToWorker::Value { id, value })
                        .await
                        .map_err(|error| error.to_string())?;
                }
                Some(FromWorker::Done { answer, .. }) => return self.compare(answer.as_deref()),
                Some(FromWorker::Failed { error, .. }) => {
                    return Err(format!("the program failed: {}", error.render()));
                }
                Some(FromWorker::Ready { .. }) | None => {
                    return Err("the worker ended without an answer".to_owned());
                }
            }
        }
    }

    /// Returns the next recorded answer of the tool that a request calls.
    fn answer(&mut self, request: &WorkerRequest) -> Result<Value, String> {
        let tool = match request.operation {
            Operation::Call => {
                (self.resolve)(&request.path).unwrap_or_else(|| request.path.join("."))
            }
            Operation::Find => "find".to_owned(),
            Operation::Describe => "describe".to_owned(),
        };
        // Calls of one tool take its answers in order. Calls of different tools may change places,
        // because a program may await them together.
        let of_tool = self
            .example
            .answers
            .iter()
            .zip(&mut self.used)
            .filter(|(answer, _)| answer.tool == tool);
        let mut calls = 0;
        for (answer, used) in of_tool {
            calls += 1;
            if std::mem::replace(used, true) {
                continue;
            }
            let sent: Value =
                serde_json::from_str(request.value.get()).map_err(|error| error.to_string())?;
            return match &answer.arguments {
                Some(recorded) if *recorded != sent => Err(format!(
                    "call {calls} of `{tool}` has other arguments: {}",
                    differences(recorded, &sent)
                )),
                _ => Ok(answer.value.clone()),
            };
        }
        let sent = shortened(request.value.get());
        Err(format!(
            "the program calls `{tool}` with {sent}, after {calls} recorded answers of it; record one more"
        ))
    }

    /// Compares what a program returned with the record.
    fn compare(&self, answer: Option<&RawValue>) -> Result<Value, String> {
        let returned: Value = match answer {
            Some(answer) => {
                serde_json::from_str(answer.get()).map_err(|error| error.to_string())?
            }
            None => Value::Null,
        };
        if returned != self.example.returns {
            return Err(format!(
                "the answer differs: {}",
                differences(&self.example.returns, &returned)
            ));
        }
        // A record that the program no longer needs would hide that it stopped calling the tool.
        match self
            .example
            .answers
            .iter()
            .zip(&self.used)
            .find(|(_, used)| !**used)
        {
            Some((answer, _)) => Err(format!(
                "the program leaves a recorded answer of `{}` unused",
                answer.tool
            )),
            None => Ok(returned),
        }
    }
}

/// Renders the differences between a recorded value and the real one, each at its JSON pointer.
fn differences(recorded: &Value, real: &Value) -> String {
    let mut found = Vec::new();
    collect_differences("", Some(recorded), Some(real), &mut found);
    let more = found.len().saturating_sub(DIFFERENCES_MAX);
    found.truncate(DIFFERENCES_MAX);
    let more = if more > 0 {
        format!("; {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", found.join("; "))
}

fn collect_differences(
    pointer: &str,
    recorded: Option<&Value>,
    real: Option<&Value>,
    found: &mut Vec<String>,
) {
    // A bound on the work for large values. The number of further differences is then too low.
    if recorded == real || found.len() > 10 * DIFFERENCES_MAX {
        return;
    }
    match (recorded, real) {
        (Some(Value::Object(recorded)), Some(Value::Object(real))) => {
            let added = real.keys().filter(|key| !recorded.contains_key(*key));
            for key in recorded.keys().chain(added) {
                collect_differences(
                    &pointer_to(pointer, key),
                    recorded.get(key),
                    real.get(key),
                    found,
                );
            }
        }
        (Some(Value::Array(recorded)), Some(Value::Array(real))) => {
            for place in 0..recorded.len().max(real.len()) {
                let inner = pointer_to(pointer, &place.to_string());
                collect_differences(&inner, recorded.get(place), real.get(place), found);
            }
        }
        _ => {
            let place = if pointer.is_empty() {
                String::new()
            } else {
                format!("`{pointer}` ")
            };
            found.push(format!(
                "{place}recorded {}, now {}",
                render_value(recorded),
                render_value(real)
            ));
        }
    }
}

/// Returns the JSON pointer of a member or an item.
fn pointer_to(pointer: &str, token: &str) -> String {
    // RFC 6901, section 3: `~` first, so that the `~` of `~1` is not escaped again.
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}

fn render_value(value: Option<&Value>) -> String {
    value.map_or("nothing".to_owned(), |value| shortened(&value.to_string()))
}

fn shortened(text: &str) -> String {
    with_ellipsis(text, VALUE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_is_named_at_its_place() {
        let text = differences(
            &json!({ "a": [1, 2], "b": 1, "c/d": "x" }),
            &json!({ "a": [1, 3, 4], "c/d": "y" }),
        );
        let expected = "`/a/1` recorded 2, now 3; `/a/2` recorded nothing, now 4; `/b` recorded 1, now nothing; `/c~1d` \
                        recorded \"x\", now \"y\"";
        assert_eq!(text, expected);
        assert_eq!(differences(&json!(1), &json!("1")), "recorded 1, now \"1\"");
    }
}
