//! Selective tools: callers choose which columns of their rows they are shown.

use pd_runtime::{Table, prelude::*};

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Alert {
    /// What kind of weather.
    event: String,
    severity: u8,
}

/// Weather alerts of an area.
///
/// # Examples
///
/// What kinds there are:
///
/// ```json
/// { "area": "CA", "abstract_domains": "event", "mode": "sync" }
/// ```
///
/// ```json
/// { "area": "CA" }
/// ```
#[pd_tool(summary = "List weather alerts", selective, read_only)]
async fn alerts(area: String) -> Result<Json<Vec<Alert>>, ToolError> {
    Ok(Json(vec![Alert { event: area, severity: 1 }]))
}

/// Run a stored query.
#[pd_tool(selective, blocking)]
fn query() -> Table {
    Table::default()
}

/// Count what there is.
#[pd_tool(selective = false)]
fn count(mode: String) -> Json<Vec<usize>> {
    Json(vec![mode.len()])
}

fn main() {}
