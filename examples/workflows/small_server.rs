//! One call of a server with two tools: code mode does not pay for it, and neither does disclosure.

use super::{
    Failure,
    arm::Arm,
    conversation::Conversation,
    quake::WEEK,
    workflow::{NeededTool, Task, Workflow},
};
use pd_runtime::{code::CodeMode, prelude::*};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

static COUNT: Task = Task {
    name: "one number",
    request: "How many earthquakes of magnitude 5 and more were there in the week?",
    tools: &[NeededTool {
        words: "count earthquakes",
        name: "count_quakes",
    }],
    program: "return await tools.count_quakes({ min_magnitude: 5 });",
    has_steps: false,
};

/// A number of earthquakes.
#[derive(Debug, Serialize, JsonSchema)]
struct QuakeCount {
    count: usize,
}

/// The strongest earthquake.
#[derive(Debug, Serialize, JsonSchema)]
struct StrongestQuake {
    title: &'static str,
}

/// Counts the week's earthquakes.
#[pd_tool(summary = "Count the week's earthquakes", read_only)]
fn count_quakes(
    /// Only those at least so strong.
    #[arg(default = 2.5, minimum = 0)]
    min_magnitude: f64,
) -> Json<QuakeCount> {
    Json(QuakeCount {
        count: WEEK
            .iter()
            .filter(|quake| quake.mag >= min_magnitude)
            .count(),
    })
}

/// Returns the magnitude and the place of the strongest earthquake.
#[pd_tool(summary = "Name the week's strongest earthquake", read_only)]
fn strongest_quake() -> Json<StrongestQuake> {
    let strongest = WEEK
        .iter()
        .max_by(|one, other| one.mag.total_cmp(&other.mag));
    Json(StrongestQuake {
        title: strongest.map_or("", |quake| &quake.title),
    })
}

/// Asks for one number.
#[derive(Debug)]
pub(crate) struct EarthquakeCount;

impl Workflow for EarthquakeCount {
    type State = ();

    fn task(&self) -> &'static Task {
        &COUNT
    }

    async fn server(&self, arm: Arm, mode: &CodeMode) -> Result<PdServer<()>, Failure> {
        let registry = pd_runtime::registry! {
            //! Figures about a week's earthquakes.
            count_quakes, strongest_quake,
        };
        Ok(arm.apply(PdServer::builder(registry, ()), mode).build()?)
    }

    async fn answer_by_calls(&self, conversation: &mut Conversation) -> Result<Value, Failure> {
        conversation
            .call("count_quakes", json!({ "min_magnitude": 5 }))
            .await
    }

    fn right_answer(&self) -> Result<Value, Failure> {
        let rows: Vec<Value> = serde_json::from_str(include_str!("../alerts/quakes.json"))?;
        let is_strong = |row: &&Value| {
            row.get("mag")
                .and_then(Value::as_f64)
                .is_some_and(|mag| mag >= 5.0)
        };
        Ok(json!({ "count": rows.iter().filter(is_strong).count() }))
    }
}
