//! Rows whose columns nobody can tell.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Serialize)]
struct Alert {
    event: String,
}

#[pd_tool(summary = "List weather alerts", selective)]
fn alerts() -> Json<Vec<Alert>> {
    Json(Vec::new())
}

fn main() {}

/* mend
-#[derive(serde::Serialize)]
+#[derive(serde::Serialize, schemars::JsonSchema)]
*/
