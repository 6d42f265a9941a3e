//! A selective tool returns rows.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Alert {
    event: String,
}

#[pd_tool(summary = "List weather alerts", selective)]
fn alerts() -> Json<Alert> {
    Json(Alert { event: "wind".into() })
}

fn main() {}

/* mend
-fn alerts() -> Json<Alert> {
-    Json(Alert { event: "wind".into() })
+fn alerts() -> Json<Vec<Alert>> {
+    Json(vec![Alert { event: "wind".into() }])
*/
