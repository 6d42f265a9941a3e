//! Chosen rows may be none.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Selected, prelude::*};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    event: String,
}

#[pd_tool(summary = "Draw alerts")]
fn draw(alerts: Option<Selected<Alert>>) {}

fn main() {}

/* mend
-fn draw(alerts: Option<Selected<Alert>>) {}
+fn draw(alerts: Selected<Alert>) {}
*/
