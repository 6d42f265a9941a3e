//! Rows that another tool gave, beside an argument of the tool's own.

use pd_runtime::{Selected, prelude::*};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    /// What is warned of.
    event: String,
    severity: u8,
}

/// Draw alerts as bars.
///
/// # Examples
///
/// The two worst ones:
///
/// ```json
/// {
///   "abstract_data": "[{\"_row_id\": 3, \"event\": \"Gale\"}, {\"_row_id\": 5, \"event\": \"Flood\"}]",
///   "body_data": "[{\"_row_id\": 3, \"severity\": 2}, {\"_row_id\": 5, \"severity\": 4}]",
///   "width": 400
/// }
/// ```
#[pd_tool(summary = "Draw alerts as bars")]
async fn draw(alerts: Selected<Alert>, width: u32, call: &CallContext) -> Result<String, ToolError> {
    let worst = alerts.rows(call).await?.iter().map(|alert| alert.severity).max();
    Ok(format!("{worst:?} on {width}"))
}

#[pd_tool(summary = "Count alerts")]
fn count(
    /// The alerts to count.
    alerts: Selected<Alert>,
) -> String {
    alerts.len().to_string()
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { draw, count };
    registry.check().unwrap();
}
