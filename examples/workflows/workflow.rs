//! What a workflow is, and how one is measured in each arm.

use super::{
    Failure,
    arm::Arm,
    conversation::{Conversation, Cost},
};
use pd_runtime::{PdServer, code::CodeMode};
use serde::Serialize;
use serde_json::Value;

/// The member of a program's answer that the user sees, and that no agent repeats.
const DRAWING: &str = "drawing";

/// What is asked for, and what an agent needs for it.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) name: &'static str,
    /// What the user says.
    pub(crate) request: &'static str,
    /// The tools for it. All are searched in one turn.
    pub(crate) tools: &'static [NeededTool],
    pub(crate) program: &'static str,
    /// Whether the work takes several calls. Code mode does not pay for a single call.
    pub(crate) has_steps: bool,
}

/// A tool that a task needs, and the words to find it with.
#[derive(Debug)]
pub(crate) struct NeededTool {
    pub(crate) words: &'static str,
    pub(crate) name: &'static str,
}

/// A task on a server.
pub(crate) trait Workflow {
    /// The server's state.
    type State: Send + Sync + 'static;

    fn task(&self) -> &'static Task;

    /// Starts a server for an arm.
    async fn server(&self, arm: Arm, mode: &CodeMode) -> Result<PdServer<Self::State>, Failure>;

    /// The tools that the agent of an arm needs.
    fn tools(&self, _arm: Arm) -> &'static [NeededTool] {
        self.task().tools
    }

    /// Does the task with calls that an agent makes one by one, and returns the answer. The agent
    /// calculates without a mistake, which a model may not.
    async fn answer_by_calls(&self, conversation: &mut Conversation) -> Result<Value, Failure>;

    /// The answer as the data have it, calculated without a tool.
    fn right_answer(&self) -> Result<Value, Failure>;

    /// The number of points in the drawing that the user sees, if there is to be one.
    fn drawn_points(&self) -> Option<usize> {
        None
    }
}

/// The cost of a workflow in one arm.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Measurement {
    pub(crate) workflow: &'static str,
    pub(crate) has_steps: bool,
    pub(crate) arm: Arm,
    #[serde(flatten)]
    pub(crate) cost: Cost,
    pub(crate) is_right: bool,
    pub(crate) answer: Value,
}

/// Does a task in each arm, so many times, and reports the median time.
///
/// # Errors
///
/// A call fails, or the server does not start.
pub(crate) async fn measure<W: Workflow>(
    workflow: &W,
    mode: &CodeMode,
    rounds: usize,
) -> Result<Vec<Measurement>, Failure> {
    let mut measurements = Vec::new();
    for arm in Arm::ALL {
        let server = workflow.server(arm, mode).await?;
        let mut tries = Vec::new();
        for _ in 0..rounds.max(1) {
            let tried = attempt(workflow, &server, arm).await;
            tries.push(tried.map_err(|error| format!("{}, {arm}: {error}", workflow.task().name))?);
        }
        tries.sort_by_key(|tried| tried.cost.waited);
        let is_right = tries.iter().all(|tried| tried.is_right);
        let median = tries.swap_remove(tries.len() / 2);
        measurements.push(Measurement { is_right, ..median });
    }
    Ok(measurements)
}

async fn attempt<W: Workflow>(
    workflow: &W,
    server: &PdServer<W::State>,
    arm: Arm,
) -> Result<Measurement, Failure> {
    let task = workflow.task();
    let mut conversation = Conversation::begin(server, arm, task.request).await?;
    if arm.discloses() {
        conversation.disclose(workflow.tools(arm)).await?;
    }
    let mut answer = match arm {
        Arm::RunCode => conversation.run_code(task.program).await?,
        _ => workflow.answer_by_calls(&mut conversation).await?,
    };
    answer.as_object_mut().map(|answer| answer.remove(DRAWING));
    let is_drawn = workflow
        .drawn_points()
        .is_none_or(|points| shows(&conversation.images, points));
    let is_right = is_drawn && is_same(&answer, &workflow.right_answer()?);
    let cost = conversation.end(&answer).await;
    Ok(Measurement {
        workflow: task.name,
        has_steps: task.has_steps,
        arm,
        cost,
        is_right,
        answer,
    })
}

/// Whether two answers say the same. JavaScript writes 5 for 5.0.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let is_member =
                |(name, value)| other.get(name).is_some_and(|other| is_same(value, other));
            one.len() == other.len() && one.iter().all(is_member)
        }
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

/// Whether the images are one drawing with so many points.
fn shows(images: &[String], points: usize) -> bool {
    let [image] = images else { return false };
    let svg = super::draw::from_base64(image).unwrap_or_default();
    String::from_utf8_lossy(&svg).matches("<circle").count() == points
}
