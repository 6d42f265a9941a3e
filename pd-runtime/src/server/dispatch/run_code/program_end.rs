//! The end of a program, as its caller reads it.

use super::{EndedCall, Run, tool_path};
use crate::{
    code::{CodeMode, CodeProgram, answer, message::ProgramError},
    policy::rate_limit::size,
    selective::table::Table,
    surface::meta_tools::text_result,
    text::truncate::{first_bytes, truncate_bytes},
};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json, value::RawValue};
use std::{process::ExitStatus, time::Duration};

/// The code of a program that did not return.
const FAILED: &str = "PROGRAM_FAILED";
/// The most bytes of a name in an error: of its class, its code, its tool.
const NAME_MAX: usize = 128;
/// The most tools that an error lists.
const CALLS_MAX: usize = 50;

/// The way in which a program ended.
#[derive(Debug)]
pub(super) enum ProgramEnd {
    /// It returned.
    Done {
        answer: Option<Box<RawValue>>,
        logs: String,
        /// The calls that were still running.
        unfinished: usize,
    },
    /// It ended with an error, or its worker ended it.
    Failed {
        error: ProgramError,
        logs: String,
    },
    TimedOut(Duration),
    TooManyCalls(usize),
    Cancelled,
    /// The worker ended without a message, or sent one that is not valid.
    Broken,
}

impl ProgramEnd {
    pub(super) fn with_unfinished(self, calls: usize) -> Self {
        match self {
            Self::Done { answer, logs, .. } => Self::Done {
                answer,
                logs,
                unfinished: calls,
            },
            end => end,
        }
    }

    /// Replaces the end of a worker that the system ended by the reason, as far as its status has
    /// it.
    pub(super) fn with_status(self, status: Option<ExitStatus>, mode: &CodeMode) -> Self {
        match self {
            // The system ends a process without processor time by a signal, so no message comes.
            Self::Broken if ended_by_cpu_limit(status) => {
                let text = format!(
                    "the program ran for {:?}, as long as it may; let it do less",
                    mode.cpu_time
                );
                Self::Failed {
                    error: ProgramError::new("CpuLimit", text),
                    logs: String::new(),
                }
            }
            end => end,
        }
    }

    /// Renders the end.
    pub(super) async fn into_result(self, run: &Run<'_>) -> CallToolResult {
        let ended = std::mem::take(&mut *run.ended.lock());
        let failed = |name, text: String, logs: &str| {
            failed_result(&ProgramError::new(name, text), &ended, logs)
        };
        match self {
            Self::Done {
                answer,
                logs,
                unfinished,
            } if run.program.is_some() => {
                report_to_author(&logs, unfinished, run);
                // Its schema and its size are checked where the outcomes of all calls are finished.
                tool_result(answer, run)
            }
            Self::Done {
                answer,
                logs,
                unfinished,
            } => {
                let result = done(answer, &logs, unfinished, run).await;
                let bytes = size::of_result(&result);
                let max = run.view.policy.limits.response_bytes;
                match bytes <= max {
                    true => result,
                    false => failed(
                        "AnswerTooLarge",
                        format!(
                            "the answer has {bytes} bytes, over the limit of {max}; return less"
                        ),
                        "",
                    ),
                }
            }
            Self::Failed { mut error, logs } => {
                // The worker cuts them, too, but nobody knows what it sends once it was taken over.
                truncate_bytes(&mut error.message, run.mode.thrown_bytes);
                name_as_member(&mut error, run);
                let names = [
                    Some(&mut error.name),
                    error.code.as_mut(),
                    error.tool.as_mut(),
                ];
                names
                    .into_iter()
                    .flatten()
                    .for_each(|name| truncate_bytes(name, NAME_MAX));
                // The logs of an author's program are the author's.
                let logs = match run.program {
                    Some(_) => {
                        report_to_author(&logs, 0, run);
                        ""
                    }
                    None => first_bytes(&logs, run.mode.log_bytes),
                };
                failed_result(&error, &ended, logs)
            }
            Self::TimedOut(limit) => failed(
                "Timeout",
                format!("the run was ended after {limit:?}; let the program do less, or call less"),
                "",
            ),
            Self::TooManyCalls(limit) => failed(
                "CallLimit",
                format!("a run makes at most {limit} calls; ask each tool for more at once"),
                "",
            ),
            Self::Cancelled => failed("Cancelled", "the run was cancelled".to_owned(), ""),
            Self::Broken => failed(
                "Worker",
                "the process of the program ended; it may have used too much memory".to_owned(),
                "",
            ),
        }
    }
}

/// Adds how a tool is called, if the program called it like one of its functions.
fn name_as_member(error: &mut ProgramError, run: &Run<'_>) {
    // The caller of an author's program cannot change it.
    if run.program.is_some() || error.name != "ReferenceError" {
        return;
    }
    let name = error.message.strip_suffix(" is not defined");
    let name = name.map(|name| name.trim_matches(['\'', '"']).to_owned());
    let tool = name.and_then(|name| tool_path::find(&[name], run.view));
    if let Some(tool) = tool {
        let name = tool.name();
        let is_identifier = name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && !name.starts_with(|letter: char| letter.is_ascii_digit());
        error.message.push_str(&match is_identifier {
            true => format!(": tools are members of `tools`; write `tools.{name}({{...}})`"),
            false => format!(": tools are members of `tools`; write `tools[\"{name}\"]({{...}})`"),
        });
    }
}

/// Returns whether the system ended a process that used its processor time.
fn ended_by_cpu_limit(status: Option<ExitStatus>) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        // SIGXCPU, which has this number on every Unix that Rust supports.
        const SIGXCPU: i32 = 24;
        status.and_then(|status| status.signal()) == Some(SIGXCPU)
    }
    #[cfg(not(unix))]
    {
        let _ = status;
        false
    }
}

/// Renders what a program returned: a text as it is, anything else as JSON. Notes follow in a
/// second text, so that the first one stays what the program returned.
async fn done(
    answer: Option<Box<RawValue>>,
    logs: &str,
    unfinished: usize,
    run: &Run<'_>,
) -> CallToolResult {
    let mut notes = Vec::new();
    let mut media = Vec::new();
    let text = match answer {
        None => {
            notes.push("The program returned nothing: end it with `return`.".to_owned());
            None
        }
        Some(answer) => match serde_json::from_str::<Value>(answer.get()) {
            Ok(value) => {
                media = run.media.in_answer(&value);
                Some(shown(value, &mut notes, run).await)
            }
            // Nested too deep for a value, or half of a surrogate pair: text that clients can still
            // read.
            Err(error) => {
                notes.push(format!(
                    "The answer is not valid JSON for every reader: {error}."
                ));
                Some(first_bytes(answer.get(), run.mode.answer_bytes).to_owned())
            }
        },
    };
    if unfinished > 0 {
        let calls = if unfinished == 1 {
            "call was"
        } else {
            "calls were"
        };
        notes.push(format!(
            "{unfinished} {calls} still running at the end and was cancelled: await every call."
        ));
    }
    if !logs.is_empty() {
        notes.push(format!(
            "Logs:\n{}",
            first_bytes(logs, run.mode.log_bytes).trim_end()
        ));
    }
    let mut result = text_result("");
    result.content = text
        .into_iter()
        .map(ContentBlock::text)
        .chain(media)
        .collect();
    if !notes.is_empty() {
        result.content.push(ContentBlock::text(notes.join("\n")));
    }
    result
}

/// Logs what the author of a tool's program reads, and the caller does not.
fn report_to_author(logs: &str, unfinished: usize, run: &Run<'_>) {
    let program = run.program.map(CodeProgram::name);
    if unfinished > 0 {
        tracing::warn!(
            program,
            unfinished,
            "calls were still running at the end of a program; await every call"
        );
    }
    if !logs.is_empty() {
        tracing::info!(
            program,
            logs = first_bytes(logs, run.mode.log_bytes),
            "a program logged"
        );
    }
}

/// Renders what a tool's program returned, as the result of any other tool: whole, and structured
/// if the tool has an output schema.
fn tool_result(answer: Option<Box<RawValue>>, run: &Run<'_>) -> CallToolResult {
    let is_structured = run
        .program
        .is_some_and(|program| program.output_schema.is_some());
    let Some(answer) = answer else {
        // Some hosts treat empty content as a failure.
        return if is_structured {
            CallToolResult::structured(Value::Null)
        } else {
            text_result("Done.")
        };
    };
    let Ok(value) = serde_json::from_str::<Value>(answer.get()) else {
        let text = "the answer has half of a surrogate pair, or is nested too deep";
        return failed_result(&ProgramError::new("Answer", text), &[], "");
    };
    let media = run.media.in_answer(&value);
    let mut result = match value {
        value if is_structured => CallToolResult::structured(value),
        Value::String(text) => text_result(text),
        value => text_result(value.to_string()),
    };
    result.content.extend(media);
    result
}

/// Renders a value within its limit. What does not fit waits on the data plane if it is rows.
async fn shown(value: Value, notes: &mut Vec<String>, run: &Run<'_>) -> String {
    let max = run.mode.answer_bytes;
    let text = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.len() <= max {
        return text;
    }
    let part = answer::cut(&value, max);
    notes.push(format!(
        "The answer has {} bytes and was cut to {}. Missing: {}.",
        text.len(),
        part.text.len(),
        part.missing.join(", ")
    ));
    if let Some(url) = store_rows(value, run).await {
        notes.push(format!(
            "All rows, for a tool that takes a `resource_url`: {url}"
        ));
    }
    part.text
}

/// Stores an answer that is a list of objects on the data plane, and returns the URL.
async fn store_rows(value: Value, run: &Run<'_>) -> Option<String> {
    let Value::Array(rows) = value else {
        return None;
    };
    if !run.view.plane.has_base() || !rows.iter().all(Value::is_object) {
        return None;
    }
    let table = Table::from_rows(rows).ok()?;
    run.view
        .plane
        .store_rows(table, run.view.caller.payer())
        .await
        .ok()
}

/// Renders the error of a program, with the calls that already ran: a model must not repeat those
/// blindly.
pub(super) fn failed_result(
    error: &ProgramError,
    ended: &[EndedCall],
    logs: &str,
) -> CallToolResult {
    let mut document =
        json!({ "code": FAILED, "message": format!("{}: {}", error.name, error.message) });
    if let Value::Object(document) = &mut document {
        document.extend(error.line.map(|line| ("line".to_owned(), json!(line))));
        document.extend(
            error
                .tool
                .as_ref()
                .filter(|tool| !tool.is_empty())
                .map(|tool| ("tool".to_owned(), json!(tool))),
        );
        document.extend(
            error
                .code
                .as_ref()
                .map(|code| ("tool_code".to_owned(), json!(code))),
        );
        document.insert("calls_that_ran".to_owned(), json!(counted(ended)));
    }
    let error = json!({ "error": document });
    let text = if logs.is_empty() {
        error.to_string()
    } else {
        format!("{error}\n\nLogs:\n{}", logs.trim_end())
    };
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Renders the calls in their order, with repetitions counted.
fn counted(ended: &[EndedCall]) -> Vec<String> {
    let mut counts: Vec<(&EndedCall, usize)> = Vec::new();
    for call in ended {
        match counts.last_mut() {
            // Only neighbors are counted together, because a model needs the order of the calls.
            Some((last, count)) if *last == call => *count += 1,
            _ => counts.push((call, 1)),
        }
    }
    let more = counts.len().saturating_sub(CALLS_MAX);
    let shown = counts.into_iter().take(CALLS_MAX).map(|(call, count)| {
        let times = if count == 1 {
            String::new()
        } else {
            format!(" ({count} times)")
        };
        let failure = call
            .failure
            .as_ref()
            .map(|code| format!(": {code}"))
            .unwrap_or_default();
        format!("{}{failure}{times}", call.tool)
    });
    shown
        .chain((more > 0).then(|| format!("{more} more")))
        .collect()
}
