//! Tools whose calls become tasks, for which the client comes back (SEP-2663). `handler.rs` answers what it then asks.

use crate::{
    capabilities::declared,
    forms,
    input::{Answers, ask, field, form},
};
use futures::FutureExt;
use pd_runtime::{
    IntoOutput,
    prelude::*,
    rmcp::{
        ErrorData,
        model::{
            CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult,
        },
        task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions},
    },
    tool::ToolResult,
};
use std::time::Duration;
use tokio::time::sleep;

/// How often a client may ask how a task is doing, in milliseconds.
const POLL: u64 = 200;

/// Never becomes a task.
#[pd_tool(summary = "Greet someone", eager)]
pub(crate) fn greet(
    /// Whom.
    name: String,
) -> String {
    format!("Hello, {name}!")
}

/// A task where the client knows tasks and it takes a while; else the call waits.
#[pd_tool(summary = "Compute for some seconds", eager)]
pub(crate) async fn slow_compute(
    tasks: &TaskManager,
    /// How long it takes.
    #[arg(maximum = 60)]
    seconds: u64,
    /// What to call the result.
    label: Option<String>,
    call: &CallContext,
) -> ToolResult {
    let computed = format!(
        "{} after {seconds} seconds.",
        label.as_deref().unwrap_or("Computed")
    );
    let computing = sleep(Duration::from_secs(seconds));
    if seconds == 0 || !declared(call).supports_tasks() {
        computing.await;
        return computed.into_output();
    }
    Ok(start(tasks, async move |task| {
        tokio::select! {
            () = computing => Ok(text(computed)),
            () = task.cancelled() => Err(TaskExit::Cancelled),
        }
    }))
}

/// Runs as a task only, and its result is an error.
#[pd_tool(summary = "Fail in a task", eager)]
pub(crate) fn failing_job(
    tasks: &TaskManager,
    call: &CallContext,
) -> Result<CallToolResponse, ErrorData> {
    needs_tasks(call)?;
    Ok(start(tasks, async |_| {
        Ok(CallToolResult::error(vec![ContentBlock::text(
            "This job fails.",
        )]))
    }))
}

/// Runs as a task only, which ends without a result.
#[pd_tool(summary = "Break a task", eager)]
pub(crate) fn protocol_error_job(
    tasks: &TaskManager,
    call: &CallContext,
) -> Result<CallToolResponse, ErrorData> {
    needs_tasks(call)?;
    Ok(start(tasks, async |_| {
        Err(ErrorData::internal_error("this job breaks", None).into())
    }))
}

/// Asks before it would delete something; there is nothing to delete.
#[pd_tool(summary = "Ask for consent in a task", eager)]
pub(crate) fn confirm_delete(
    tasks: &TaskManager,
    /// What would be deleted.
    filename: String,
    call: &CallContext,
) -> Result<CallToolResponse, ErrorData> {
    needs_tasks(call)?;
    Ok(start(tasks, async move |task| {
        let question = form(&format!("Delete {filename}?"), forms::consent("confirm"));
        let answer = task.request_input("confirm", question).await?;
        let may = field::<bool>(answer, "confirm").unwrap_or(false);
        Ok(text(if may {
            format!("{filename} would be gone.")
        } else {
            format!("{filename} stays.")
        }))
    }))
}

/// Asks two questions at once, which may be answered one by one.
#[pd_tool(summary = "Ask twice in a task", eager)]
pub(crate) fn multi_input(
    tasks: &TaskManager,
    call: &CallContext,
) -> Result<CallToolResponse, ErrorData> {
    needs_tasks(call)?;
    Ok(start(tasks, async |task| {
        let name = task.request_input("name", form("What is your name?", forms::text("name")));
        let consent =
            task.request_input("confirm", form("May I use it?", forms::consent("confirm")));
        let (name, consent) = futures::try_join!(name, consent)?;
        let name =
            field::<String>(name, "name").filter(|_| field(consent, "confirm") == Some(true));
        Ok(text(format!(
            "Hello, {}!",
            name.as_deref().unwrap_or("whoever you are")
        )))
    }))
}

/// Asks for a name between rounds, and then runs as a task.
#[pd_tool(summary = "Ask for a name, then run as a task", eager)]
pub(crate) fn test_tool_with_task(
    tasks: &TaskManager,
    call: &CallContext,
) -> Result<CallToolResponse, ErrorData> {
    needs_tasks(call)?;
    match Answers::of(call).field::<String>("user_name", "name") {
        Some(name) => Ok(start(tasks, async move |_| {
            Ok(text(format!("Hello, {name}!")))
        })),
        None => Ok(ask([("user_name", form("What is your name?", forms::text("name")))]).into()),
    }
}

/// The call's answer is a task that does this work.
fn start<F>(tasks: &TaskManager, work: impl FnOnce(TaskContext) -> F) -> CallToolResponse
where
    F: Future<Output = Result<CallToolResult, TaskExit>> + Send + 'static,
{
    let options = TaskOptions::new().with_poll_interval_ms(POLL);
    CreateTaskResult::new(tasks.spawn(options, |task| work(task).boxed())).into()
}

fn needs_tasks(call: &CallContext) -> Result<(), ErrorData> {
    let needed = ClientCapabilities::builder().enable_tasks().build();
    if declared(call).supports_tasks() {
        Ok(())
    } else {
        Err(ErrorData::missing_required_client_capability(needed))
    }
}

fn text(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
