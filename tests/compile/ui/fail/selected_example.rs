//! An example of chosen rows names the arguments that are sent.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Selected, prelude::*};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    event: String,
}

/// Draw alerts as bars.
///
/// # Examples
///
/// ```json
/// { "alerts": "[{\"_row_id\": 3, \"event\": \"Gale\"}]", "body_data": [] }
/// ```
#[pd_tool(summary = "Draw alerts")]
fn draw(alerts: Selected<Alert>) {}

fn main() {}

/* mend
-/// { "alerts": "[{\"_row_id\": 3, \"event\": \"Gale\"}]", "body_data": [] }
+/// { "abstract_data": "[{\"_row_id\": 3, \"event\": \"Gale\"}]", "body_data": "[]" }
*/
